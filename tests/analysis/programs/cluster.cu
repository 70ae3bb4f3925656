// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two clusters of four blocks, each of which stores into the next one, adds to the first one's total and arrives at a
// barrier of the first one, which then reads what all have.
#include <cooperative_groups.h>

#include <cstdint>

namespace cg = cooperative_groups;

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void __cluster_dims__(4, 1, 1) exchange(int* out)
{
    __shared__ int before[8];
    __shared__ int slots[32];
    __shared__ int total;
    __shared__ uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        total = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], 3;" ::"r"(shared_address(&barrier)) : "memory");
    }
    before[threadIdx.x % 8] = rank;
    cluster.sync();
    cluster.map_shared_rank(slots, (rank + 1) % 4)[threadIdx.x] = 100 * rank + threadIdx.x;
    if (threadIdx.x == 0 && rank != 0) {
        atomicAdd(cluster.map_shared_rank(&total, 0), 1);
        asm volatile(
            "{ .reg .b32 first; mapa.shared::cluster.u32 first, %0, 0;"
            " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [first]; }" ::"r"(shared_address(&barrier))
            : "memory");
    }
    cluster.sync();
    int sum = 0;
    if (rank == 0)
        for (int other = 1; other < 4; ++other)
            sum += cluster.map_shared_rank(slots, other)[threadIdx.x] + cluster.map_shared_rank(before, other)[7];
    if (rank == 0)
        out[32 * (blockIdx.x / 4) + threadIdx.x] = sum + total;
    cluster.sync();
}

int main()
{
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    exchange<<<8, 32>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < 64; ++i)
        if (host[i] != 300 + 3 * (i % 32) + 6 + 3)
            return 2;
}
