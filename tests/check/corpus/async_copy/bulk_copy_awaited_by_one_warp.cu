// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the first warp waits; the others go by a barrier that comes too early.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void load(int* to, const int* from, uint64_t* full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(window(full)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(window(to)), "l"(from), "r"(window(full)) : "memory");  // expect: async-copy-not-awaited
}
__device__ void init(uint64_t* full)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(full)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void await(uint64_t* full, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(full)), "r"(parity) : "memory");
}
__device__ void store(int* to, const int* from)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(window(from)) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full);
        load(tile, in, &full);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        await(&full, 0);
#ifdef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    work<<<1, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
