// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thread 0 sets a shared flag; the others read it without waiting.
#include <cstdio>

__global__ void scale(float* data, const float* factor, int n)
{
    __shared__ float f;
    if (threadIdx.x == 0)
        f = *factor;  // expect: shared-race
#ifdef FIXED
    __syncthreads();
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= f;
}

int main()
{
    const int n = 300;
    float h[n], two = 2.0f;
    for (int i = 0; i < n; ++i) h[i] = i;
    float *d, *f;
    cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&f, sizeof(float));
    cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(f, &two, sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 127) / 128, 128>>>(d, f, n);
    cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[n - 1]);
    cudaFree(d);
    cudaFree(f);
    return 0;
}
