// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `<=` where `<` is meant.
#include <stdio.h>

__global__ void vectorAdd(const float* A, const float* B, float* C, int numElements)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
#ifdef FIXED
    if (i < numElements)
#else
    if (i <= numElements)
#endif
        C[i] = A[i] + B[i];  // expect: out-of-bounds error
}

int main(void)
{
    int numElements = 1000;
    size_t size = numElements * sizeof(float);
    float* h = new float[numElements];
    for (int i = 0; i < numElements; ++i) h[i] = i;
    float *d_A = NULL, *d_B = NULL, *d_C = NULL;
    cudaMalloc((void**)&d_A, size);
    cudaMalloc((void**)&d_B, size);
    cudaMalloc((void**)&d_C, size);
    cudaMemcpy(d_A, h, size, cudaMemcpyHostToDevice);
    cudaMemcpy(d_B, h, size, cudaMemcpyHostToDevice);
    int threadsPerBlock = 256;
    int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
    cudaMemcpy(h, d_C, size, cudaMemcpyDeviceToHost);
    printf("%f\n", h[999]);
    cudaFree(d_A);
    cudaFree(d_B);
    cudaFree(d_C);
    delete[] h;
    return 0;
}
