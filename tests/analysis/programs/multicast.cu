// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block of a cluster of four copies a quarter of a tile to itself and to those whose bit it has: ranks 0 and 2 to
// all, ranks 1 and 3 to the odd ones.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int ROWS = 32, COLUMNS = 32, PART = 8;

__device__ uint32_t window(const void* at) { return static_cast<uint32_t>(__cvta_generic_to_shared(at)); }

__global__ void __cluster_dims__(4) spread(const __grid_constant__ CUtensorMap map, float* out)
{
    __shared__ alignas(128) float tile[ROWS][COLUMNS];
    __shared__ alignas(8) uint64_t full;
    uint32_t rank = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const uint32_t parts = rank % 2 == 0 ? 2 : 4;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&full)));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(&full)), "r"(parts * PART * COLUMNS * 4) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        const uint16_t ranks = rank % 2 == 0 ? 0xf : 0xa;
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(window(tile[rank * PART])), "l"(&map), "r"(0), "r"(rank * PART), "r"(window(&full)), "h"(ranks) : "memory");
    }
    asm volatile("{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN_%=; }" ::"r"(window(&full)) : "memory");
    float sum = 0;
    for (int part = 0; part < ROWS / PART; ++part)
        if (part % 2 == 0 || rank % 2 == 1)
            for (int row = 0; row < PART; ++row)
                sum += tile[part * PART + row][threadIdx.x];
    out[blockIdx.x * COLUMNS + threadIdx.x] = sum;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

int main()
{
    float host[ROWS * COLUMNS], sums[4 * COLUMNS], *in, *out;
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        host[i] = i / COLUMNS;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {COLUMNS, ROWS}, strides[] = {COLUMNS * sizeof(float)};
    const cuuint32_t box[] = {COLUMNS, PART}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    spread<<<4, COLUMNS>>>(map, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%g %g\n", sums[0], sums[COLUMNS]);
    cudaFree(in);
    cudaFree(out);
    return sums[0] == 184 && sums[COLUMNS] == 496 ? 0 : 1;
}
