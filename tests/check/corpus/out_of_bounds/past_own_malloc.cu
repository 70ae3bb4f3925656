// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's own piece of the heap is one element too short.
#include <cstdio>

__global__ void prefix(int* out, int n)
{
    int* sums = static_cast<int*>(malloc(n * sizeof(int)));
    sums[0] = 1;
#ifdef FIXED
    for (int i = 1; i < n; ++i)
#else
    for (int i = 1; i <= n; ++i)
#endif
        sums[i] = sums[i - 1] + i;  // expect: out-of-bounds
    *out = sums[n - 1];
    free(sums);
}

int main()
{
    int h[1], *out;
    cudaMalloc(&out, sizeof h);
    prefix<<<1, 1>>>(out, 5);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(out);
}
