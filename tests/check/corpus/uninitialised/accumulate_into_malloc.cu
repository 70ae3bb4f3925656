// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// += into memory that cudaMalloc did not clear.
#include <cstdio>

__global__ void accumulate(float* sum, const float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += v[i];  // expect: uninitialised-read
}

int main()
{
    const int n = 200;
    float h[n];
    for (int i = 0; i < n; i++) h[i] = 0.5f * i;
    float *v, *sum;
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&sum, n * sizeof(float));
#ifdef FIXED
    cudaMemset(sum, 0, n * sizeof(float));
#endif
    cudaMemcpy(v, h, n * sizeof(float), cudaMemcpyHostToDevice);
    accumulate<<<2, 128>>>(sum, v, n);
    cudaMemcpy(h, sum, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[10]);
    cudaFree(v);
    cudaFree(sum);
}
