// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More is copied up than the vector holds.
#include <cuda_runtime.h>
#include <vector>
int main()
{
    std::vector<float> host(64, 1.0f);
    float* x;
    cudaMalloc(&x, 128 * sizeof(float));
#ifdef FIXED
    cudaMemcpy(x, host.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
#else
    cudaMemcpy(x, host.data(), 128 * sizeof(float), cudaMemcpyHostToDevice);  // expect: out-of-bounds error
#endif
    cudaFree(x);
}
