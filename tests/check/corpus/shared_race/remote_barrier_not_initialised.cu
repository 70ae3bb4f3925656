// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block arrives at the barrier of another one of its cluster, which may not have begun.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void fenceInit() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");  // expect: barrier-deadlock
}

__device__ void arriveAt(uint64_t* barrier, int rank)
{
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(window(barrier)), "r"(rank) : "memory");  // expect: uninitialised-read, shared-race
}

__global__ void __cluster_dims__(2) work(const int* in, int* out)
{
    __shared__ uint64_t ready;
    if (threadIdx.x == 0) {
        init(&ready, 1);
        fenceInit();
    }
    __syncthreads();
#ifdef FIXED
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
#endif
    if (threadIdx.x == 0)
        arriveAt(&ready, blockIdx.x ^ 1);
    await(&ready, 0);
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
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
    work<<<2, 64>>>(in, out);
    const cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
