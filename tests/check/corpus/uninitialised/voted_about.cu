// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last cell of a tile is never filled, and the warp votes about it.
#include <cstdio>

__global__ void positives(int* count, const int* in)
{
    __shared__ int tile[32];
    int t = threadIdx.x;
#ifdef FIXED
    tile[t] = in[t];
#else
    if (t < 31) tile[t] = in[t];
#endif
    __syncthreads();
    unsigned votes = __ballot_sync(~0u, tile[t] > 0);  // expect: uninitialised-read
    bool any = __any_sync(~0u, t == 3 || tile[t] > 100);  // one lane is sure: known
    if (t == 0 && any) *count = __popc(votes);
}

int main()
{
    int h[32], *in, *count;
    for (int i = 0; i < 32; ++i) h[i] = i % 3;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&count, sizeof(int));
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    positives<<<1, 32>>>(count, in);
    cudaMemcpy(h, count, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(count);
}
