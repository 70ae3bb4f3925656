// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy is longer than the buffer it goes to.
#include <cstdio>

int main()
{
    float host[64] = {}, *d;
    cudaMalloc(&d, 32 * sizeof(float));
#ifdef FIXED
    cudaMemcpy(d, host, 32 * sizeof(float), cudaMemcpyHostToDevice);
#else
    cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);  // expect: out-of-bounds error
#endif
    cudaFree(d);
    return 0;
}
