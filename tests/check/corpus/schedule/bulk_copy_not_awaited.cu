// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A barrier of the block takes the place of the wait for the bytes: what is there then depends on when they come.
// check: --explore 4
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

__global__ void work(float* out, const float* in)
{
    __shared__ alignas(16) float tile[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(window(&full)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(window(tile)), "l"(in), "r"(window(&full)) : "memory");
    }
    __syncthreads();
#ifdef FIXED
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0;\n@over bra done;\nbra again;\ndone:\n}" ::"r"(window(&full)) : "memory");
#endif
    out[threadIdx.x] = tile[threadIdx.x];  // expect: async-copy-not-awaited, result-depends-on-schedule warning
}

int main()
{
    float host[128], *in, *out;
    for (float& value : host)
        value = 1.0f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<1, 128>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
