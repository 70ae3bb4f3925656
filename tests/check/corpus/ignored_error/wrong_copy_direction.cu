// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The direction does not fit the pointers.
#include <cstdio>

int main()
{
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
#ifdef FIXED
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
#else
    cudaMemcpy(d, h, sizeof h, cudaMemcpyDeviceToHost);  // expect: ignored-error
#endif
    cudaFree(d);
}
