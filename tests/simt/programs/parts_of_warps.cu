// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps that lack lanes: at borders, in triangular loops, behind branches; with values of all widths that lanes which
// are not there keep meanwhile, and addresses that are on a line for some lanes alone.
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kSize = 150;
constexpr int kSide = 45;

/// Lanes of one pointer part and meet again: neither line holds for all of them.
__host__ __device__ void linesThatPart(int t, const int* in, int* out)
{
    int i = t;
    if (t % 32 < 20)
        i = t + 3;
    out[t] = in[i];
    if (t & 1)
        i = kSize - 1 - t;
    out[kSize + t] = in[i] + i;
}

/// Each lane goes round as often as it says, and keeps what it had when it left.
template <typename T>
__host__ __device__ void leave(int t, const T*, T* out)
{
    T sum = static_cast<T>(t), last = 0;
    for (int k = 0; k < t % 37; ++k) {
        last = sum;
        sum = static_cast<T>(sum * 3 / 2 + k);
    }
    if (t < kSize - 7) {
        out[t] = sum;
        out[kSize + t] = last;
    }
}

template <typename T>
__host__ __device__ void border(int t, const T* in, T* out)
{
    if (t < 1 || t >= kSize - 1)
        return;
    out[t] = static_cast<T>(in[t - 1] + in[t] * 2 + in[t + 1]);
}

/// The part of a symmetric matrix above the diagonal, written to both sides.
__host__ __device__ void triangle(int i, const int* in, int* out)
{
    if (i >= kSide)
        return;
    for (int j = i; j < kSide; ++j) {
        int sum = 0;
        for (int k = 0; k <= j - i; ++k)
            sum += in[k * kSide + i] * in[k * kSide + j];
        out[i * kSide + j] = sum;
        out[j * kSide + i] = sum;
    }
}

/// Halves that go different ways in turns, and reach for each other's words.
__host__ __device__ void turns(int t, const int64_t* in, int64_t* out)
{
    int64_t value = in[t];
    for (int round = 0; round < 5; ++round) {
        if (t % 32 < 16)
            value += in[(t + round) % 64];
        else if (t % 3)
            value -= in[63 - t % 64];
        else
            value ^= int64_t{1} << (t % 48);
        if (value % 7 == 0)
            continue;
        value *= t % 2 ? 3 : 5;
    }
    out[t] = value;
}

template <typename T, void (*function)(int, const T*, T*)>
__global__ void each(const T* in, T* out)
{
    function(static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), in, out);
}

/// How many results differ from the host's.
template <typename T, void (*function)(int, const T*, T*)>
int differences(int threads)
{
    std::vector<T> in(kSide * kSide), expected(in.size()), found(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<T>(i * i % 23);
    for (int t = 0; t < threads; ++t)
        function(t, in.data(), expected.data());
    const size_t bytes = in.size() * sizeof(T);
    T *from, *to;
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    cudaMemcpy(from, in.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, bytes);
    each<T, function><<<threads / 32, 32>>>(from, to);
    cudaMemcpy(found.data(), to, bytes, cudaMemcpyDeviceToHost);
    cudaMemset(to, 0, bytes);
    each<T, function><<<1, threads>>>(from, to);
    std::vector<T> again(in.size());
    cudaMemcpy(again.data(), to, bytes, cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    int count = 0;
    for (size_t i = 0; i < in.size(); ++i)
        count += found[i] != expected[i] || again[i] != expected[i];
    return count;
}

template <typename T>
int differencesOf()
{
    return differences<T, border<T>>(160) + differences<T, leave<T>>(160);
}

int main()
{
    int count =
        differences<int, linesThatPart>(128) + differences<int64_t, turns>(160) + differences<int, triangle>(64);
    count += differencesOf<int8_t>() + differencesOf<uint16_t>() + differencesOf<int>() + differencesOf<int64_t>();
    count += differencesOf<float>() + differencesOf<double>();
    std::printf(count ? "%d wrong\n" : "ok\n", count);
}
