// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host copies n bytes, not n elements.
#include <cstdio>

__global__ void square(const int* in, int* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];  // expect: uninitialised-read
}

int main()
{
    const int n = 64;
    int h[n], *in, *out;
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
#ifdef FIXED
    cudaMemcpy(in, h, n * sizeof(int), cudaMemcpyHostToDevice);
#else
    cudaMemcpy(in, h, n, cudaMemcpyHostToDevice);
#endif
    square<<<2, 32>>>(in, out, n);
    cudaMemcpy(h, out, n * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : h) sum += v;
    printf("%d\n", sum);
    cudaFree(in);
    cudaFree(out);
}
