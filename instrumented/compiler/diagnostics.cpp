// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/compiler/diagnostics.h"

#include <fmt/format.h>

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
        {"optix", "OptiX"},
        {"cuda_gl_interop", "OpenGL interoperability"},
        {"cuda/", "libcu++"},
        {"cutensor", "cuTENSOR"},
        {"cupti", "CUPTI"},
        {"cudaProfiler", "the driver API"},
        {"cudaTypedefs", "the driver API"},
        {"GL/", "OpenGL"},
        {"nvshmem", "NVSHMEM"},
        {"cufile", "cuFile"},
        {"cuda_egl", "EGL interoperability"}};
    for (const auto& [prefix, name] : kLibraries)
        if (header.rfind(prefix, 0) == 0)
            return std::string(name);
    return {};
}

constexpr std::string_view kTextureReferences = "texture references were removed from CUDA 12";
constexpr std::string_view kTextures = "this use of textures is not supported";

/// The text between two marks; empty when they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after)
{
    const size_t begin = text.find(before);
    if (begin == std::string_view::npos)
        return {};
    const size_t end = text.find(after, begin + before.size());
    return end == std::string_view::npos ? std::string_view()
                                         : text.substr(begin + before.size(), end - begin - before.size());
}

bool startsWith(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

/// Why a name that clang does not know is missing; empty when it is none of CUDA's.
std::string_view whyMissing(std::string_view name)
{
    const auto upper = [&](size_t at) { return at < name.size() && name[at] >= 'A' && name[at] <= 'Z'; };
    if (name == "texture" || name == "surface")
        return kTextureReferences;
    if (startsWith(name, "texCubemap") || startsWith(name, "surfCubemap") ||
        (startsWith(name, "tex") && name.size() > 4 && name[4] == 'D') ||
        (startsWith(name, "surf") && name.size() > 5 && name[5] == 'D'))
        return kTextures;
    if (startsWith(name, "cuda") && upper(4)) {
        for (std::string_view part : {"Tex", "Surf", "Array", "Mipmap", "ReadMode", "Filter", "AddressMode", "Channel"})
            if (name.find(part) != std::string_view::npos)
                return kTextures;
        return "this part of the runtime API is not supported";
    }
    if (startsWith(name, "cublas"))
        return "this part of cuBLAS is not supported";
    if (startsWith(name, "cufft") || startsWith(name, "CUFFT"))
        return "this part of cuFFT is not supported";
    if (startsWith(name, "cusparse") || startsWith(name, "CUSPARSE"))
        return "this part of cuSPARSE is not supported";
    if (startsWith(name, "curand"))
        return "this part of cuRAND is not supported";
    if (startsWith(name, "CUB_") || startsWith(name, "Cub"))
        return "this part of CUB is not supported";
    if ((startsWith(name, "cu") && upper(2)) || (startsWith(name, "CU") && (upper(2) || name[2] == '_')))
        return "this part of the driver API is not supported";
    return {};
}

/// What a line of clang's, behind "error: ", says is missing; empty when it is something else that is wrong.
std::string missingIn(std::string_view error)
{
    constexpr std::string_view kUnavailable = "' is unavailable: ";
    if (const size_t reason = error.find(kUnavailable); reason != std::string_view::npos) {
        const std::string_view name = between(error, "'", "'");
        return std::string(name.substr(0, name.find('<'))) + ": " +
               std::string(error.substr(reason + kUnavailable.size()));
    }
    if (startsWith(error, "reference to __global__ function '") &&
        (error.find("' in __global__") != std::string_view::npos ||
         error.find("' in __device__") != std::string_view::npos))
        return std::string(between(error, "'", "'")) + ": kernels that launch kernels are not supported";
    if (error.find("did you mean") != std::string_view::npos)
        return {};
    for (std::string_view space : {"cooperative_groups", "cuda", "thrust"})
        if (const std::string_view member =
                between(error, "no member named '", "' in namespace '" + std::string(space) + "'");
            startsWith(error, "no member named") && !member.empty())
            return std::string(space) + "::" + std::string(member) + ": not supported";
    for (std::string_view before : {"use of undeclared identifier '", "unknown type name '", "no template named '"})
        if (startsWith(error, before)) {
            const std::string_view name = between(error, "'", "'");
            if (const std::string_view why = whyMissing(name); !why.empty())
                return std::string(name) + ": " + std::string(why);
        }
    return {};
}

/// \p where: "file:line:column". Empty when the header belongs to no library of NVIDIA's.
std::string unsupportedInclude(const std::string& where, const std::string& header)
{
    const std::string library = libraryOf(header);
    if (library.empty())
        return {};
    // Ours of these are a fixed part; all of them can be had.
    const bool isOfCccl = library == "Thrust" || library == "CUB" || library == "libcu++";
    return where + ": #include <" + header + "> is not supported: it needs " + library +
           (isOfCccl ? ", all of it (pip install nvidia-cuda-cccl, or Debian's libthrust-dev libcub-dev libcu++-dev)"
                     : "");
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
    const size_t line = messages.rfind('\n', error);
    return unsupportedInclude(messages.substr(line == std::string::npos ? 0 : line + 1, error - (line + 1)), header);
}

std::string includedLibrary(const std::string& path, const std::string& source, const std::set<std::string>& read,
                            const std::string& ours)
{
    std::istringstream lines(source);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const size_t hash = line.find_first_not_of(" \t");
        const size_t word = hash == std::string::npos ? hash : line.find_first_not_of(" \t", hash + 1);
        if (word == std::string::npos || line[hash] != '#' || line.compare(word, 7, "include") != 0)
            continue;
        const size_t begin = line.find_first_of("<\"", word);
        const size_t end = begin == std::string::npos ? begin : line.find_first_of(">\"", begin + 1);
        if (end == std::string::npos)
            continue;
        const std::string header = line.substr(begin + 1, end - begin - 1);
        const bool foreign = std::any_of(read.begin(), read.end(), [&](const std::string& file) {
            return file.size() > header.size() && file.rfind(ours, 0) != 0 &&
                   file.compare(file.size() - header.size() - 1, std::string::npos, '/' + header) == 0;
        });
        if (!foreign)
            continue;
        if (const std::string library = libraryOf(header); !library.empty())
            return fmt::format("{}:{}:{}: #include <{}>: {} as it was given does not compile here", path, number,
                               begin + 1, header, library);
    }
    return {};
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

std::string missingFeature(const std::string& messages)
{
    constexpr std::string_view kError = ": error: ";
    for (size_t error = messages.find(kError); error != std::string::npos; error = messages.find(kError, error + 1)) {
        const size_t text = error + kError.size();
        const std::string missing =
            missingIn(std::string_view(messages).substr(text, messages.find('\n', text) - text));
        if (missing.empty())
            continue;
        const size_t line = messages.rfind('\n', error);
        const size_t begin = line == std::string::npos ? 0 : line + 1;
        return messages.substr(begin, error - begin) + ": " + missing;
    }
    return {};
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
