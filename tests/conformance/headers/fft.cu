// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuFFT beside sums written out: each type, dimension, batch and layout, in place and not. What it leaves alone, too.
#include <cufft.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Complex = std::complex<double>;

#define CHECK(call) check(#call, static_cast<int>(call))

static void check(const char* text, int status)
{
    if (status == 0)
        return;
    std::printf("%s: %d\n", text, status);
    std::exit(1);
}

static double someNumber(size_t i)
{
    return static_cast<double>(i * 2654435761u % 1000) / 500 - 1;
}

/// Of an array of three dimensions, by the definition.
static std::vector<Complex> sums(const std::vector<Complex>& x, const int n[3], int sign)
{
    std::vector<Complex> y(x.size());
    for (int a = 0; a < n[0]; ++a)
        for (int b = 0; b < n[1]; ++b)
            for (int c = 0; c < n[2]; ++c)
                for (int i = 0; i < n[0]; ++i)
                    for (int j = 0; j < n[1]; ++j)
                        for (int k = 0; k < n[2]; ++k)
                            y[(size_t(a) * n[1] + b) * n[2] + c] +=
                                x[(size_t(i) * n[1] + j) * n[2] + k] *
                                std::polar(1.0, sign * 2 * 3.14159265358979323846 *
                                                    (double(a * i % n[0]) / n[0] + double(b * j % n[1]) / n[1] +
                                                     double(c * k % n[2]) / n[2]));
    return y;
}

struct Shape {
    int n[3];
    int batches;
    int embed[3];  ///< of the complex side; all 0: dense
    int stride, distance;
};

/// Elements of one side, in numbers of \p parts each.
struct Side {
    int n[3];
    int embed[3];
    int stride, distance, parts;

    size_t at(int batch, int i, int j, int k) const
    {
        return (size_t(batch) * distance + ((size_t(i) * embed[1] + j) * embed[2] + k) * stride) * parts;
    }
};

static Side sideOf(const Shape& s, bool isReal, bool hasReal, bool inPlace)
{
    Side side{{s.n[0], s.n[1], s.n[2]}, {s.embed[0], s.embed[1], s.embed[2]}, s.stride, s.distance, isReal ? 1 : 2};
    if (hasReal && !isReal)
        side.n[2] = s.n[2] / 2 + 1;
    if (s.embed[0] == 0) {
        for (int i = 0; i < 3; ++i)
            side.embed[i] = side.n[i];
        if (isReal && inPlace)
            side.embed[2] = (s.n[2] / 2 + 1) * 2;
        side.stride = 1;
        side.distance = side.embed[0] * side.embed[1] * side.embed[2];
    }
    return side;
}

template <class T>
static void compare(const char* name, const Shape& s, cufftType type, int sign, bool inPlace, int rank)
{
    const bool fromReal = type == CUFFT_R2C || type == CUFFT_D2Z;
    const bool toReal = type == CUFFT_C2R || type == CUFFT_Z2D;
    const Side in = sideOf(s, fromReal, fromReal || toReal, inPlace);
    const Side out = sideOf(s, toReal, fromReal || toReal, inPlace);
    const size_t total = 4096;
    std::vector<T> x(total), y(total), before;
    // Inputs of a real result are halves of its transform.
    std::vector<std::vector<Complex>> given, wanted;
    for (int batch = 0; batch < s.batches; ++batch) {
        std::vector<Complex> values(size_t(s.n[0]) * s.n[1] * s.n[2]);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] =
                fromReal || toReal ? Complex(someNumber(i + batch)) : Complex(someNumber(i), someNumber(7 * i + batch));
        given.push_back(toReal ? sums(values, s.n, -1) : values);
        wanted.push_back(sums(given.back(), s.n, sign));
    }
    for (size_t i = 0; i < total; ++i)
        x[i] = y[i] = T(1000 + i);
    const auto each = [&](const Side& side, auto visit) {
        for (int batch = 0; batch < s.batches; ++batch)
            for (int i = 0; i < side.n[0]; ++i)
                for (int j = 0; j < side.n[1]; ++j)
                    for (int k = 0; k < side.n[2]; ++k)
                        visit(batch, (size_t(i) * s.n[1] + j) * s.n[2] + k, side.at(batch, i, j, k));
    };
    each(in, [&](int batch, size_t index, size_t at) {
        x[at] = T(given[batch][index].real());
        if (!fromReal)
            x[at + 1] = T(given[batch][index].imag());
    });
    before = inPlace ? x : y;
    T *dx, *dy;
    cudaMalloc(&dx, total * sizeof(T));
    cudaMalloc(&dy, total * sizeof(T));
    cudaMemcpy(dx, x.data(), total * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), total * sizeof(T), cudaMemcpyHostToDevice);
    cufftHandle plan;
    int n[3], embed[3];
    for (int i = 0; i < rank; ++i) {
        n[i] = s.n[3 - rank + i];
        embed[i] = s.embed[3 - rank + i];
    }
    const bool dense = s.embed[0] == 0;
    CHECK(cufftPlanMany(&plan, rank, n, dense ? nullptr : embed, s.stride, s.distance, dense ? nullptr : embed,
                        s.stride, s.distance, type, s.batches));
    T* to = inPlace ? dx : dy;
    switch (type) {
    case CUFFT_C2C:
        CHECK(cufftExecC2C(plan, (cufftComplex*)dx, (cufftComplex*)to, sign));
        break;
    case CUFFT_R2C:
        CHECK(cufftExecR2C(plan, (cufftReal*)dx, (cufftComplex*)to));
        break;
    case CUFFT_C2R:
        CHECK(cufftExecC2R(plan, (cufftComplex*)dx, (cufftReal*)to));
        break;
    case CUFFT_Z2Z:
        CHECK(cufftExecZ2Z(plan, (cufftDoubleComplex*)dx, (cufftDoubleComplex*)to, sign));
        break;
    case CUFFT_D2Z:
        CHECK(cufftExecD2Z(plan, (cufftDoubleReal*)dx, (cufftDoubleComplex*)to));
        break;
    case CUFFT_Z2D:
        CHECK(cufftExecZ2D(plan, (cufftDoubleComplex*)dx, (cufftDoubleReal*)to));
        break;
    }
    cudaMemcpy(y.data(), to, total * sizeof(T), cudaMemcpyDeviceToHost);
    double largest = 0, error = 0;
    std::vector<bool> written(total);
    each(out, [&](int batch, size_t index, size_t at) {
        const Complex value(y[at], toReal ? 0 : y[at + 1]);
        error = std::max(error, std::abs(value - wanted[batch][index]));
        largest = std::max(largest, std::abs(wanted[batch][index]));
        written[at] = true;
        if (!toReal)
            written[at + 1] = true;
    });
    // Whether a transform in place leaves gaps of its own rows alone, nobody promises.
    size_t touched = 0;
    for (size_t i = 0; i < total && !inPlace; ++i)
        touched += !written[i] && y[i] != before[i];
    const double relative = error / largest;
    const bool isRight = relative < (sizeof(T) == 4 ? 1e-5 : 1e-13);
    std::printf("%s %dx%dx%d x%d%s%s: %s, %zu others touched\n", name, s.n[0], s.n[1], s.n[2], s.batches,
                dense ? "" : " strided", inPlace ? " in place" : "", isRight ? "right" : "WRONG", touched);
    CHECK(cufftDestroy(plan));
    cudaFree(dx);
    cudaFree(dy);
}

int main()
{
    const struct {
        Shape shape;
        int rank;
    } cases[] = {{{{1, 1, 16}, 1, {}, 1, 0}, 1},         {{{1, 1, 15}, 3, {}, 1, 0}, 1},
                 {{{1, 1, 1}, 2, {}, 1, 0}, 1},          {{{1, 6, 8}, 2, {}, 1, 0}, 2},
                 {{{1, 5, 7}, 1, {}, 1, 0}, 2},          {{{4, 3, 6}, 2, {}, 1, 0}, 3},
                 {{{1, 1, 12}, 3, {1, 1, 14}, 3, 1}, 1}, {{{1, 4, 6}, 2, {1, 5, 8}, 2, 90}, 2}};
    for (const auto& [shape, rank] : cases) {
        compare<float>("C2C forward", shape, CUFFT_C2C, -1, false, rank);
        compare<float>("C2C inverse", shape, CUFFT_C2C, 1, true, rank);
        compare<double>("Z2Z forward", shape, CUFFT_Z2Z, -1, true, rank);
        compare<float>("R2C", shape, CUFFT_R2C, -1, false, rank);
        compare<double>("D2Z", shape, CUFFT_D2Z, -1, false, rank);
        compare<float>("C2R", shape, CUFFT_C2R, 1, false, rank);
        compare<double>("Z2D", shape, CUFFT_Z2D, 1, false, rank);
        if (shape.embed[0] == 0) {
            compare<float>("R2C", shape, CUFFT_R2C, -1, true, rank);
            compare<double>("Z2D", shape, CUFFT_Z2D, 1, true, rank);
        }
    }
    cufftHandle plan;
    size_t bytes = 0;
    CHECK(cufftCreate(&plan));
    CHECK(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes));
    std::printf("%d %d %d %d\n", cufftExecR2C(plan, nullptr, nullptr) != CUFFT_SUCCESS,
                cufftPlan1d(&plan, 0, CUFFT_C2C, 1), cufftPlan1d(&plan, 8, cufftType(1), 1), cufftDestroy(77));
    return 0;
}
