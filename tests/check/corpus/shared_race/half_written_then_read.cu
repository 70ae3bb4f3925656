// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One half of an array is read while the other is written, round after round; then a warp reads what another has
// written since they met.
#include <cstdio>

constexpr int kThreads = 256;

__global__ void rounds(int* out, const int* in)
{
    __shared__ int cells[2][kThreads];
    const int t = threadIdx.x, beside = (t + 32) % kThreads;
    cells[0][t] = in[t];
    __syncthreads();
    int from = 0;
    for (int round = 0; round < 3; ++round) {
        cells[1 - from][t] = cells[from][t] + cells[from][beside];
        from = 1 - from;
        __syncthreads();
    }
    cells[1 - from][t] = cells[from][t];
#ifdef FIXED
    __syncthreads();
#endif
    out[t] = cells[1 - from][beside];  // expect: shared-race
}

int main()
{
    int given[kThreads], *in, *out;
    for (int i = 0; i < kThreads; ++i)
        given[i] = i;
    cudaMalloc(&in, sizeof given);
    cudaMalloc(&out, sizeof given);
    cudaMemcpy(in, given, sizeof given, cudaMemcpyHostToDevice);
    rounds<<<1, kThreads>>>(out, in);
    cudaMemcpy(given, out, sizeof given, cudaMemcpyDeviceToHost);
    printf("%d\n", given[0] != -1);
    cudaFree(in);
    cudaFree(out);
}
