// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ring of blocks that store into each other's shared memory, asynchronously, and arrive at each other's barriers; one may end
// while its neighbour still arrives.
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__device__ uint32_t sa(const void* p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ uint32_t mapa(uint32_t a, int r) { uint32_t x; asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(x) : "r"(a), "r"(r)); return x; }
__global__ void __cluster_dims__(4, 1, 1) ring(int* out, int rounds)
{
    __shared__ alignas(16) int box[2][64];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank(), next = (rank + 1) % 4, prev = (rank + 3) % 4;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sa(&full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(sa(&empty[i])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    int value = rank * 100 + threadIdx.x, sum = 0;
    for (int r = 0; r < rounds; ++r) {
        int s = r % 2, ph = r / 2 & 1;
        if (threadIdx.x == 0) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sa(&full[s])), "r"(256) : "memory");
        // wait until my successor has emptied its box
        if (r >= 2) asm volatile("{ .reg .pred p; L_%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra L_%=; }" ::"r"(sa(&empty[s])), "r"(ph ^ 1) : "memory");
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(mapa(sa(&box[s][threadIdx.x]), next)), "r"(value), "r"(mapa(sa(&full[s]), next)) : "memory");
        asm volatile("{ .reg .pred p; L_%=: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra L_%=; }" ::"r"(sa(&full[s])), "r"(ph) : "memory");
        value = box[s][threadIdx.x];
        sum += value;
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(mapa(sa(&empty[s]), prev)) : "memory");  // expect: use-after-free
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
#ifdef FIXED
    cluster.sync();
#endif
}
int main()
{
    int* out; cudaMalloc(&out, 4 * 64 * 4);
    ring<<<4, 64>>>(out, 7);
    int h[256]; cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int b = 0; b < 4; ++b) for (int t = 0; t < 64; ++t) { int e = 0; for (int r = 0; r < 7; ++r) e += ((b - 1 - r) % 4 + 4) % 4 * 100 + t; bad += e != h[b * 64 + t]; }
    printf("%d bad %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    cudaFree(out);
    return bad != 0;
}
