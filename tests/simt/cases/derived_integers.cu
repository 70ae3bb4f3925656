// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What variables hold follows from where a thread is, from other variables and what it loads: of integers of all
// widths, conversions and comparisons, round loops whose lanes leave at different times.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int kBlocks = 3, kThreads = 48;

__global__ void widths(const int8_t* in, int64_t* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int8_t narrow = in[i];
    const uint8_t wrapped = uint8_t(narrow) * 7u;
    const int16_t half = int16_t(narrow * 300);
    const uint16_t folded = uint16_t(half ^ wrapped);
    const int64_t wide = int64_t(narrow) * 0x123456789abll + half;
    const uint64_t mixed = (uint64_t(wide) >> (i & 31)) | (uint64_t(folded) << 40);
    const int64_t quotient = wide / (i - 20), rest = wide % (i - 20);
    const bool isOdd = (folded & 1) != 0;
    const uint32_t least = min(uint32_t(i), uint32_t(folded)), most = max(-i, int(narrow));
    const double real = double(wide) * 0.5, single = float(mixed);
    const float ratio = float(narrow) / float(i + 1);
    const int chosen = isOdd && ratio < 0.25f ? i << 3 : -i >> 1;
    out[i] = wide + int64_t(mixed) + quotient + rest + isOdd + least + most + int64_t(real) + int64_t(single) +
             int64_t(ratio * 8) + chosen;
}

__global__ void rounds(const int8_t*, int64_t* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t hash = uint32_t(i) * 2654435761u;
    int steps = 0;
    for (int left = i % 11; left > 0 && hash % 13 != 0; --left) {
        hash ^= hash << 13;
        hash ^= hash >> 17;
        for (uint32_t turn = 0; turn < (hash & 3); ++turn)
            steps += int(turn) + left;
        if (hash & 8)
            continue;
        hash += uint32_t(steps);
    }
    float x = 0.0f, y = 0.0f;
    const float cx = float(threadIdx.x) / kThreads - 1.5f, cy = float(blockIdx.x) / kBlocks - 0.5f;
    while (x * x + y * y < 4.0f && steps < 60) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++steps;
    }
    out[i] = int64_t(hash) << 16 | steps;
}

int main()
{
    constexpr int kAll = kBlocks * kThreads;
    int8_t given[kAll];
    for (int i = 0; i < kAll; ++i)
        given[i] = int8_t(i * 37 + 11);
    int8_t* in;
    int64_t* out;
    cudaMalloc(&in, sizeof given);
    cudaMalloc(&out, kAll * sizeof *out);
    cudaMemcpy(in, given, sizeof given, cudaMemcpyHostToDevice);
    widths<<<kBlocks, kThreads>>>(in, out);
    rounds<<<kBlocks, kThreads>>>(in, out);
    int64_t found[kAll], sum = 0;
    cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
    for (const int64_t value : found)
        sum += value;
    std::printf("%lld\n", static_cast<long long>(sum));
}
