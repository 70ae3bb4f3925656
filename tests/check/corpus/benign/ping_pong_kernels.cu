// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jacobi iterations: a kernel per step, the buffers change places.
#include <cstdio>
#include <utility>

__global__ void step(const float* a, float* b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float l = i ? a[i - 1] : a[i], r = i < n - 1 ? a[i + 1] : a[i];
        b[i] = (l + r) * 0.5f;
    }
}

int main()
{
    const int n = 90;
    float h[n], *a, *b;
    for (float& v : h) v = 1;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    for (int it = 0; it < 5; ++it) {
        step<<<3, 32>>>(a, b, n);
        std::swap(a, b);
    }
    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    return h[7] == 1 ? 0 : 1;
}
