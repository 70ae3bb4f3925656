// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bulk copy counts its bytes at a barrier in shared memory; only who has waited there may read them.
#include <cstdint>
#include <cstdio>

__global__ void doubled(const int* in, int* out)
{
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t barrier;
    const uint32_t window = (uint32_t)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(window) : "memory");
        // clang-format off
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(in), "r"(window) : "memory");  // expect: shared-race, async-copy-not-awaited
        // clang-format on
    }
#ifdef FIXED
    asm volatile(
        "{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN_%=; }" ::"r"(
            window)
        : "memory");
#endif
    out[threadIdx.x] = 2 * tile[threadIdx.x];
}

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    doubled<<<1, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
