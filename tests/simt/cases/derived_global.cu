// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of what lies in global and constant memory: replay computes them from what the launch found there, from values
// that are recorded where the kernel itself writes, and not at all where a buffer is larger than it keeps.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kThreads = 64, kTerms = 24;
__constant__ float weights[kTerms];

__global__ void sums(const float* in, float* state, float* history)
{
    float sum = 0.5f;
    for (int i = 0; i < kTerms; ++i) {
        sum += in[i * kThreads + threadIdx.x] * weights[i] + state[threadIdx.x];
        history[i * kThreads + threadIdx.x] = sum;
        state[threadIdx.x] = sum * 0.25f;
    }
}

int main()
{
    std::vector<float> host(kThreads * kTerms), given(kTerms);
    for (size_t i = 0; i < host.size(); ++i)
        host[i] = float(i % 37) * 0.125f - 2.0f;
    for (int i = 0; i < kTerms; ++i)
        given[i] = 1.0f / float(i + 1);
    float *in, *state, *history, *large;
    cudaMalloc(&in, host.size() * 4);
    cudaMalloc(&state, kThreads * 4);
    cudaMalloc(&history, host.size() * 4);
    cudaMemcpy(in, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, given.data(), sizeof weights);
    cudaMemset(state, 0, kThreads * 4);
    sums<<<1, kThreads>>>(in, state, history);
    cudaMalloc(&large, 68 << 20);
    cudaMemset(large, 0, 68 << 20);
    sums<<<1, kThreads>>>(in, state, history);
    std::vector<float> out(host.size());
    cudaMemcpy(out.data(), history, out.size() * 4, cudaMemcpyDeviceToHost);
    double total = 0;
    for (const float v : out)
        total += v;
    printf("%.6f\n", total);
    return 0;
}
