// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/nvcc_files.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

namespace lanescope::cli {

namespace fs = std::filesystem;

Language languageOf(const std::string& file, const std::string& given)
{
    const std::string extension = fs::path(file).extension().string();
    const auto isOne = [&](std::initializer_list<const char*> list) {
        return std::ranges::any_of(list, [&](const char* one) { return extension == one; });
    };
    // A shared library's version may follow: libx.so.1.2
    if (isOne({".o", ".a", ".so", ".obj", ".lo"}) ||
        fs::path(file).filename().string().find(".so.") != std::string::npos)
        return Language::Object;
    if (given == "cu" || (given.empty() && extension == ".cu"))
        return Language::Cuda;
    if (given == "c" || (given.empty() && isOne({".c", ".i"})))
        return Language::C;
    if (given == "c++" || (given.empty() && isOne({".cpp", ".cc", ".cxx", ".C", ".c++", ".ii"})))
        return Language::Cxx;
    return Language::Unknown;
}

bool isInTheRuntime(const std::string& library)
{
    // clang-format off
    static constexpr const char* kNames[] = {
        "cudart", "cudart_static", "cudadevrt", "cuda", "cublas", "cublas_static", "cublasLt", "culibos",
        "cublasLt_static", "curand", "curand_static", "cusparse", "cufft", "cusolver", "cusolverMg",
        "cusparse_static", "cufft_static", "cusolver_static", "nvToolsExt", "cufftw", "nppc", "nppif", "nccl", "nccl_static"};
    // clang-format on
    return std::ranges::any_of(kNames, [&](const char* name) { return library == name; });
}

std::string standIn(const std::string& library)
{
    static constexpr std::pair<const char*, const char*> kNames[] = {
        {"nvrtc", "libnvrtc.so.13"}, {"nvJitLink", "libnvJitLink.so.13"}, {"nvidia-ml", "libnvidia-ml.so.1"}};
    for (const auto& [name, file] : kNames)
        if (library == name)
            return file;
    return {};
}

std::string escapedForMake(const std::string& file)
{
    std::string text;
    for (const char c : file) {
        if (c == ' ' || c == '#')
            text += '\\';
        if (c == '$')
            text += '$';
        text += c;
    }
    return text;
}

std::string makeRule(const std::string& target, const std::vector<std::string>& files, bool addsPhonyTargets)
{
    std::string text = target + ":";
    std::string phony;
    for (const std::string& file : files) {
        text += " \\\n  " + escapedForMake(file);
        if (addsPhonyTargets)
            phony += escapedForMake(file) + ":\n";
    }
    return text + '\n' + phony;
}

}  // namespace lanescope::cli
