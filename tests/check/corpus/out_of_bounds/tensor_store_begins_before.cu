// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box that is copied to a tensor may end behind it, but not begin before it.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__global__ void putTile(const __grid_constant__ CUtensorMap map, int y)
{
    __shared__ alignas(128) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        // clang-format off
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(y), "r"((uint32_t)__cvta_generic_to_shared(tile)) : "memory");  // expect: out-of-bounds
        // clang-format on
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main()
{
    constexpr int kWidth = 64, kHeight = 16;
    int *tensor, *out, host[64];
    cudaMalloc(&tensor, kWidth * kHeight * sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(tensor, 0, kWidth * kHeight * sizeof(int));
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {kWidth, kHeight}, strides[] = {kWidth * sizeof(int)};
    const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
#ifdef FIXED
    putTile<<<1, 64>>>(map, 14);
#else
    putTile<<<1, 64>>>(map, -2);
#endif
    if (cudaMemcpy(host, tensor + 14 * kWidth, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
        printf("%d\n", host[15]);
    cudaFree(tensor);
    cudaFree(out);
    return 0;
}
