// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile is filled one element too far: what lies behind it is the barrier that the block waits at.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void arrive(uint64_t* barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(barrier)) : "memory"); }  // expect: uninitialised-read
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");  // expect: barrier-deadlock
}

struct Stage {
    int tile[64];
    uint64_t full;
};

__global__ void work(const int* in, int* out)
{
    __shared__ Stage stage;
    int* words = stage.tile;
    if (threadIdx.x == 0)
        init(&stage.full, 64);
    __syncthreads();
#ifdef FIXED
    const int count = 64;
#else
    const int count = 66;
#endif
    for (int i = threadIdx.x; i < count; i += 64)
        words[i] = in[i];  // expect: shared-race
    arrive(&stage.full);
    await(&stage.full, 0);
    out[threadIdx.x] = stage.tile[63 - threadIdx.x];
}

int main()
{
    constexpr int kCount = 1024;
    int host[kCount], *in, *out;
    for (int i = 0; i < kCount; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    work<<<1, 64>>>(in, out);
    const cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
