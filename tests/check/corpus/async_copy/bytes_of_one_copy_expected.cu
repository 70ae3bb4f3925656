// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two copies fill a stage, and the bytes of one are expected: the phase may be over when only half is there.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void init(uint64_t* barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(barrier)), "r"(count) : "memory"); }
__device__ void fenceInit() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void expect(uint64_t* barrier, int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(barrier)), "r"(bytes) : "memory"); }
__device__ void await(uint64_t* barrier, int parity)
{
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN_%=; }" ::"r"(window(barrier)), "r"(parity) : "memory");
}
__device__ void load(int* to, const int* from, int bytes, uint64_t* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(window(to)), "l"(from), "r"(bytes), "r"(window(barrier)) : "memory");  // expect: async-copy-not-awaited
}

__global__ void work(const int* in, int* out)
{
    __shared__ alignas(16) int a[64];
    __shared__ alignas(16) int b[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fenceInit();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef FIXED
        expect(&full, 512);
#else
        expect(&full, 256);
#endif
        load(a, in, 256, &full);
        load(b, in + 64, 256, &full);
    }
    await(&full, 0);
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
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
