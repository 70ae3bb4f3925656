// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters: shared memory of other blocks, read, written, added to; their barrier; stores and arrivals that mbarrier
// objects of other blocks count.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) ring(int* out)
{
    __shared__ int slot[32];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    slot[threadIdx.x] = rank * 100 + threadIdx.x;
    cluster.sync();
    int* next = cluster.map_shared_rank(slot, (rank + 1) % cluster.num_blocks());
    const int got = next[threadIdx.x];
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&slot[0], 0), got);
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0)
        out[blockIdx.x / 4] = slot[0];
    if (blockIdx.x == 5 && threadIdx.x == 3)
        printf("block %d: rank %u of %u, thread %u of %u, %d from rank %u\n", blockIdx.x, rank, cluster.num_blocks(),
               cluster.thread_rank(), cluster.num_threads(), got, cluster.query_shared_rank(next));
}

/// Of clusters of 2 x 2 blocks: what each block knows of itself, and the sum of its cluster's ranks.
__global__ void shape(int* out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    const dim3 at = cluster.block_index(), size = cluster.dim_blocks();
    unsigned clusterX, clustersX;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(clusterX));
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clustersX));
    mine = cluster.block_rank();
    cluster.sync();
    int sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank)
        sum += *cluster.map_shared_rank(&mine, rank);
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] =
            (((((sum * 10 + cluster.block_rank()) * 10 + at.x) * 10 + at.y) * 10 + size.x * size.y) * 10 + clusterX) *
                10 +
            clustersX;
}

__device__ unsigned window(const void* at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ unsigned inRank(unsigned address, unsigned rank)
{
    unsigned mapped;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
    return mapped;
}

__device__ void waitFor(uint64_t* barrier, unsigned parity)
{
    asm volatile(
        "{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 over, [%0], %1;\n"
        "@over bra done;\nbra again;\ndone:\n}" ::"r"(window(barrier)),
        "r"(parity)
        : "memory");
}

/// Each block sends what it has to the other one, counted in bytes there; and then says that it is done with its own.
__global__ void __cluster_dims__(2) exchange(int* out)
{
    __shared__ alignas(16) int inbox[64];
    __shared__ uint64_t full, done;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&full)));
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(window(&done)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(window(&full)) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    const unsigned other = rank ^ 1;
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     inRank(window(&inbox[threadIdx.x]), other)),
                 "r"(rank * 1000 + threadIdx.x), "r"(inRank(window(&full), other))
                 : "memory");
    waitFor(&full, 0);
    out[blockIdx.x * 64 + threadIdx.x] = inbox[63 - threadIdx.x];
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(inRank(window(&done), other))
                 : "memory");
    waitFor(&done, 0);
    // All have read: whoever owns it may be written to, and by name.
    if (threadIdx.x == 0) {
        unsigned old;
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(inRank(window(&inbox[1]), other)), "r"(rank + 70)
                     : "memory");
        asm volatile("atom.shared::cluster.add.u32 %0, [%1], 5;"
                     : "=r"(old)
                     : "r"(inRank(window(&inbox[1]), other))
                     : "memory");
        out[blockIdx.x * 64] += old * 100000;
    }
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 1)
        out[blockIdx.x * 64 + 1] = inbox[1];
}

/// What a block copies in bulk to its neighbour; threads that have left do not hold the others up.
__global__ void __cluster_dims__(2) copies(const int* in, int* out)
{
    __shared__ alignas(16) int from[32], to[32];
    __shared__ uint64_t full;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    from[threadIdx.x % 32] = in[blockIdx.x * 32 + threadIdx.x % 32];
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&full)));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(window(&full)) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        const unsigned next = rank ^ 1;
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                inRank(window(to), next)),
            "r"(window(from)), "r"(inRank(window(&full), next))
            : "memory");
    }
    if (threadIdx.x >= 32)
        return;
    waitFor(&full, 0);
    out[blockIdx.x * 32 + threadIdx.x] = to[threadIdx.x];
    cluster.sync();
}

/// One block copies to both, which count the bytes themselves.
__global__ void __cluster_dims__(2) multicast(const int* in, int* out)
{
    __shared__ alignas(16) int to[32];
    __shared__ uint64_t full;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(window(&full)) : "memory");
    }
    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, "
            "[%2], %3;" ::"r"(window(to)),
            "l"(in), "r"(window(&full)), "h"((unsigned short)3)
            : "memory");
    waitFor(&full, 0);
    out[blockIdx.x * 32 + threadIdx.x] = to[threadIdx.x] + blockIdx.x;
    cluster.sync();
}

int main()
{
    int *out, host[128];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    ring<<<8, 32>>>(out);
    cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost);
    printf("ring: %d %d\n", host[0], host[1]);

    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = 2;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4, 4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, shape, out);
    cudaMemcpy(host, out, 64, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; ++i)
        printf("%d%c", host[i], i % 4 == 3 ? '\n' : ' ');
    shape<<<2, 32>>>(out);
    cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost);
    printf("alone: %d %d\n", host[0], host[1]);

    exchange<<<2, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("exchange: %d %d %d, %d %d %d\n", host[0], host[1], host[63], host[64], host[65], host[127]);

    int* in;
    cudaMalloc(&in, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i)
        host[i] = i * i;
    cudaMemcpy(in, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
    copies<<<2, 64>>>(in, out);
    cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("copies: %d %d %d %d\n", host[0], host[31], host[32], host[63]);
    multicast<<<2, 32>>>(in, out);
    cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("multicast: %d %d %d %d\n", host[0], host[31], host[32], host[63]);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
}
