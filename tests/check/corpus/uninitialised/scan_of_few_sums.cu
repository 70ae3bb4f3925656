// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp scans the sums of fewer warps than it has lanes: garbage behind them does no harm unless it is used.
#include <cuda_runtime.h>

#define WARPS 4

__global__ void scan_sums(const int* in, int* out)
{
    __shared__ int sums[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (lane == 31) sums[warp] = in[t];
    __syncthreads();
    if (warp == 0) {
        int sum = sums[lane];  // expect: uninitialised-read
        for (int d = 1; d < 32; d *= 2) {
            const int below = __shfl_up_sync(~0u, sum, d);
            if (lane >= d) sum += below;
        }
        sums[lane] = sum;
    }
    __syncthreads();
#ifdef FIXED
    out[t] = sums[warp];
#else
    out[t] = sums[warp + 1];
#endif
}

int main()
{
    int h[32 * WARPS], *in, *out;
    for (int i = 0; i < 32 * WARPS; ++i) h[i] = i / 32 + 1;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    scan_sums<<<1, 32 * WARPS>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
#ifdef FIXED
    return h[0] == 1 && h[127] == 10 ? 0 : 1;
#else
    return h[0] == 3 ? 0 : 1;
#endif
}
