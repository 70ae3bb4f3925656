// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum within a warp that counts on lanes in step: other orders of the lanes give another sum.
// check: --explore 2
#include <cstdio>

__global__ void shift_and_add(int* out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
#ifdef FIXED
    int right = t < 31 ? s[t + 1] : 0;
    __syncwarp();
    s[t] += right;
#else
    if (t < 31)
        s[t] += s[t + 1];  // expect: shared-race
#endif
    out[t] = s[t];  // expect: result-depends-on-schedule
}

int main()
{
    int h[32], *out;
    cudaMalloc(&out, sizeof h);
    shift_and_add<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(out);
}
