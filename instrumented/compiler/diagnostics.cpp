// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/diagnostics.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace lanescope::compiler {

namespace {

bool isCountLine(const std::string& line)
{
    return line.find(" generated") != std::string::npos && !line.empty() && line[0] >= '0' && line[0] <= '9';
}

bool startsMessage(const std::string& line)
{
    return line.find(": error: ") != std::string::npos || line.find(": warning: ") != std::string::npos ||
           line.find(": fatal error: ") != std::string::npos || line.rfind("error: ", 0) == 0;
}

/// One element per message: its include stack, its line, its source excerpt and notes.
std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> messages;
    std::istringstream lines(text);
    bool inIncludeStack = false;
    for (std::string line; std::getline(lines, line);) {
        if (isCountLine(line))
            continue;
        const bool includeLine = line.rfind("In file included from", 0) == 0;
        if (messages.empty() || (!inIncludeStack && (includeLine || startsMessage(line))))
            messages.emplace_back();
        inIncludeStack = includeLine;
        messages.back() += line + '\n';
    }
    return messages;
}

/// NVIDIA's name of the library that a header belongs to; empty for any other header.
std::string libraryOf(const std::string& header)
{
    static constexpr std::pair<std::string_view, std::string_view> kLibraries[] = {
        {"thrust/", "Thrust"},
        {"cub/", "CUB"},
        {"cublas", "cuBLAS"},
        {"cufft", "cuFFT"},
        {"cusparse", "cuSPARSE"},
        {"cusolver", "cuSOLVER"},
        {"curand", "cuRAND"},
        {"cudnn", "cuDNN"},
        {"nccl", "NCCL"},
        {"npp", "NPP"},
        {"nvjpeg", "nvJPEG"},
        {"nvrtc", "NVRTC"},
        {"nvml", "NVML"},
        {"cutlass/", "CUTLASS"},
        {"cute/", "CUTLASS"},
        {"optix", "OptiX"},
        {"cuda_gl_interop", "OpenGL interoperability"},
        {"cuda/", "libcu++"},
        {"GL/", "OpenGL"},
        {"nvshmem", "NVSHMEM"},
        {"cufile", "cuFile"},
        {"cuda_egl", "EGL interoperability"}};
    for (const auto& [prefix, name] : kLibraries)
        if (header.rfind(prefix, 0) == 0)
            return std::string(name);
    return {};
}

}  // namespace

std::string missingLibrary(const std::string& messages)
{
    constexpr std::string_view kError = ": fatal error: '";
    constexpr std::string_view kNotFound = "' file not found";
    const size_t error = messages.find(kError);
    const size_t end = messages.find(kNotFound, error);
    if (error == std::string::npos || end == std::string::npos)
        return {};
    const std::string header = messages.substr(error + kError.size(), end - error - kError.size());
    const std::string library = libraryOf(header);
    if (library.empty())
        return {};
    const size_t line = messages.rfind('\n', error);
    const std::string where = messages.substr(line == std::string::npos ? 0 : line + 1, error - (line + 1));
    return where + ": #include <" + header + "> is not supported: it needs " + library;
}

std::string mergeDiagnostics(const std::string& first, const std::string& second)
{
    std::vector<std::string> messages = split(first);
    for (std::string& message : split(second))
        if (std::find(messages.begin(), messages.end(), message) == messages.end())
            messages.push_back(std::move(message));
    std::string text;
    for (const std::string& message : messages)
        text += message;
    return text;
}

std::vector<std::string> takeDiscardedCalls(std::string& messages)
{
    constexpr std::string_view kMark = "'nodiscard' attribute: lanescope [-Wunused-result]";
    std::vector<std::string> places;
    std::string rest;
    for (const std::string& message : split(messages)) {
        const size_t mark = message.find(kMark);
        if (mark == std::string::npos) {
            rest += message;
            continue;
        }
        // "file:line:column: warning: …", perhaps after an include stack
        const size_t begin = message.rfind('\n', mark) + 1;
        const size_t column = message.rfind(':', message.find(": warning: ", begin) - 1);
        places.push_back(message.substr(begin, column - begin));
    }
    messages = rest;
    return places;
}

}  // namespace lanescope::compiler
