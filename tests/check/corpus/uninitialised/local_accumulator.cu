// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A local sum that starts with whatever is in the register.
#include <cstdio>

__global__ void dot(const float* a, const float* b, float* out, int n)
{
#ifdef FIXED
    float sum = 0.0f;
#else
    float sum;
#endif
    for (int i = 0; i < n; ++i)
        sum += a[i] * b[i];  // expect: uninitialised-read
    out[0] = sum;
}

int main()
{
    float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, r, *a, *out;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    dot<<<1, 1>>>(a, a, out, 8);
    cudaMemcpy(&r, out, sizeof r, cudaMemcpyDeviceToHost);
    printf("%g\n", r);
    cudaFree(a);
    cudaFree(out);
}
