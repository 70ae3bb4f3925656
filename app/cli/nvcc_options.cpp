// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/nvcc_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string_view>

#include "app/cli/arguments.h"

namespace lanescope::cli {

namespace {

enum class Takes { Nothing, Switch, Value };  ///< Switch: may be "=true" or "=false"

using Action = void (*)(NvccOptions&, const std::string& value);

/// Words of a list as -Xcompiler has it: nvcc hands it to a shell, so that spaces part, too.
std::vector<std::string> listed(const std::string& value)
{
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    for (const char c : value + ',') {
        if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
        } else if (quote != 0 || (c != ',' && c != ' ')) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    return words;
}

void addList(std::vector<std::string>& to, const std::string& value)
{
    for (std::string& word : listed(value))
        to.push_back(std::move(word));
}

/// Directories may be given as "a,b".
void addEach(std::vector<std::string>& to, const std::string& value)
{
    for (std::string& part : splitList(value))
        to.push_back(std::move(part));
}

template <NvccOptions::Phase kPhase>
void setPhase(NvccOptions& options, const std::string& /*value*/)
{
    options.phase = kPhase;
}

template <auto kMember>
void setText(NvccOptions& options, const std::string& value)
{
    options.*kMember = value;
}

template <auto kMember>
void setSwitch(NvccOptions& options, const std::string& value)
{
    options.*kMember = value != "false";
}

void setCompile(NvccOptions& options, bool relocatable)
{
    options.phase = NvccOptions::Phase::Compile;
    options.relocatable = relocatable;
}

void setDeviceCode(NvccOptions& options, const char* ending)
{
    options.phase = NvccOptions::Phase::DeviceCode;
    options.codeEnding = ending;
}

void setDependencies(NvccOptions& options, bool compiles, bool omitsSystemHeaders)
{
    options.omitsSystemHeaders = omitsSystemHeaders;
    if (compiles)
        options.writesDependencies = true;
    else
        options.phase = NvccOptions::Phase::Dependencies;
}

void addDefinition(NvccOptions& options, const std::string& value)
{
    options.preprocessing.push_back("-D" + value);
}

void addUndefinition(NvccOptions& options, const std::string& value)
{
    options.preprocessing.push_back("-U" + value);
}

void addPreinclude(NvccOptions& options, const std::string& value)
{
    for (const std::string& file : splitList(value))
        options.preprocessing.insert(options.preprocessing.end(), {"-include", file});
}

void setDefaultStream(NvccOptions& options, const std::string& value)
{
    if (value == "per-thread")
        addDefinition(options, "CUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

struct Option {
    std::string_view name;
    std::string_view shortName;  ///< empty: it has none
    Takes takes;
    Action action;           ///< null: it changes nothing here, or it cannot be done
    const char* why;         ///< what it does; where it does nothing, why not
    bool isRefused = false;  ///< it cannot be done
};

using O = NvccOptions;
using Phase = O::Phase;

constexpr const char* kOneModel = "the model GPU is sm_90, whatever is asked for";
constexpr const char* kNoMachineCode = "no machine code is made";
constexpr const char* kNoFiles = "there are no such files";
constexpr const char* kClangWarns = "clang reads .cu files, and warns of what it finds";
constexpr const char* kExact = "divisions and roots are rounded as IEEE's are";
constexpr const char* kBothAtOnce = "a file's two sides are compiled at the same time anyway";
constexpr const char* kTaken = "is on";

// clang-format off
const Option kOptions[] = {
    {"link", "link", Takes::Nothing, setPhase<Phase::Link>, "compile and link"},
    {"compile", "c", Takes::Nothing, [](O& o, const std::string&) { o.phase = Phase::Compile; }, "objects"},
    {"device-c", "dc", Takes::Nothing, [](O& o, const std::string&) { setCompile(o, true); }, "objects whose device code is relocatable"},
    {"device-w", "dw", Takes::Nothing, [](O& o, const std::string&) { setCompile(o, false); }, "objects whose device code is not"},
    {"device-link", "dlink", Takes::Nothing, setPhase<Phase::DeviceLink>, "an object without content: the runtime links device code"},
    {"ptx", "ptx", Takes::Nothing, [](O& o, const std::string&) { setDeviceCode(o, "ptx"); }, "a module for cuModuleLoad: bitcode as text"},
    {"cubin", "cubin", Takes::Nothing, [](O& o, const std::string&) { setDeviceCode(o, "cubin"); }, "a module for cuModuleLoad: bitcode"},
    {"fatbin", "fatbin", Takes::Nothing, [](O& o, const std::string&) { setDeviceCode(o, "fatbin"); }, "the same"},
    {"lib", "lib", Takes::Nothing, setPhase<Phase::Archive>, "a static library"},
    {"preprocess", "E", Takes::Nothing, setPhase<Phase::Preprocess>, "preprocess the host side"},
    {"generate-dependencies", "M", Takes::Nothing, [](O& o, const std::string&) { setDependencies(o, false, false); }, "a make rule of what a source includes"},
    {"generate-nonsystem-dependencies", "MM", Takes::Nothing, [](O& o, const std::string&) { setDependencies(o, false, true); }, "the same without system headers"},
    {"generate-dependencies-with-compile", "MD", Takes::Nothing, [](O& o, const std::string&) { setDependencies(o, true, false); }, "the rule beside the object"},
    {"generate-nonsystem-dependencies-with-compile", "MMD", Takes::Nothing, [](O& o, const std::string&) { setDependencies(o, true, true); }, "the same without system headers"},
    {"dependency-output", "MF", Takes::Value, setText<&O::dependencyFile>, "where the rule goes"},
    {"dependency-target-name", "MT", Takes::Value, setText<&O::dependencyTarget>, "what the rule is for"},
    {"generate-dependency-targets", "MP", Takes::Nothing, setSwitch<&O::addsPhonyTargets>, "an empty rule for each header"},
    {"run", "run", Takes::Nothing, setSwitch<&O::runs>, "run what was linked"},
    {"run-args", "run-args", Takes::Value, [](O& o, const std::string& v) { addList(o.runArguments, v); }, "arguments for -run"},
    {"version", "V", Takes::Nothing, setPhase<Phase::Version>, "the version"},
    {"help", "h", Takes::Nothing, setPhase<Phase::Help>, "this text"},
    {"toolkit", "", Takes::Nothing, setPhase<Phase::Toolkit>, "Lanescope's: the folder in a toolkit's shape"},
    {"dryrun", "dryrun", Takes::Nothing, setSwitch<&O::isDryRun>, "say what would be done"},
    {"verbose", "v", Takes::Nothing, setSwitch<&O::isVerbose>, "say what is done"},
    {"output-file", "o", Takes::Value, setText<&O::output>, "the product"},
    {"output-directory", "odir", Takes::Value, setText<&O::outputDirectory>, "where objects go"},
    {"x", "x", Takes::Value, setText<&O::language>, "the sources' language: cu, c++, c"},
    {"std", "std", Takes::Value, setText<&O::standard>, "C++17 (also for older ones) or later"},
    {"optimize", "O", Takes::Value, setText<&O::optimisation>, "of host code (in .cu files at least -O1)"},
    {"dopt", "dopt", Takes::Value, nullptr, kNoMachineCode},
    {"debug", "g", Takes::Nothing, setSwitch<&O::debug>, "debug information of host sources (.cu files: lines, always)"},
    {"device-debug", "G", Takes::Nothing, nullptr, kTaken},
    {"generate-line-info", "lineinfo", Takes::Nothing, nullptr, kTaken},
    {"relocatable-device-code", "rdc", Takes::Value, setSwitch<&O::relocatable>, "device code that refers to other files'"},
    {"shared", "shared", Takes::Nothing, setSwitch<&O::shared>, "a shared library"},
    {"fmad", "fmad", Takes::Value, setSwitch<&O::fusesMultiplyAdds>, "fuse multiply-adds, where the source has them in one expression"},
    {"as-compiled", "", Takes::Nothing, setSwitch<&O::asCompiled>, "Lanescope's: device code optimised, as the hardware sees it"},
    {"include-path", "I", Takes::Value, [](O& o, const std::string& v) { addEach(o.includeDirectories, v); }, "include folder"},
    {"system-include", "isystem", Takes::Value, [](O& o, const std::string& v) { addEach(o.systemDirectories, v); }, "system include folder"},
    {"pre-include", "include", Takes::Value, addPreinclude, "a header that comes first"},
    {"define-macro", "D", Takes::Value, addDefinition, "macro"},
    {"undefine-macro", "U", Takes::Value, addUndefinition, "no such macro"},
    {"library-path", "L", Takes::Value, [](O& o, const std::string& v) { addEach(o.libraryDirectories, v); }, "library folder"},
    {"library", "l", Takes::Value, [](O& o, const std::string& v) { addEach(o.libraries, v); }, "library; NVIDIA's are Lanescope's"},
    {"compiler-options", "Xcompiler", Takes::Value, [](O& o, const std::string& v) { addList(o.hostFlags, v); }, "for the host's compiler"},
    {"linker-options", "Xlinker", Takes::Value, [](O& o, const std::string& v) { addList(o.linkerFlags, v); }, "for the linker"},
    {"archive-options", "Xarchive", Takes::Value, [](O& o, const std::string& v) { addList(o.archiverFlags, v); }, "for ar"},
    {"compiler-bindir", "ccbin", Takes::Value, setText<&O::hostCompiler>, "the host's compiler, or its folder"},
    {"default-stream", "default-stream", Takes::Value, setDefaultStream, "legacy, null or per-thread; a program whose files differ has the per-thread one"},
    // What changes nothing.
    {"ptxas-options", "Xptxas", Takes::Value, nullptr, kNoMachineCode},
    {"nvlink-options", "Xnvlink", Takes::Value, nullptr, kNoMachineCode},
    {"cudafe-options", "Xcudafe", Takes::Value, nullptr, kClangWarns},
    {"gpu-architecture", "arch", Takes::Value, nullptr, kOneModel},
    {"gpu-code", "code", Takes::Value, nullptr, kOneModel},
    {"generate-code", "gencode", Takes::Value, nullptr, kOneModel},
    {"maxrregcount", "maxrregcount", Takes::Value, nullptr, "registers are not modelled"},
    {"machine", "m", Takes::Value, nullptr, "64 bits, always"},
    {"m64", "m64", Takes::Nothing, nullptr, "64 bits, always"},
    {"use_fast_math", "use_fast_math", Takes::Switch, setSwitch<&O::flushesSubnormals>, "-ftz=true; functions, divisions and roots stay exact"},
    {"ftz", "ftz", Takes::Value, setSwitch<&O::flushesSubnormals>, "subnormal floats are 0, in kernels that do not compute in double"},
    {"prec-div", "prec-div", Takes::Value, nullptr, kExact},
    {"prec-sqrt", "prec-sqrt", Takes::Value, nullptr, kExact},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr", Takes::Nothing, nullptr, kTaken},
    {"extended-lambda", "extended-lambda", Takes::Nothing, nullptr, kTaken},
    {"expt-extended-lambda", "expt-extended-lambda", Takes::Nothing, nullptr, kTaken},
    {"threads", "t", Takes::Value, nullptr, kBothAtOnce},
    {"jobserver", "jobserver", Takes::Nothing, nullptr, kBothAtOnce},
    {"j", "j", Takes::Value, nullptr, kBothAtOnce},
    {"split-compile", "split-compile", Takes::Value, nullptr, kBothAtOnce},
    {"split-compile-extended", "split-compile-extended", Takes::Value, nullptr, kBothAtOnce},
    {"cudart", "cudart", Takes::Value, nullptr, "the runtime is Lanescope's"},
    {"cudadevrt", "cudadevrt", Takes::Value, nullptr, "the runtime is Lanescope's"},
    {"dlink-time-opt", "dlto", Takes::Nothing, nullptr, "device code stays as it is written"},
    {"lto", "lto", Takes::Nothing, nullptr, "device code stays as it is written"},
    {"extra-device-vectorization", "extra-device-vectorization", Takes::Nothing, nullptr, kNoMachineCode},
    {"Ofast-compile", "Ofc", Takes::Value, nullptr, kNoMachineCode},
    {"disable-optimizer-constants", "disable-optimizer-consts", Takes::Nothing, nullptr, kNoMachineCode},
    {"resource-usage", "res-usage", Takes::Nothing, nullptr, "registers are not modelled"},
    {"source-in-ptx", "src-in-ptx", Takes::Nothing, nullptr, kNoFiles},
    {"keep", "keep", Takes::Nothing, nullptr, kNoFiles},
    {"keep-dir", "keep-dir", Takes::Value, nullptr, kNoFiles},
    {"save-temps", "save-temps", Takes::Nothing, nullptr, kNoFiles},
    {"clean-targets", "clean", Takes::Nothing, nullptr, kNoFiles},
    {"objdir-as-tempdir", "objtemp", Takes::Nothing, nullptr, kNoFiles},
    {"no-compress", "no-compress", Takes::Nothing, nullptr, kNoMachineCode},
    {"compress-mode", "compress-mode", Takes::Value, nullptr, kNoMachineCode},
    {"compress-all", "compress-all", Takes::Nothing, nullptr, kNoMachineCode},
    {"allow-unsupported-compiler", "allow-unsupported-compiler", Takes::Nothing, nullptr, kTaken},
    {"allow-expensive-optimizations", "allow-expensive-optimizations", Takes::Switch, nullptr, kNoMachineCode},
    {"target-directory", "target-dir", Takes::Value, nullptr, "no toolkit is read"},
    {"no-align-double", "no-align-double", Takes::Nothing, nullptr, "is for 32 bits"},
    {"no-device-link", "nodlink", Takes::Nothing, nullptr, "the runtime links device code"},
    {"no-exceptions", "noeh", Takes::Nothing, nullptr, "host code may throw"},
    {"static-global-template-stub", "static-global-template-stub", Takes::Value, nullptr, "host functions of kernels are weak where templates are"},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", Takes::Value, nullptr, kNoMachineCode},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets", Takes::Nothing, nullptr, kOneModel},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations", Takes::Nothing, nullptr, kClangWarns},
    {"Wreorder", "Wreorder", Takes::Nothing, nullptr, kClangWarns},
    {"Wdefault-stream-launch", "Wdefault-stream-launch", Takes::Nothing, nullptr, kClangWarns},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds", Takes::Nothing, nullptr, kClangWarns},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this", Takes::Nothing, nullptr, kClangWarns},
    {"Werror", "Werror", Takes::Value, nullptr, "nvcc's warnings are not clang's"},
    {"disable-warnings", "w", Takes::Nothing, nullptr, kClangWarns},
    {"display-error-number", "err-no", Takes::Nothing, nullptr, kClangWarns},
    {"no-display-error-number", "no-err-no", Takes::Nothing, nullptr, kClangWarns},
    {"diag-error", "diag-error", Takes::Value, nullptr, kClangWarns},
    {"diag-suppress", "diag-suppress", Takes::Value, nullptr, kClangWarns},
    {"diag-warn", "diag-warn", Takes::Value, nullptr, kClangWarns},
    {"time", "time", Takes::Value, nullptr, kNoFiles},
    {"qpp-config", "qpp-config", Takes::Value, nullptr, "is for QNX"},
    {"forward-unknown-opts", "forward-unknown-opts", Takes::Nothing, nullptr, "done"},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler", Takes::Nothing, nullptr, "done"},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker", Takes::Nothing, nullptr, "done"},
    // What cannot be done.
    {"optix-ir", "optix-ir", Takes::Nothing, nullptr, "OptiX is not simulated", true},
    {"ltoir", "ltoir", Takes::Nothing, nullptr, "device code stays bitcode in an object", true},
    {"cuda", "cuda", Takes::Nothing, nullptr, "clang reads .cu files; there is no translated source", true},
};
// clang-format on

/// Values that may follow without a space: -Idir, -O3.
constexpr std::string_view kJoined = "IDULlOt";

const Option* optionNamed(std::string_view name)
{
    const auto* found = std::ranges::find_if(
        kOptions, [&](const Option& option) { return option.name == name || option.shortName == name; });
    return found == std::end(kOptions) ? nullptr : found;
}

Error badInput(const std::string& message)
{
    return {Error::Code::BadInput, message, ""};
}

/// Words as a shell parts them, without its other powers.
std::vector<std::string> shellWords(const std::string& text)
{
    std::vector<std::string> words;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0 && c == quote) {
            quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
            quote = c;
            begun = true;
        } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
            word += text[++i];
            begun = true;
        } else if (quote == 0 && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
            if (std::exchange(begun, false))
                words.push_back(std::exchange(word, {}));
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun)
        words.push_back(word);
    return words;
}

/// \p words with response files in place of "@file", "--options-file file", "-optf file", which may name others.
Result<std::vector<std::string>> expanded(const std::vector<std::string>& words, int depth = 0)
{
    constexpr int kDeepest = 16;
    std::vector<std::string> all;
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        std::string files;
        if (word == "--options-file" || word == "-optf")
            files = ++i < words.size() ? words[i] : "";
        else if (word.starts_with("--options-file=") || word.starts_with("-optf="))
            files = word.substr(word.find('=') + 1);
        else if (word.starts_with('@'))
            files = word.substr(1);
        else {
            all.push_back(word);
            continue;
        }
        if (files.empty() || depth == kDeepest)
            return badInput(fmt::format("found '{}', expected a response file", word));
        for (const std::string& name : splitList(files)) {
            std::ifstream file(name);
            if (!file)
                return Error{Error::Code::NotFound, "no such response file", name};
            Result<std::vector<std::string>> more =
                expanded(shellWords({std::istreambuf_iterator<char>(file), {}}), depth + 1);
            if (!more)
                return more;
            std::ranges::move(more.value(), std::back_inserter(all));
        }
    }
    return all;
}

std::vector<std::string> environmentWords(const char* name)
{
    const char* text = std::getenv(name);
    return text ? shellWords(text) : std::vector<std::string>();
}

/// An option of the host's linker or compiler that CC's users give as they do to g++.
bool isHosts(const std::string& word)
{
    static constexpr std::array kSame = {"-rdynamic", "-pthread", "-fPIC", "-fpic", "-fPIE", "-pie", "-no-pie"};
    return word.starts_with("-Wl,") || std::ranges::find(kSame, word) != kSame.end();
}

/// Takes options off a list of words, one by one.
class Parser {
public:
    explicit Parser(std::vector<std::string> words) : m_words(std::move(words)) {}

    Result<NvccOptions> parse()
    {
        m_forwards = std::ranges::any_of(m_words, [](const std::string& word) {
            return word.ends_with("-forward-unknown-to-host-compiler") || word.ends_with("-forward-unknown-opts");
        });
        while (m_next < m_words.size())
            if (Result<void> taken = takeOne(m_words[m_next++]); !taken)
                return taken.error();
        if (!m_options.unsupported.empty())
            return Error{Error::Code::Unsupported, m_options.unsupported, ""};
        return std::move(m_options);
    }

private:
    Result<void> takeOne(const std::string& word)
    {
        if (word.size() < 2 || word[0] != '-') {
            m_options.inputs.push_back(word);
            return {};
        }
        const std::string body = word.substr(word.starts_with("--") ? 2 : 1);
        const size_t equals = body.find('=');
        const Option* option = optionNamed(body.substr(0, equals));
        if (option)
            return equals == std::string::npos ? take(*option, word) : takeWith(*option, word, body.substr(equals + 1));
        if (!word.starts_with("--") && kJoined.find(body[0]) != std::string_view::npos)
            return takeWith(*optionNamed(body.substr(0, 1)), word, body.substr(1));
        if (!m_forwards && !isHosts(word))
            return badInput(fmt::format("unknown option '{}'", word));
        m_options.hostFlags.push_back(word);
        return {};
    }

    Result<void> take(const Option& option, const std::string& word)
    {
        if (option.takes != Takes::Value)
            return takeWith(option, word, "true");
        if (m_next == m_words.size())
            return badInput(fmt::format("option '{}' has no value", word));
        return takeWith(option, word, m_words[m_next++]);
    }

    Result<void> takeWith(const Option& option, const std::string& word, const std::string& value)
    {
        if (option.isRefused)
            return Error{Error::Code::Unsupported, fmt::format("option '{}': {}", word, option.why), ""};
        if (option.takes != Takes::Value && value != "true" && value != "false")
            return badInput(fmt::format("option '{}' takes no value", word));
        if (option.action)
            option.action(m_options, value);
        return {};
    }

    std::vector<std::string> m_words;
    size_t m_next = 0;
    bool m_forwards = false;
    NvccOptions m_options;
};

}  // namespace

Result<NvccOptions> parseNvcc(const std::vector<std::string>& words)
{
    std::vector<std::string> all = environmentWords("NVCC_PREPEND_FLAGS");
    all.insert(all.end(), words.begin(), words.end());
    std::ranges::move(environmentWords("NVCC_APPEND_FLAGS"), std::back_inserter(all));
    Result<std::vector<std::string>> whole = expanded(all);
    if (!whole)
        return whole.error();
    return Parser(std::move(whole).value()).parse();
}

std::string nvccHelp()
{
    std::string text =
        "Usage: lanescope nvcc [options] files\n"
        "nvcc's command line. Objects carry their device code as bitcode; what is linked runs in the simulator, and\n"
        "records when LANESCOPE_TRACE=T.lanes is set, or under lanescope record|run|check|view -- ./app.\n"
        "NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, NVCC_CCBIN and response files (@file, --options-file) are read.\n\n";
    const auto line = [&](const Option& option) {
        const std::string names = option.shortName.empty() || option.shortName == option.name
                                      ? fmt::format("--{}", option.name)
                                      : fmt::format("--{}, -{}", option.name, option.shortName);
        text += fmt::format("  {:<56} {}\n", names, option.why);
    };
    for (const Option& option : kOptions)
        if (option.action)
            line(option);
    text += "\nAccepted, and changes nothing:\n";
    for (const Option& option : kOptions)
        if (!option.action && !option.isRefused)
            line(option);
    text += "\nRefused:\n";
    for (const Option& option : kOptions)
        if (option.isRefused)
            line(option);
    return text;
}

}  // namespace lanescope::cli
