// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/clang.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/cccl.h"
#include "instrumented/compiler/process.h"
#include "instrumented/compiler/toolkit_headers.h"

namespace lanescope::compiler {

namespace {

Clang identified(const std::string& program)
{
    return {program, identityOf(program)};
}

bool isVersion19(const std::string& program)
{
    std::FILE* pipe = popen(fmt::format("'{}' -dumpversion 2>/dev/null", program).c_str(), "r");
    if (!pipe)
        return false;
    char text[16] = {};
    const bool read = std::fgets(text, sizeof(text), pipe) != nullptr;
    pclose(pipe);
    return read && std::string(text).rfind("19.", 0) == 0;
}

void append(std::vector<std::string>& command, const std::vector<std::string>& more)
{
    command.insert(command.end(), more.begin(), more.end());
}

/// What tells this object from others that it may be linked to.
std::string relocatableName(const CompileRequest& request)
{
    std::error_code ignored;
    std::string key = std::filesystem::absolute(request.source, ignored).string();
    for (const std::string& definition : request.definitions)
        key += '\n' + definition;
    return contentHash(key).substr(0, 16);
}

/// Ends \p command with the program's own files; cuda_runtime.h comes first, from \p image if there is one.
std::vector<std::string> forProgram(std::vector<std::string> command, const CompileRequest& request,
                                    const Installation& installation, const Variant& variant, const std::string& image,
                                    const std::string& output)
{
    if (image.empty())
        append(command, {"-include", runtimeHeader(installation)});
    else
        append(command, {"-include-pch", image});
    for (const auto& [file, standIn] : variant.standIns)
        append(command, {"-Xclang", "-remap-file", "-Xclang", fmt::format("{};{}", file, standIn)});
    // Kernels of one file only get names of their own, the same on both sides; the driver hands it to the device's
    // alone.
    if (const std::string name = "-cuid=" + relocatableName(request); request.relocatable)
        append(command, {name, "-Xclang", name});
    append(command, {"-MD", "-MF", output + ".d", "-o", output, request.source});
    return command;
}

/// Ends \p command so that it makes an image of \p header.
std::vector<std::string> forImage(std::vector<std::string> command, const std::string& header,
                                  const std::string& output)
{
    // What headers use of their own templates is instantiated once, not in each program. Without times: a header that
    // was only touched, or installed again, is the same header. clang would notice that itself, but it also finds by
    // them what it knows of a file (that it has been read, for one). Whether contents are the same the cache knows.
    append(command, {"-Xclang", "-emit-pch", "-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates", "-MD",
                     "-MF", output + ".d", "-o", output, header});
    return command;
}

std::vector<std::string> bothSidesFlags(const Clang& clang, const CompileRequest& request,
                                        const Installation& installation, const Variant& variant)
{
    std::vector<std::string> command{clang.program, "-x", "cuda", "-c"};
    if (!variant.firstHeaders.empty())
        std::ranges::move(toolkitFlags(variant.firstHeaders), std::back_inserter(command));
    for (const std::string& flag : sharedFlags(request, installation))
        command.push_back(flag);
    if (!variant.standard.empty())
        command.push_back("-std=" + variant.standard);
    return command;
}

std::vector<std::string> deviceFlags(const Clang& clang, const CompileRequest& request,
                                     const Installation& installation, const Variant& variant)
{
    std::vector<std::string> command = bothSidesFlags(clang, request, installation, variant);
    append(command, {"--cuda-device-only", "-emit-llvm", "--cuda-feature=+ptx80", "-g", "-gcolumn-info"});
    // Multiply-adds are fused where the source has them in one expression, so that results do not depend on who
    // runs the code; no errno on a GPU, so that math calls become intrinsics.
    append(command, {request.fusesMultiplyAdds ? "-ffp-contract=on" : "-ffp-contract=off", "-fno-math-errno"});
    if (request.flushesSubnormals)
        command.emplace_back("-fgpu-flush-denormals-to-zero");
    // Lanes pass what they never set to shuffles that do not use it; nvcc takes no advantage of that.
    append(command, {"-Xclang", "-no-enable-noundef-analysis"});
    if (request.asCompiled)
        append(command, {"-O2", "--cuda-noopt-device-debug"});
    else
        append(command, {"-O0", "-Xclang", "-disable-O0-optnone"});
    // The source may not be where the GPU is.
    if (request.device == Device::Gpu)
        append(command, {"-Xclang", "-gembed-source"});
    return command;
}

std::vector<std::string> hostFlags(const Clang& clang, const CompileRequest& request, const Installation& installation,
                                   const Variant& variant)
{
    std::vector<std::string> command = bothSidesFlags(clang, request, installation, variant);
    // Integers wrap around, as what checks a kernel's results often takes for granted.
    append(command, {"--cuda-host-only", "-O1", "-fwrapv", "-gline-tables-only"});
    // For executables and libraries alike.
    if (request.product == Product::Object)
        command.emplace_back("-fPIC");
    append(command, request.hostFlags);
    // Clang 19 has it about what its own -march=native finds in newer processors.
    if (std::ranges::find(request.hostFlags, "-march=native") != request.hostFlags.end())
        command.emplace_back("-Wno-invalid-feature-combination");
    return command;
}

}  // namespace

std::string runtimeHeader(const Installation& installation)
{
    return installation.include + "/cuda_runtime.h";
}

std::string identityOf(const std::string& program)
{
    std::error_code ignored;
    const std::string real = std::filesystem::canonical(program, ignored).string();
    struct stat status = {};
    stat(real.c_str(), &status);
    return fmt::format("{} {} {}.{}", real, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

Result<Clang> findClang()
{
    if (const char* chosen = std::getenv("LANESCOPE_CLANG"); chosen && *chosen) {
        const std::string program = findProgram(chosen);
        if (program.empty())
            return Error{Error::Code::NotFound, "LANESCOPE_CLANG is not a program", chosen};
        return identified(program);
    }
    if (const std::string program = findProgram("clang++-19"); !program.empty())
        return identified(program);
    if (const std::string program = findProgram("clang++"); !program.empty() && isVersion19(program))
        return identified(program);
    return Error{Error::Code::NotFound,
                 "clang 19 is needed to compile CUDA programs and 'clang++-19' is not in PATH; "
                 "install it with: apt install clang-19",
                 ""};
}

bool isToolkitsHeaders(const std::string& folder)
{
    std::error_code ignored;
    return std::filesystem::exists(folder + "/cuda_runtime_api.h", ignored) ||
           std::filesystem::exists(folder + "/cuda_fp16.h", ignored);
}

std::vector<std::string> steppedInto(const CompileRequest& request)
{
    namespace fs = std::filesystem;
    std::vector<std::string> given = request.stepInto;
    const char* always = std::getenv("LANESCOPE_STEP_INTO");
    std::istringstream paths(always ? always : "");
    for (std::string path; std::getline(paths, path, ':');)
        if (!path.empty())
            given.push_back(path);
    for (std::string& path : given)
        path = (fs::absolute(path) / "").lexically_normal().parent_path().string();
    return given;
}

std::vector<std::string> libraryFolders(const CompileRequest& request)
{
    namespace fs = std::filesystem;
    const std::vector<std::string> own = steppedInto(request);
    const auto isOwn = [&](const fs::path& folder) {
        return std::ranges::any_of(own, [&](const std::string& path) {
            const fs::path inside = folder.lexically_relative(path);
            return !inside.empty() && *inside.begin() != "..";
        });
    };
    std::vector<std::string> found;
    if (request.asCompiled)
        return found;
    const fs::path source = fs::absolute(request.source).lexically_normal();
    for (const std::vector<std::string>* folders : {&request.includeDirectories, &request.systemDirectories})
        for (const std::string& folder : *folders) {
            // A slash at the end would be a name of its own.
            const fs::path whole = (fs::absolute(folder) / "").lexically_normal().parent_path();
            const fs::path inside = source.lexically_relative(whole);
            if (!isToolkitsHeaders(folder) && (inside.empty() || *inside.begin() == "..") && !isOwn(whole))
                found.push_back(whole.string());
        }
    return found;
}

std::vector<std::string> sharedFlags(const CompileRequest& request, const Installation& installation)
{
    // The SDK version only says that launches go through cudaLaunchKernel; no toolkit is read (-nocudainc, and a
    // --cuda-path that holds none).
    std::vector<std::string> flags{"--cuda-path=" + installation.include,
                                   "-nocudainc",
                                   "-nocudalib",
                                   "-Wno-unknown-cuda-version",
                                   "-Xclang",
                                   "-target-sdk-version=12.4",
                                   "--cuda-gpu-arch=sm_90a"};
    // Libraries that we have as well are those that were given.
    for (const std::string& directory : request.systemDirectories)
        if (!isToolkitsHeaders(directory) && holdsPartOfCccl(directory))
            append(flags, {"-isystem", directory});
    append(flags, {"-isystem", installation.include});
    // What nvcc takes without a word. Headers that only the samples or a profiler bring come last of all.
    append(flags,
           {"-Wno-c++11-narrowing", "-Wno-vla-cxx-extension", "-Wno-unused-value", "-Wunused-result", "-Wno-format",
            "-Wno-implicit-const-int-float-conversion", "-Wno-unknown-attributes", "-Wno-register",
            "-Wno-reserved-user-defined-literal", "-Wno-dynamic-exception-spec", "-Wno-empty-body",
            "-Wno-delete-abstract-non-virtual-dtor", "-Wno-delete-non-abstract-non-virtual-dtor",
            "-Wno-deprecated-declarations", "-Wno-pass-failed", "-idirafter", installation.include + "/fallback"});
    // What is undefined, but does under nvcc what its author expects: a value read as another type, and a function
    // that ends without the value it promised to callers who do not look at it.
    append(flags, {"-fno-strict-aliasing", "-fno-strict-return", "-Wno-return-type"});
    // Declared to be overloaded, not called.
    append(flags, {"-Xclang", "-fcuda-allow-variadic-functions"});
    if (!request.toolkit.empty())
        append(flags, {"-idirafter", request.toolkit + "/include", "-idirafter", request.toolkit + "/include/cccl"});
    for (const std::string& directory : request.includeDirectories)
        append(flags, {isToolkitsHeaders(directory) ? "-idirafter" : "-I", directory});
    for (const std::string& directory : request.systemDirectories)
        append(flags, {isToolkitsHeaders(directory) ? "-idirafter" : "-isystem", directory});
    for (const std::string& definition : request.definitions)
        flags.push_back("-D" + definition);
    append(flags, request.preprocessing);
    if (request.relocatable)
        flags.emplace_back("-fgpu-rdc");
    return flags;
}

std::vector<std::string> deviceCommand(const Clang& clang, const CompileRequest& request,
                                       const Installation& installation, const Variant& variant,
                                       const std::string& output)
{
    std::vector<std::string> command = deviceFlags(clang, request, installation, variant);
    if (variant.isBeforePasses)
        append(command, {"-Xclang", "-disable-llvm-passes"});
    return forProgram(std::move(command), request, installation, variant, variant.images.device, output);
}

std::vector<std::string> hostCommand(const Clang& clang, const CompileRequest& request,
                                     const Installation& installation, const Variant& variant,
                                     const std::string& placeholder, const std::string& output)
{
    std::vector<std::string> command = hostFlags(clang, request, installation, variant);
    append(command, {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", placeholder});
    return forProgram(std::move(command), request, installation, variant, variant.images.host, output);
}

std::vector<std::string> preprocessCommand(const Clang& clang, const CompileRequest& request,
                                           const Installation& installation, const std::vector<std::string>& more)
{
    std::vector<std::string> command = hostFlags(clang, request, installation, {request.standard, {}, {}, {}, false});
    std::erase(command, "-c");
    append(command, {"-include", runtimeHeader(installation)});
    append(command, more);
    command.push_back(request.source);
    return command;
}

std::vector<std::string> deviceImageCommand(const Clang& clang, const CompileRequest& request,
                                            const Installation& installation, const Variant& variant,
                                            const std::string& header, const std::string& output)
{
    return forImage(deviceFlags(clang, request, installation, variant), header, output);
}

std::vector<std::string> hostImageCommand(const Clang& clang, const CompileRequest& request,
                                          const Installation& installation, const Variant& variant,
                                          const std::string& header, const std::string& output)
{
    return forImage(hostFlags(clang, request, installation, variant), header, output);
}

std::vector<std::string> linkCommand(const Clang& clang, const Installation& installation)
{
    std::vector<std::string> command{clang.program, "-o", "program", "host.o",
                                     installation.library + "/lanescope_start.o"};
    append(command, runtimeFlags(installation));
    append(command, {"-Wl,-z,noexecstack", "-Wl,--format=binary,device.bc,device.ptx,program.info,--format=default"});
    return command;
}

std::vector<std::string> sanitizerFlags(const Installation& installation)
{
#ifdef LANESCOPE_SANITIZER_LIBRARY
    if (installation.library == LANESCOPE_OWN_LIBRARY)
        return {"-Wl,--no-as-needed", LANESCOPE_SANITIZER_LIBRARY,
                "-Wl,-rpath," + std::filesystem::path(LANESCOPE_SANITIZER_LIBRARY).parent_path().string()};
#endif
    (void)installation;
    return {};
}

std::vector<std::string> runtimeEnvironment(const Installation& installation)
{
#ifdef LANESCOPE_SANITIZER_LIBRARY
    if (installation.library != LANESCOPE_OWN_LIBRARY)
        return {"LD_PRELOAD=" LANESCOPE_SANITIZER_LIBRARY, "LD_LIBRARY_PATH=" LANESCOPE_OWN_LIBRARY};
#endif
    (void)installation;
    return {};
}

std::vector<std::string> runtimeFlags(const Installation& installation)
{
    std::vector<std::string> command = sanitizerFlags(installation);
    // The runtime wants to know which blocks of the heap the program has taken (host_heap.h).
    for (const char* name : {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free", "_Znwm", "_Znam",
                             "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"})
        command.push_back(std::string("-Wl,--wrap=") + name);
    append(command, {"-L" + installation.library, "-llanescope_runtime", "-Wl,--push-state,--as-needed",
                     "-llanescope_math", "-Wl,--pop-state", "-Wl,-rpath," + installation.library + ":$ORIGIN"});
    return command;
}

}  // namespace lanescope::compiler
