// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread writes its own value to one cell: last one wins.
#include <cstdio>

__global__ void pick(int* out, const int* in)
{
    __shared__ int chosen;
    if (in[threadIdx.x] > 5)
#ifdef FIXED
        chosen = 1;  // the same value from all of them is no defect
#else
        chosen = threadIdx.x;  // expect: shared-race
#endif
    __syncthreads();
    if (threadIdx.x == 0) *out = chosen;
}

int main()
{
    int h[32], *in, *out;
    for (int i = 0; i < 32; ++i) h[i] = i;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    pick<<<1, 32>>>(out, in);
    int r;
    cudaMemcpy(&r, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", r);
    cudaFree(in);
    cudaFree(out);
}
