// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two warps fill stages in turns, and both begin with the same one.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void arrive(uint64_t* barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(barrier)) : "memory"); }
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ int tile[2][32];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i)
#ifdef FIXED
            init(&full[i], 32);
#else
            init(&full[i], i == 0 ? 64 : 0x7fff);
#endif
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp < 2) {
#ifdef FIXED
        const int stage = warp;
#else
        const int stage = 0;
#endif
        tile[stage][lane] = in[32 * warp + lane];  // expect: shared-race
        arrive(&full[stage]);
    } else {
        await(&full[0], 0);
        out[lane] = tile[0][31 - lane];
#ifdef FIXED
        await(&full[1], 0);
        out[32 + lane] = tile[1][31 - lane];
#endif
    }
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
    work<<<1, 96>>>(in, out);
    const cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
