// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears twice as many bytes as there are, in a helper.
#include <cstdio>

static void clear(int* p, size_t n)
{
    cudaMemset(p, 0, n * sizeof(int));  // expect: out-of-bounds
}

int main()
{
    int* d;
    cudaMalloc((void**)&d, 100 * sizeof(int));
#ifdef FIXED
    clear(d, 100);
#else
    clear(d, 200);
#endif
    cudaFree(d);
}
