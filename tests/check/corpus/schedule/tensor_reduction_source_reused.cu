// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The box that a tensor's tile is reduced by is filled anew before it has been read: the sums depend on when that is.
// check: --explore 4
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__global__ void addTiles(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float tile[64];
    for (int row = 0; row < 2; ++row) {
        tile[threadIdx.x] = row + 1;  // expect: async-copy-not-awaited
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            // clang-format off
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(row * 4), "r"((uint32_t)__cvta_generic_to_shared(tile)) : "memory");  // expect: result-depends-on-schedule warning
            // clang-format on
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
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
    constexpr int kWidth = 16, kHeight = 8;
    float *tensor, host[kWidth * kHeight];
    cudaMalloc(&tensor, sizeof host);
    cudaMemset(tensor, 0, sizeof host);
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {kWidth, kHeight}, strides[] = {kWidth * sizeof(float)};
    const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, extents, strides, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    addTiles<<<1, 64>>>(map);
    cudaMemcpy(host, tensor, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[127]);
    cudaFree(tensor);
    return 0;
}
