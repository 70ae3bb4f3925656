// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last factors of some threads lie behind the buffer; as compiled the reads are a row of multiply-adds.
// check: --as-compiled
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTaps = 9;

__global__ void filter(const float* in, const float* taps, float* out, int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < kTaps; ++k)
        sum += in[t + k] * taps[k];  // expect: out-of-bounds
    out[t] = sum;
}

int main()
{
    constexpr int kCount = 128;
#ifdef FIXED
    constexpr int kOut = kCount - kTaps + 1;
#else
    constexpr int kOut = kCount;
#endif
    float host[kCount], *in, *taps, *out;
    for (int i = 0; i < kCount; ++i)
        host[i] = float(i % 5);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&taps, kTaps * sizeof(float));
    cudaMalloc(&out, kOut * sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(taps, host, kTaps * sizeof(float), cudaMemcpyHostToDevice);
    filter<<<2, 64>>>(in, taps, out, kOut);
    cudaMemcpy(host, out, kOut * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(in);
    cudaFree(taps);
    cudaFree(out);
    return 0;
}
