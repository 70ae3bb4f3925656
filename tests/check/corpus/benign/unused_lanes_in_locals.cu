// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes without a sum of their own compute garbage in a variable that a function changes; nobody uses it.
#include <cuda_runtime.h>

__device__ void add_below(int& sum, int distance)
{
    const int below = __shfl_up_sync(~0u, sum, distance);
    if (threadIdx.x >= distance) sum += below;
}

__global__ void scan_four(const int* in, int* out)
{
    __shared__ int sums[32];
    const int lane = threadIdx.x;
    if (lane < 4) sums[lane] = in[lane];
    __syncwarp();
    int sum = sums[lane];
    for (int d = 1; d < 32; d *= 2) add_below(sum, d);
    sums[lane] = sum;
    __syncwarp();
    if (lane < 4) out[lane] = sums[lane];
}

int main()
{
    int h[4] = {1, 2, 3, 4}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    scan_four<<<1, 32>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return h[3] == 10 ? 0 : 1;
}
