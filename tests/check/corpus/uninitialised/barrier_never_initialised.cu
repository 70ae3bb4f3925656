// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of two barriers of a ring has been left out of the initialisation.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void arrive(uint64_t* barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(barrier)) : "memory"); }  // expect: uninitialised-read
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ int tile[2][64];
    __shared__ uint64_t full[2];
#ifdef FIXED
    const int count = 2;
#else
    const int count = 1;
#endif
    if (threadIdx.x == 0)
        for (int i = 0; i < count; ++i)
            init(&full[i], 64);
    __syncthreads();
    for (int i = 0; i < 2; ++i) {
        tile[i][threadIdx.x] = in[i * 64 + threadIdx.x];
        arrive(&full[i]);
        await(&full[i], 0);
        out[i * 64 + threadIdx.x] = tile[i][63 - threadIdx.x];
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
