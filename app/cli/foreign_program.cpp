// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/foreign_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "instrumented/compiler/installation.h"
#include "instrumented/compiler/process.h"

namespace lanescope::cli {

namespace fs = std::filesystem;

namespace {

/// How many words of the command line follow the first "--".
size_t wordsAfterDashes(const Context& context)
{
    char** const end = context.argv + context.argc;
    char** const dashes =
        std::find_if(context.argv, end, [](const char* word) { return std::string_view(word) == "--"; });
    return dashes == end ? 0 : static_cast<size_t>(end - dashes) - 1;
}

bool isCommand(const ProgramOptions& options, const Context& context)
{
    return !options.source.empty() && wordsAfterDashes(context) == options.arguments.size() + 1;
}

std::string extensionOf(const std::string& path)
{
    return fs::path(path).extension().string();
}

/// The option that such a program has no use for; empty: there is none.
const char* uselessOption(const ProgramOptions& options)
{
    const std::pair<const char*, bool> given[] = {
        {"--device", options.device != "simulator"}, {"--as-compiled", options.asCompiled},
        {"-I", !options.includeDirectories.empty()}, {"-D", !options.definitions.empty()},
        {"--step-into", !options.stepInto.empty()},  {"--cuda-path", !options.toolkit.empty()}};
    const auto* found = std::ranges::find_if(given, [](const auto& option) { return option.second; });
    return found == std::end(given) ? "" : found->first;
}

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// A folder for what front ends keep of programs they compiled: what they keep for a GPU is not for us, nor ours for
/// it.
std::string cacheFolder(const std::string& name)
{
    const std::string base =
        environment("XDG_CACHE_HOME").empty() ? environment("HOME") + "/.cache" : environment("XDG_CACHE_HOME");
    return base + "/lanescope/" + name;
}

std::vector<std::string> standinEnvironment(const compiler::Installation& installation)
{
    const std::string standins = installation.library + "/standins";
    const auto before = [&](const char* name, const std::string& folder) {
        const std::string old = environment(name);
        return fmt::format("{}={}{}{}", name, folder, old.empty() ? "" : ":", old);
    };
    const auto given = [](const char* name, const char* otherwise) {
        return environment(name).empty() ? otherwise : environment(name);
    };
    return {before("LD_LIBRARY_PATH", standins), before("PYTHONPATH", standins + "/python"),
            // Each buffer is an allocation of its own, so that bounds are the buffers'.
            "MODULAR_DEVICE_CONTEXT_MEMORY_MANAGER_SIZE_PERCENT=0",
            // For who compiles CUDA C++ while it runs.
            "LANESCOPE_INCLUDE=" + installation.include, "LANESCOPE_LIBRARY=" + installation.library,
            "TRITON_LIBCUDA_PATH=" + standins, "TRITON_PTXAS_PATH=" + standins + "/ptxas",
            "TRITON_PTXAS_BLACKWELL_PATH=" + standins + "/ptxas", "TRITON_CACHE_DIR=" + cacheFolder("triton"),
            // Which variables of the source the registers of Triton's kernels are; their code is the same.
            "LLVM_EXTRACT_DI_LOCAL_VARIABLES=" + given("LLVM_EXTRACT_DI_LOCAL_VARIABLES", "1"),
            "CUPY_CACHE_DIR=" + cacheFolder("cupy"),
            // Kernels of its own, in place of CUB's, which are machine code.
            "CUPY_ACCELERATORS=",
            // Fused, lanes of a warp can come to different sums where all of them store in one cell. Triton 3.10 does
            // not fuse by itself either; who wants it says so.
            "TRITON_DEFAULT_FP_FUSION=" + given("TRITON_DEFAULT_FP_FUSION", "0")};
}

/// Whether \p executable defines NVIDIA's runtime itself: the name of a function that no program calls is in it.
bool hasRuntimeLinkedIn(const std::string& executable)
{
    std::ifstream file(executable, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return bytes.starts_with(std::string_view("\177ELF")) && bytes.find("cudaGetExportTable") != std::string::npos;
}

Error notInstalled(const std::string& program, const std::string& advice)
{
    return {Error::Code::NotFound, "no such program in PATH; " + advice, program};
}

/// Compiles a Mojo program into the cache.
Result<std::string> compileMojo(const std::string& source)
{
    const std::string compiler = compiler::findProgram("mojo");
    if (compiler.empty())
        return notInstalled("mojo", "install Mojo's compiler: pip install mojo");
    std::error_code error;
    const std::string folder = cacheFolder("mojo");
    fs::create_directories(folder, error);
    // One file per program, exchanged as a whole: another process may be running the one before.
    const std::string path = fs::absolute(source).string();
    const std::string executable =
        fmt::format("{}/{}-{:x}", folder, fs::path(source).stem().string(), std::hash<std::string>()(path));
    const std::string fresh = fmt::format("{}.{}", executable, getpid());
    compiler::ProcessRequest request;
    request.command = {compiler, "build", "-g", "--target-accelerator", "sm_90", source, "-o", fresh};
    request.stdoutToStderr = true;
    const Result<pid_t> started = compiler::startProcess(request);
    if (!started)
        return started.error();
    if (compiler::waitForProcess(started.value()).code != 0)
        return Error{Error::Code::BadInput, "does not compile", source};
    fs::rename(fresh, executable, error);
    return error ? fresh : executable;
}

Result<ProgramRunRequest> programOf(const ProgramOptions& options, const Context& context)
{
    ProgramRunRequest request;
    request.arguments = options.arguments;
    request.executable = request.name = options.source;
    if (isCommand(options, context))
        return request;
    if (extensionOf(options.source) == ".py") {
        request.executable = compiler::findProgram("python3");
        if (request.executable.empty())
            return notInstalled("python3", "install Python");
        request.name = "python3";
        request.arguments.insert(request.arguments.begin(), options.source);
        return request;
    }
    Result<std::string> executable = compileMojo(options.source);
    if (!executable)
        return executable.error();
    request.executable = executable.value();
    return request;
}

}  // namespace

bool isForeign(const ProgramOptions& options, const Context& context)
{
    const std::string extension = extensionOf(options.source);
    return extension == ".py" || extension == ".mojo" || isCommand(options, context);
}

std::string foreignName(const ProgramOptions& options)
{
    for (const std::string& word : options.arguments) {
        std::error_code ignored;
        const std::string extension = extensionOf(word);
        if ((extension == ".py" || extension == ".mojo") && fs::exists(word, ignored))
            return word;
    }
    return options.source;
}

Result<ProgramRunRequest> foreignProgram(const ProgramOptions& options, const Context& context)
{
    if (const std::string useless = uselessOption(options); !useless.empty())
        return Error{Error::Code::BadInput, "is for programs that Lanescope compiles, not for a command", useless};
    const compiler::Installation installation = compiler::findInstallation();
    const std::string standins = installation.library + "/standins";
    std::error_code ignored;
    if (!fs::exists(standins + "/libcuda.so.1", ignored))
        return Error{Error::Code::NotFound, "is missing: this Lanescope was built without its stand-ins",
                     standins + "/libcuda.so.1"};
    if (!isCommand(options, context) && !fs::exists(options.source, ignored))
        return Error{Error::Code::NotFound, "no such file", options.source};
    Result<ProgramRunRequest> request = programOf(options, context);
    if (!request)
        return request;
    request.value().environment = standinEnvironment(installation);
    const std::string& name = request.value().executable;
    if (hasRuntimeLinkedIn(name.find('/') == std::string::npos ? compiler::findProgram(name) : name))
        request.value().environment.push_back("LD_PRELOAD=" + standins + "/liblanescope_linked.so");
    return request;
}

Result<std::string> foreignOptions(const ProgramOptions& options, const Context& context, FindingsAtExit findings)
{
    Result<std::string> settings = runtimeOptions(options, context.commandLine, findings);
    if (!settings)
        return settings;
    nlohmann::json json = nlohmann::json::parse(settings.value());
    json["command"] = getpid();
    json["program"] = foreignName(options);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lanescope::cli
