// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA and the OpenCL program of the kernels in programs/peers.inc share: sizes, input, right answers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace peers {

/// How a kernel's threads lie over its data.
enum class Shape {
    Tiles,    ///< of 16x16, over a matrix
    Strips,   ///< of 32x8, over a matrix
    Columns,  ///< groups of 256, a thread for each row or column of a matrix
    Line      ///< groups of 256, a thread for each element
};

inline Shape shapeOf(const std::string& kernel)
{
    const auto isOneOf = [&](std::initializer_list<const char*> names) {
        return std::find(names.begin(), names.end(), kernel) != names.end();
    };
    if (isOneOf({"matmul", "stencil"}))
        return Shape::Tiles;
    if (isOneOf({"conv2d", "jacobi", "differences", "rank_k", "eliminate", "transpose", "heat", "mandelbrot"}))
        return Shape::Strips;
    return isOneOf({"rows", "columns", "covariance", "sweep", "recurrence"}) ? Shape::Columns : Shape::Line;
}

struct Work {
    std::string kernel;
    int n = 0;                ///< width of a square, or elements
    unsigned groups[2] = {};  ///< x, y
    unsigned group[2] = {};
    std::vector<float> a, b;
    size_t outCount = 0;
};

inline Work workOf(const std::string& kernel, int n)
{
    Work work{kernel, n, {}, {}, {}, {}, 0};
    const Shape shape = shapeOf(kernel);
    const bool hasMatrix = shape != Shape::Line, covers = shape == Shape::Tiles || shape == Shape::Strips;
    const size_t ofEach = kernel == "particles" ? 7 : 1;
    const size_t count = hasMatrix ? size_t(n) * size_t(n) : size_t(n) * ofEach;
    uint32_t seed = 1;
    auto next = [&] {
        seed = seed * 1664525u + 1013904223u;
        return float(seed >> 8) / float(1 << 24);
    };
    work.a.resize(count);
    work.b.resize(hasMatrix && kernel != "stencil" ? count : 1);
    for (float& v : work.a)
        v = next();
    for (float& v : work.b)
        v = next();
    work.group[0] = shape == Shape::Tiles ? 16 : shape == Shape::Strips ? 32 : 256;
    work.group[1] = shape == Shape::Tiles ? 16 : shape == Shape::Strips ? 8 : 1;
    const auto groupsOf = [&](unsigned size) { return (unsigned(n) + size - 1) / size; };
    work.groups[0] = kernel == "histogram" ? 64 : groupsOf(work.group[0]);
    work.groups[1] = covers ? groupsOf(work.group[1]) : 1;
    work.outCount = kernel == "histogram" ? 256 : kernel == "reduction" ? work.groups[0] : count;
    return work;
}

/// Processor time of this process, in seconds.
inline double processorSeconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// What both programs print: the best time of a launch, the median of its processor time, and the sum of what came out.
inline void print(double best, std::vector<double> processor, const std::vector<float>& out)
{
    std::sort(processor.begin(), processor.end());
    double sum = 0;
    for (float v : out)
        sum += v;
    std::printf("%.9f %.9f %.9g\n", best, processor[processor.size() / 2], sum);
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
    if (work.kernel != "scan" && work.kernel != "reduction")
        return true;  // who runs both programs compares their sums
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
