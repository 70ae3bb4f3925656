// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Read and write of one's own element, through aliases of one array.
#include <cstdio>

__global__ void scale(float* out, const float* in, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * f;
}

int main()
{
    float h[77], *a;
    for (int i = 0; i < 77; ++i) h[i] = i;
    cudaMalloc(&a, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    scale<<<3, 32>>>(a, a, 3.0f, 77);
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    return h[76] == 228 ? 0 : 1;
}
