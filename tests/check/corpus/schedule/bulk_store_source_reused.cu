// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile that leaves by a copy in bulk is filled anew before the copy has read it: what arrives depends on when it does.
// check: --explore 4
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void load(int* to, const int* from, uint64_t* full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(window(full)) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(window(to)), "l"(from), "r"(window(full)) : "memory");
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
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(window(from)) : "memory");  // expect: result-depends-on-schedule warning
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ alignas(16) int tile[64];
    for (int lap = 0; lap < 2; ++lap) {
        tile[threadIdx.x] = in[lap * 64 + threadIdx.x];  // expect: async-copy-not-awaited
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out + lap * 64, tile);
#ifdef FIXED
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
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
