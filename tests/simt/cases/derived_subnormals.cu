// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products of numbers that get subnormal: with -ftz=true a launch takes them for 0, which replay has to show.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void shrink(float* out, float factor)
{
    float value = 1e-30f * float(threadIdx.x + 1);
    for (int i = 0; i < 12; ++i)
        value = value * factor + 1e-40f;
    out[threadIdx.x] = value;
}

int main()
{
    float *out, found[32];
    cudaMalloc(&out, sizeof found);
    shrink<<<1, 32>>>(out, 0.125f);
    cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
    std::printf("%g %g\n", found[0], found[31]);
}
