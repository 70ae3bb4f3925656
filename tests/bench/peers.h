// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA and the OpenCL program of the kernels in programs/peers.inc share: sizes, input, right answers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace peers {

struct Work {
    std::string kernel;
    int n = 0;                ///< width of a square, or elements
    unsigned groups[2] = {};  ///< x, y
    unsigned group[2] = {};
    std::vector<float> a, b;
    size_t outCount = 0;

    bool square() const { return kernel == "matmul" || kernel == "stencil"; }
};

inline Work workOf(const std::string& kernel, int n)
{
    Work work{kernel, n, {}, {}, {}, {}, 0};
    const size_t count = work.square() ? size_t(n) * size_t(n) : size_t(n);
    uint32_t seed = 1;
    auto next = [&] {
        seed = seed * 1664525u + 1013904223u;
        return float(seed >> 8) / float(1 << 24);
    };
    work.a.resize(count);
    work.b.resize(kernel == "matmul" ? count : 1);
    for (float& v : work.a)
        v = next();
    for (float& v : work.b)
        v = next();
    const unsigned tiles = unsigned(n) / 16, lines = unsigned(n + 255) / 256;
    work.group[0] = work.square() ? 16 : 256;
    work.group[1] = work.square() ? 16 : 1;
    work.groups[0] = work.square() ? tiles : kernel == "histogram" ? 64 : lines;
    work.groups[1] = work.square() ? tiles : 1;
    work.outCount = kernel == "histogram" ? 256 : kernel == "reduction" ? lines : count;
    return work;
}

/// Whether \p out, after one launch from zeros (histogram: \p launches of them), is right where it is looked at.
inline bool isRight(const Work& work, const std::vector<float>& out, int launches)
{
    auto close = [](double x, double y) { return std::fabs(x - y) <= 1e-3 * std::fabs(y) + 1e-4; };
    const auto n = size_t(work.n);
    if (work.kernel == "matmul") {
        for (size_t i = 0; i < n; i += 7) {
            double sum = 0;
            for (size_t k = 0; k < n; ++k)
                sum += work.a[i * n + k] * work.b[k * n + i];
            if (!close(out[i * n + i], sum))
                return false;
        }
        return true;
    }
    if (work.kernel == "stencil") {
        for (size_t i = 1; i + 1 < n; i += 5) {
            const float* at = &work.a[i * n + i];
            if (!close(out[i * n + i], (at[0] + at[-1] + at[1] + *(at - n) + at[n]) * 0.2))
                return false;
        }
        return true;
    }
    if (work.kernel == "histogram") {
        std::vector<int> bins(256), found(256);
        for (float v : work.a)
            bins[size_t(v * 255.99f)] += launches;
        std::memcpy(found.data(), out.data(), 1024);
        return found == bins;
    }
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum = (i % 256 == 0 ? 0 : sum) + work.a[i];
        if (work.kernel == "scan" && !close(out[i], sum))
            return false;
        if (work.kernel == "reduction" && i % 256 == 255 && !close(out[i / 256], sum))
            return false;
    }
    return true;
}

}  // namespace peers
