// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/device_code.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/temporary_folder.h"
#include "instrumented/compiler/cache.h"
#include "instrumented/compiler/clang.h"
#include "instrumented/compiler/process.h"

namespace lanescope::compiler {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNamePrefix = "__lanescopeName";

/// The source, with a variable per name expression that points to what is meant.
std::string sourceOf(const DeviceCodeRequest& request)
{
    std::string text = request.text + '\n';
    for (size_t i = 0; i < request.nameExpressions.size(); ++i)
        text += fmt::format("extern \"C\" {{ __device__ const void* {}{} = (const void*)({}); }}\n", kNamePrefix, i,
                            request.nameExpressions[i]);
    if (request.functionsAreDevices)
        text += "#pragma clang force_cuda_host_device end\n";
    return text;
}

/// What the name variable \p index points to, from LLVM IR as text; empty when it is not there.
std::string mangledName(const std::string& ir, size_t index)
{
    const size_t line = ir.find(fmt::format("@{}{} = ", kNamePrefix, index));
    const size_t pointer = line == std::string::npos ? line : ir.find("ptr @", line);
    if (pointer == std::string::npos || pointer > ir.find('\n', line))
        return {};
    const size_t begin = pointer + 5;
    if (ir[begin] == '"')
        return ir.substr(begin + 1, ir.find('"', begin + 1) - begin - 1);
    return ir.substr(begin, ir.find_first_of(", )\n", begin) - begin);
}

/// A name that stays in the folder: "a/b.h", not "../b.h".
bool isInside(const std::string& name)
{
    const fs::path path = fs::path(name).lexically_normal();
    return !name.empty() && path.is_relative() && *path.begin() != "..";
}

Result<void> writeBelow(const std::string& folder, const std::string& name, const std::string& text)
{
    std::error_code ignored;
    const fs::path path = fs::path(folder) / name;
    fs::create_directories(path.parent_path(), ignored);
    return writeFile(path.string(), text);
}

std::string sourcesFolder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const fs::path base = cache && *cache ? fs::path(cache)
                          : home && *home ? fs::path(home) / ".cache"
                                          : fs::temp_directory_path();
    return (base / "lanescope/sources/").string();
}

/// Where the source is: a folder by its content, so that each program is there once.
Result<std::string> sourceFolder(const DeviceCodeRequest& request, const std::string& source)
{
    std::string key = source;
    for (const auto& [name, text] : request.headers)
        key.append(1, '\0').append(name).append(1, '\0').append(text);
    const std::string folder = sourcesFolder() + contentHash(key);
    if (Result<void> written = writeBelow(folder, request.name, source); !written)
        return written.error();
    for (const auto& [name, text] : request.headers)
        if (isInside(name))
            if (Result<void> written = writeBelow(folder, name, text); !written)
                return written.error();
    return folder;
}

/// What \p request needs beside what all programs do. \p beginning: a file that may be written.
Result<std::vector<std::string>> ownFlags(const DeviceCodeRequest& request, const std::string& beginning)
{
    if (!request.functionsAreDevices)
        return std::vector<std::string>{};
    // In a file of its own, so that the source's lines keep their numbers.
    if (Result<void> written = writeFile(beginning, "#pragma clang force_cuda_host_device begin\n"); !written)
        return written.error();
    return std::vector<std::string>{"-include", beginning};
}

struct Run {
    bool succeeded = false;
    std::string messages;
};

Result<Run> runClang(std::vector<std::string> command, const std::string& log)
{
    ProcessRequest process;
    process.command = std::move(command);
    process.outputFile = log;
    const Result<pid_t> started = startProcess(process);
    if (!started)
        return started.error();
    const bool succeeded = waitForProcess(started.value()).code == 0;
    return Run{succeeded, textOf(log)};
}

std::vector<std::string> ptxCommand(const Clang& clang, const std::string& bitcode, const std::string& output)
{
    return {clang.program,
            "-cc1",
            "-triple",
            "nvptx64-nvidia-cuda",
            "-target-cpu",
            "sm_90",
            "-target-feature",
            "+ptx83",
            "-O1",
            "-S",
            "-x",
            "ir",
            bitcode,
            "-o",
            output};
}

}  // namespace

Result<DeviceCode> compileDeviceCode(const DeviceCodeRequest& request, const Installation& installation)
{
    const Result<Clang> clang = findClang();
    if (!clang)
        return clang.error();
    if (!isInside(request.name))
        return Error{Error::Code::BadInput, "found a path outside the program's folder, expected a name", request.name};
    const Result<std::string> folder = sourceFolder(request, sourceOf(request));
    if (!folder)
        return folder.error();
    const TemporaryFolder products("device");
    CompileRequest compile;
    compile.source = folder.value() + "/" + request.name;
    compile.includeDirectories = request.includeDirectories;
    compile.includeDirectories.insert(compile.includeDirectories.begin(), folder.value());
    compile.definitions = request.definitions;
    Variant variant;
    variant.standard = request.standard;
    const std::string output = products.file("device.bc");
    const Result<std::vector<std::string>> flags = ownFlags(request, products.file("beginning.h"));
    if (!flags)
        return flags.error();
    const auto commandFor = [&](const std::string& to) {
        std::vector<std::string> command = deviceCommand(clang.value(), compile, installation, variant, to);
        command.insert(command.end(), flags.value().begin(), flags.value().end());
        return command;
    };
    const Result<Run> ran = runClang(commandFor(output), products.file("messages.txt"));
    if (!ran)
        return ran.error();
    if (!ran.value().succeeded)
        return Error{Error::Code::BadInput, ran.value().messages, ""};
    DeviceCode code{textOf(output), {}, ran.value().messages, {}};
    if (request.isToBeLinked) {
        const std::string ptx = products.file("device.ptx");
        const Result<Run> translated = runClang(ptxCommand(clang.value(), output, ptx), products.file("messages.txt"));
        if (!translated)
            return translated.error();
        if (!translated.value().succeeded)
            return Error{Error::Code::Unsupported, translated.value().messages, "code to be linked"};
        code.ptx = textOf(ptx);
    }
    if (request.nameExpressions.empty())
        return code;
    const std::string text = products.file("device.ll");
    std::vector<std::string> command = commandFor(text);
    command.emplace_back("-S");
    if (const Result<Run> again = runClang(command, products.file("messages.txt")); !again)
        return again.error();
    const std::string ir = textOf(text);
    for (size_t i = 0; i < request.nameExpressions.size(); ++i)
        code.mangledNames.push_back(mangledName(ir, i));
    return code;
}

}  // namespace lanescope::compiler
