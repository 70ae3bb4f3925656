// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread does not release a stage of a pipeline: who fills it next waits for ever.
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void k(const float *in, float *out, int tiles)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float buffer[2][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    float total = 0;
    for (int next = 0, t = 0; t < tiles; ++t) {
        for (; next < tiles && next < t + 2; ++next) {
            pipe.producer_acquire();  // expect: barrier-deadlock
            cuda::memcpy_async(block, buffer[next % 2], in + next * 64, cuda::aligned_size_t<16>(256), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        total += buffer[t % 2][63 - threadIdx.x];
#ifndef FIXED
        if (t != 1 || threadIdx.x != 5)
#endif
        pipe.consumer_release();
    }
    out[threadIdx.x] = total;
}
int main()
{
    float *in, *out, h[6 * 64];
    for (int i = 0; i < 384; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h); cudaMalloc(&out, 256);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    k<<<1, 64>>>(in, out, 6);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 0;
    float r[64]; cudaMemcpy(r, out, 256, cudaMemcpyDeviceToHost);
    printf("%g\n", r[1]);
    cudaFree(in); cudaFree(out);
}
