// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two barriers on one line are still two.
#include <cstdio>

__global__ void twice(int* out)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    s[t] = t;
#ifdef FIXED
    __syncthreads();
#else
    // clang-format off
    if (t == 5) { s[t] = 2; __syncthreads(); } else { s[t] = 1; } __syncthreads();  // expect: divergent-barrier
    // clang-format on
#endif
    out[t] = s[63 - t];
}

int main()
{
    int h[64], *out;
    cudaMalloc(&out, sizeof h);
    twice<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[3]);
    cudaFree(out);
}
