// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New coefficients go up while a kernel of another stream still uses the old ones.
#include <cuda_runtime.h>
__constant__ float taps[5];
__global__ void filter(float* out, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 5; ++k)
        sum += taps[k] * in[(i + k) % n];
    out[i] = sum;
}
int main()
{
    const int n = 128;
    float *in, *out, first[5] = {1, 2, 3, 2, 1}, second[5] = {0, 1, 2, 1, 0};
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMemcpyToSymbol(taps, first, sizeof first);
    cudaDeviceSynchronize();
    filter<<<1, 128, 0, a>>>(out, in, n);
#ifdef FIXED
    cudaStreamSynchronize(a);
#endif
    cudaMemcpyToSymbolAsync(taps, second, sizeof second, 0, cudaMemcpyHostToDevice, b);  // expect: global-race error
    cudaDeviceSynchronize();
    filter<<<1, 128, 0, b>>>(out, in, n);
    cudaDeviceSynchronize();
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(in);
    cudaFree(out);
}
