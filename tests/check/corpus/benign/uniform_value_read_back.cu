// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread stores the same number and reads it back: it finds its own, whoever came last.
#include <cstdio>

__global__ void spread(int n, int* common, int* out)
{
    __shared__ int count;
    count = n;
    *common = n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = count;
    __syncthreads();
    out[i] += *common;
}

int main()
{
    int h[128], *common, *out;
    cudaMalloc(&common, sizeof(int));
    cudaMalloc(&out, sizeof h);
    spread<<<2, 64>>>(7, common, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(common);
    cudaFree(out);
    return h[0] == 14 && h[127] == 14 ? 0 : 1;
}
