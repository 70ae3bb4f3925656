// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier is initialised anew for the next tile while others may still be waiting for the last.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void invalidate(uint64_t* barrier) { asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(window(barrier)) : "memory"); }
__device__ void arrive(uint64_t* barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(barrier)) : "memory"); }
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");  // expect: shared-race
}

__global__ void work(const int* in, int* out)
{
    __shared__ int tile[2][64];
    __shared__ uint64_t full;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0) {
            if (i > 0)
                invalidate(&full);
            init(&full, 64);
        }
        __syncthreads();
        tile[i][threadIdx.x] = in[i * 64 + threadIdx.x];
        arrive(&full);
        await(&full, 0);
        out[i * 64 + threadIdx.x] = tile[i][63 - threadIdx.x];
#ifdef FIXED
        __syncthreads();
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
    work<<<1, 64>>>(in, out);
    const cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
