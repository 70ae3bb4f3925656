// SPDX-License-Identifier: GPL-3.0-or-later
// lanescope nvcc: in the place of nvcc. .cu files become objects by instrumented/compiler, host sources by the host's
// compiler, which links, too.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/nvcc_files.h"
#include "app/cli/nvcc_options.h"
#include "app/cli/program_options.h"
#include "core/base/device_image.h"
#include "core/base/temporary_folder.h"
#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/installation.h"
#include "instrumented/compiler/process.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

using Phase = NvccOptions::Phase;
using Words = std::vector<std::string>;

/// What build systems look for in nvcc's, and whose it is.
constexpr const char* kVersion = "nvcc: NVIDIA (R) Cuda compiler driver\n"
                                 "Lanescope 0.1.0 in its place: programs run in the simulator\n"
                                 "Cuda compilation tools, release 12.4, V12.4.0\n"
                                 "Build lanescope_0.1.0\n";

std::string quoted(const std::string& word)
{
    const bool isPlain = !word.empty() && word.find_first_of(" \t\n\"'\\$`()<>|&;*?[]#~!{}") == std::string::npos;
    return isPlain ? word : fmt::format("\"{}\"", word);
}

std::string joined(const Words& words)
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + quoted(word);
    return line;
}

void append(Words& to, const Words& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

/// One command line of nvcc's, carried out.
class Nvcc {
public:
    explicit Nvcc(NvccOptions options) : m_options(std::move(options)), m_installation(compiler::findInstallation()) {}

    /// The folder that looks like a toolkit (cmake/toolkit.cmake).
    [[nodiscard]] fs::path toolkit() const { return fs::path(m_installation.library) / "toolkit"; }

    int run() const
    {
        if (m_options.isVerbose || m_options.isDryRun)
            sayWhatNvccSays();
        if (m_options.inputs.empty())
            return fail("found no input files, expected sources or objects; see lanescope nvcc --help");
        for (const std::string& input : m_options.inputs)
            if (languageOf(input, m_options.language) == Language::Unknown)
                return fail(
                    fmt::format("don't know what to do with '{}'; expected a source, an object or a library", input));
        switch (m_options.phase) {
        case Phase::Compile:
            return compileAll();
        case Phase::DeviceCode:
            return compileModules();
        case Phase::Preprocess:
        case Phase::Dependencies:
            return preprocessAll();
        case Phase::DeviceLink:
            return deviceLink();
        case Phase::Archive:
            return archive();
        default:
            return link();
        }
    }

private:
    [[nodiscard]] std::string hostCompiler() const
    {
        std::string chosen = m_options.hostCompiler;
        if (const char* given = std::getenv("NVCC_CCBIN"); chosen.empty() && given)
            chosen = given;
        std::error_code ignored;
        if (!chosen.empty() && fs::is_directory(chosen, ignored))
            return chosen + "/g++";
        return chosen.empty() ? "g++" : chosen;
    }

    [[nodiscard]] Words librariesFolder() const { return {"-L" + (toolkit() / "lib64").string()}; }

    /// The lines by which CMake and others find a toolkit.
    void sayWhatNvccSays() const
    {
        const std::string top = toolkit().string();
        const char* path = std::getenv("PATH");
        fmt::print(stderr,
                   "#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_={0}/bin\n#$ _THERE_={0}/bin\n#$ TOP={0}\n"
                   "#$ NVVMIR_LIBRARY_DIR={0}/nvvm/libdevice\n#$ PATH={0}/bin:{1}\n"
                   "#$ INCLUDES=\"-I{0}/include\"\n#$ LIBRARIES= {2}\n#$ CUDAFE_FLAGS=\n#$ PTXAS_FLAGS=\n",
                   top, path ? path : "", joined(librariesFolder()));
    }

    /// Says it, if that is wanted, and does it, if that is wanted; the exit code.
    [[nodiscard]] int execute(const Words& command) const
    {
        if (m_options.isVerbose || m_options.isDryRun)
            fmt::print(stderr, "#$ {}\n", joined(command));
        if (m_options.isDryRun)
            return kOk;
        compiler::ProcessRequest process;
        process.command = command;
        std::fflush(nullptr);
        const Result<pid_t> started = compiler::startProcess(process);
        return started ? compiler::waitForProcess(started.value()).code : failToStart(started.error(), command.front());
    }

    /// Installing Lanescope does not take g++ along.
    static int failToStart(Error error, const std::string& program)
    {
        if (program == "g++")
            error.message += "; install it with: apt install g++";
        return fail(error);
    }

    /// Where the object of \p source goes unless it is to be linked at once.
    [[nodiscard]] std::string objectOf(const std::string& source) const
    {
        if (!m_options.output.empty())
            return m_options.output;
        const std::string name = fs::path(source).stem().string() + ".o";
        return m_options.outputDirectory.empty() ? name : m_options.outputDirectory + '/' + name;
    }

    [[nodiscard]] bool isOurs(const std::string& folder) const
    {
        std::error_code ignored;
        return fs::equivalent(folder, m_installation.include, ignored);
    }

    [[nodiscard]] compiler::CompileRequest requestFor(const std::string& source) const
    {
        compiler::CompileRequest request;
        request.source = source;
        request.product = compiler::Product::Object;
        request.relocatable = m_options.relocatable;
        request.asCompiled = m_options.asCompiled;
        request.fusesMultiplyAdds = m_options.fusesMultiplyAdds;
        request.flushesSubnormals = m_options.flushesSubnormals;
        request.includeDirectories = m_options.includeDirectories;
        request.systemDirectories = m_options.systemDirectories;
        for (Words* folders : {&request.includeDirectories, &request.systemDirectories})
            std::erase_if(*folders, [&](const std::string& folder) { return isOurs(folder); });
        for (size_t i = 0; i < m_options.preprocessing.size(); ++i) {
            const std::string& word = m_options.preprocessing[i];
            if (word.starts_with("-D"))
                request.definitions.push_back(word.substr(2));
            else
                request.preprocessing.push_back(word);
        }
        addHostFlags(request);
        // C++17 is what older ones become: our headers, as CUDA 13's, are in C++17.
        const std::string& standard = m_options.standard;
        if (standard == "c++20" || standard == "gnu++20" || standard == "c++23")
            request.standard = "gnu++" + standard.substr(standard.find("++") + 2);
        return request;
    }

    /// Of the flags for the host's compiler those that clang takes, too. Warnings are not: a .cu file's are clang's.
    void addHostFlags(compiler::CompileRequest& request) const
    {
        // Programs hold their results against loops of the host's, which take longer than the kernel.
        if (m_options.optimisation == "2" || m_options.optimisation == "3")
            request.hostFlags.push_back("-O" + m_options.optimisation);
        for (const std::string& flag : m_options.hostFlags) {
            const std::string name = flag.substr(0, 2);
            if (flag.starts_with("-fopenmp"))
                request.hostFlags.insert(request.hostFlags.end(), {"-idirafter", gccHeaders()});
            else if (flag.starts_with("-fvisibility") || flag.starts_with("-fsanitize") || flag == "-fno-exceptions" ||
                     flag == "-fno-rtti" || flag == "-ffast-math" || flag == "-fno-fast-math" || name == "-m")
                request.hostFlags.push_back(flag);
            else if (name == "-D")
                request.definitions.push_back(flag.substr(2));
            else if (name == "-I" && flag.size() > 2)
                request.includeDirectories.push_back(flag.substr(2));
        }
    }

    /// Where <omp.h> is.
    [[nodiscard]] std::string gccHeaders() const
    {
        std::string folder;
        std::FILE* pipe = popen("g++ -print-file-name=include 2>/dev/null", "r");
        char text[1024] = {};
        if (pipe && std::fgets(text, sizeof(text), pipe))
            folder = text;
        if (pipe)
            pclose(pipe);
        while (!folder.empty() && folder.back() == '\n')
            folder.pop_back();
        return folder;
    }

    /// clang 19 without its own libomp takes no directive; what they say is then done by one thread.
    void noteDirectives(const std::string& source) const
    {
        const bool isAsked = std::ranges::any_of(m_options.hostFlags,
                                                 [](const std::string& flag) { return flag.starts_with("-fopenmp"); });
        if (isAsked && compiler::textOf(source).find("#pragma omp") != std::string::npos)
            fmt::print(stderr,
                       "lanescope: note: {}: OpenMP directives in a .cu file are left out, one thread does all of it\n",
                       source);
    }

    int compileCuda(const std::string& source, const std::string& object) const
    {
        if (m_options.isVerbose || m_options.isDryRun)
            fmt::print(stderr, "#$ cicc -arch compute_90 {} -o {}\n", quoted(source), quoted(object));
        if (m_options.isDryRun)
            return kOk;
        compiler::CompileRequest request = requestFor(source);
        request.output = object;
        noteDirectives(source);
        const Result<compiler::CompiledProgram> compiled = compiler::compile(request, m_installation);
        if (!compiled)
            return failToCompile(compiled.error(), source);
        std::fputs(compiled.value().messages.c_str(), stderr);
        if (!m_options.writesDependencies)
            return kOk;
        std::vector<std::string> files = compiled.value().dependencies;
        if (m_options.omitsSystemHeaders)
            std::erase_if(files, [&](const std::string& file) {
                return file.starts_with("/usr/") || file.starts_with(m_installation.include);
            });
        const std::string& target = m_options.dependencyTarget;
        const Result<void> written =
            compiler::writeFile(dependencyFile(object), makeRule(target.empty() ? escapedForMake(object) : target,
                                                                 files, m_options.addsPhonyTargets));
        return written ? kOk : fail(written.error());
    }

    [[nodiscard]] std::string dependencyFile(const std::string& object) const
    {
        return m_options.dependencyFile.empty() ? fs::path(object).replace_extension(".d").string()
                                                : m_options.dependencyFile;
    }

    /// What the host's compiler is told of a source that is none of CUDA's.
    [[nodiscard]] Words hostCommand(const std::string& source) const
    {
        const bool isC = languageOf(source, m_options.language) == Language::C;
        Words command{hostCompiler(), "-x", isC ? "c" : "c++"};
        if (!m_options.standard.empty() && !isC)
            command.push_back("-std=" + m_options.standard);
        if (!m_options.optimisation.empty())
            command.push_back("-O" + m_options.optimisation);
        if (m_options.debug)
            command.emplace_back("-g");
        append(command, m_options.preprocessing);
        for (const std::string& folder : m_options.includeDirectories)
            append(command, {compiler::isToolkitsHeaders(folder) ? "-idirafter" : "-I", folder});
        for (const std::string& folder : m_options.systemDirectories)
            append(command, {compiler::isToolkitsHeaders(folder) ? "-idirafter" : "-isystem", folder});
        append(command, {"-isystem", m_installation.include});
        append(command, m_options.hostFlags);
        return command;
    }

    int compileHost(const std::string& source, const std::string& object) const
    {
        Words command = hostCommand(source);
        append(command, {"-c", source, "-o", object});
        if (m_options.writesDependencies) {
            append(command, {m_options.omitsSystemHeaders ? "-MMD" : "-MD", "-MF", dependencyFile(object)});
            if (m_options.addsPhonyTargets)
                command.emplace_back("-MP");
            if (!m_options.dependencyTarget.empty())
                append(command, {"-MT", m_options.dependencyTarget});
        }
        if (m_options.isVerbose || m_options.isDryRun)
            return execute(command);
        const TemporaryFolder folder("nvcc");
        const std::string log = folder.file("messages.txt");
        const int code = runLogged(command, log);
        const std::string messages = compiler::textOf(log);
        // What a program calls of such a library is launched from here.
        if (code != kOk && messages.find("lanescope: this library's functions are kernels") != std::string::npos)
            return compileCuda(source, object);
        std::fputs(messages.c_str(), stderr);
        return code;
    }

    int compileOne(const std::string& source, const std::string& object) const
    {
        return languageOf(source, m_options.language) == Language::Cuda ? compileCuda(source, object)
                                                                        : compileHost(source, object);
    }

    int compileAll() const
    {
        const auto isSource = [&](const std::string& input) {
            return languageOf(input, m_options.language) != Language::Object;
        };
        if (!m_options.output.empty() && std::ranges::count_if(m_options.inputs, isSource) > 1)
            return fail("found several sources, expected one: -c with -o names one object");
        for (const std::string& input : m_options.inputs)
            if (isSource(input))
                if (const int code = compileOne(input, objectOf(input)); code != kOk)
                    return code;
        return kOk;
    }

    int compileModule(const std::string& source) const
    {
        compiler::CompileRequest request = requestFor(source);
        request.product = compiler::Product::Image;
        const Result<compiler::CompiledProgram> compiled = compiler::compile(request, m_installation);
        if (!compiled)
            return failToCompile(compiled.error(), source);
        std::fputs(compiled.value().messages.c_str(), stderr);
        const std::string name = fs::path(source).stem().string() + '.' + m_options.codeEnding;
        std::string bytes = compiler::textOf(compiled.value().path);
        if (m_options.codeEnding == "ptx")
            bytes = DeviceImage::unpacked(bytes.data()).text();
        const Result<void> written = compiler::writeFile(m_options.output.empty() ? name : m_options.output, bytes);
        return written ? kOk : fail(written.error());
    }

    int compileModules() const
    {
        for (const std::string& input : m_options.inputs) {
            if (languageOf(input, m_options.language) != Language::Cuda)
                return fail(fmt::format("found '{}', expected a .cu file: -{}", input, m_options.codeEnding));
            if (const int code = compileModule(input); code != kOk)
                return code;
        }
        return kOk;
    }

    int preprocessAll() const
    {
        const Result<compiler::Clang> clang = compiler::findClang();
        if (!clang)
            return fail(clang.error());
        for (const std::string& input : m_options.inputs) {
            Words more{m_options.phase == Phase::Preprocess ? "-E" : m_options.omitsSystemHeaders ? "-MM" : "-M"};
            if (m_options.phase == Phase::Dependencies)
                append(more,
                       {"-MT", m_options.dependencyTarget.empty() ? objectNameOf(input) : m_options.dependencyTarget});
            const std::string& file = m_options.dependencyFile.empty() ? m_options.output : m_options.dependencyFile;
            if (!file.empty())
                append(more, {"-o", file});
            Words command = hostCommand(input);
            append(command, more);
            command.push_back(input);
            if (languageOf(input, m_options.language) == Language::Cuda)
                command = compiler::preprocessCommand(clang.value(), requestFor(input), m_installation, more);
            if (const int code = execute(command); code != kOk)
                return code;
        }
        return kOk;
    }

    [[nodiscard]] static std::string objectNameOf(const std::string& source)
    {
        return fs::path(source).stem().string() + ".o";
    }

    /// The runtime links device code when it is first used.
    int deviceLink() const
    {
        const std::string output = m_options.output.empty() ? "a_dlink.o" : m_options.output;
        return execute({hostCompiler(), "-x", "c", "-c", "/dev/null", "-o", output});
    }

    /// The inputs with objects in place of sources, which go to \p folder. No value: a source does not compile.
    std::optional<Words> objects(const TemporaryFolder& folder) const
    {
        Words all;
        for (const std::string& input : m_options.inputs) {
            if (languageOf(input, m_options.language) == Language::Object) {
                all.push_back(input);
                continue;
            }
            const std::string object = fmt::format("{}/{}-{}", folder.path(), all.size(), objectNameOf(input));
            if (compileOne(input, object) != kOk)
                return std::nullopt;
            all.push_back(object);
        }
        return all;
    }

    int archive() const
    {
        const TemporaryFolder folder("nvcc");
        const std::optional<Words> all = objects(folder);
        if (!all)
            return kCouldNotRun;
        const std::string output = m_options.output.empty() ? "a.a" : m_options.output;
        std::error_code ignored;
        if (!m_options.isDryRun)
            fs::remove(output, ignored);
        Words command{"ar", "qcs"};
        append(command, m_options.archiverFlags);
        command.push_back(output);
        append(command, *all);
        return execute(command);
    }

    [[nodiscard]] Words linkCommand(const Words& objects, const std::string& output) const
    {
        Words command{hostCompiler()};
        if (m_options.shared)
            command.emplace_back("-shared");
        if (m_options.debug)
            command.emplace_back("-g");
        append(command, m_options.hostFlags);
        for (const std::string& flag : m_options.linkerFlags)
            append(command, {"-Xlinker", flag});
        append(command, {"-o", output, "-Wl,--start-group"});
        append(command, objects);
        append(command, compiler::sanitizerFlags(m_installation));
        // Calls of MPI's are to be found there before the MPI library has them.
        append(command,
               {"-L" + m_installation.library, "-Wl,--push-state,--as-needed", "-llanescope_mpi", "-Wl,--pop-state"});
        for (const std::string& folder : m_options.libraryDirectories)
            command.push_back("-L" + folder);
        const std::string standIns = m_installation.library + "/standins/";
        for (const std::string& library : m_options.libraries) {
            if (const std::string ours = standIn(library); !ours.empty())
                append(command, {standIns + ours, "-Wl,-rpath," + standIns});
            else if (!isInTheRuntime(library))
                command.push_back("-l" + library);
        }
        command.emplace_back("-Wl,--end-group");
        append(command, compiler::runtimeFlags(m_installation));
        append(command, {"-lpthread", "-ldl", "-lrt"});
        return command;
    }

    int link() const
    {
        const TemporaryFolder folder("nvcc");
        const std::optional<Words> all = objects(folder);
        if (!all)
            return kCouldNotRun;
        const std::string output = m_options.output.empty() ? "a.out" : m_options.output;
        const Words command = linkCommand(*all, output);
        // CMake looks for a line that names the libraries' folder, and links with what it begins with.
        if (m_options.isVerbose || m_options.isDryRun)
            fmt::print(stderr, "#$ {} -o {} {} {} -lcudadevrt -lcudart_static -lrt -lpthread -ldl\n", hostCompiler(),
                       quoted(output), joined(*all), joined(librariesFolder()));
        const int code = execute(command);
        if (code != kOk || !m_options.runs)
            return code;
        Words program{fs::absolute(output).string()};
        append(program, m_options.runArguments);
        return execute(program);
    }

    /// Does it; \p log takes what the command says.
    static int runLogged(const Words& command, const std::string& log)
    {
        compiler::ProcessRequest process;
        process.command = command;
        process.outputFile = log;
        const Result<pid_t> started = compiler::startProcess(process);
        return started ? compiler::waitForProcess(started.value()).code : failToStart(started.error(), command.front());
    }

    NvccOptions m_options;
    compiler::Installation m_installation;
};

}  // namespace

int nvcc(const std::vector<std::string>& words)
{
    Result<NvccOptions> options = parseNvcc(words);
    if (!options)
        return fail(options.error());
    if (options.value().phase == Phase::Version) {
        std::fputs(kVersion, stdout);
        return kOk;
    }
    if (options.value().phase == Phase::Help) {
        std::fputs(nvccHelp().c_str(), stdout);
        return kOk;
    }
    const Nvcc command(options.value());
    if (options.value().phase == Phase::Toolkit) {
        fmt::print("{}\n", command.toolkit().string());
        return kOk;
    }
    return command.run();
}

void addNvccCommand(CLI::App& app, Context& /*context*/)
{
    // For the list of subcommands; main() calls nvcc() before CLI11 sees its words.
    app.add_subcommand("nvcc", "in the place of nvcc, for Makefiles and CMake: lanescope nvcc -c a.cu -o a.o");
}

}  // namespace lanescope::cli
