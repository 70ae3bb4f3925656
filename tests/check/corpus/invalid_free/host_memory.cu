// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and cudaFree do not go together.
#include <cstdlib>

int main()
{
    float* h = (float*)malloc(100 * sizeof(float));
    float* d;
    cudaMalloc(&d, 100 * sizeof(float));
    cudaFree(d);
#ifdef FIXED
    free(h);
#else
    cudaFree(h);  // expect: invalid-free
#endif
}
