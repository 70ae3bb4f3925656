// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost dimension of an interleaved tensor counts slices of 16 bytes, here 16 to a row, not its 64 elements:
// what lies behind a row is outside and filled only where the map says so.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__global__ void copyTile(const __grid_constant__ CUtensorMap map, int x, int* out)
{
    __shared__ alignas(128) int tile[16];
    __shared__ uint64_t full;
    const uint32_t window = (uint32_t)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" ::"r"(window) : "memory");
        // clang-format off
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(&map), "r"(x), "r"(0), "r"(1), "r"(window), "h"((unsigned short)0) : "memory");  // expect: out-of-bounds
        // clang-format on
    }
    asm volatile(
        "{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN_%=; }" ::"r"(
            window)
        : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    constexpr int kWidth = 64, kImages = 2;
    int *tensor, *out, host[16];
    cudaMalloc(&tensor, kWidth * kImages * sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(tensor, 0, kWidth * kImages * sizeof(int));
    decltype(&cuTensorMapEncodeIm2col) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", (void**)&encode, cudaEnableDefault, &found);
#ifdef FIXED
    const cuuint64_t extents[] = {kWidth / 4, 1, kImages};
#else
    const cuuint64_t extents[] = {kWidth, 1, kImages};
#endif
    const cuuint64_t strides[] = {kWidth * sizeof(int), kWidth * sizeof(int)};
    const cuuint32_t steps[] = {1, 1, 1};
    const int lower[] = {0}, upper[] = {0};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, tensor, extents, strides, lower, upper, 4, 4, steps,
           CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    copyTile<<<1, 16>>>(map, kWidth / 4, out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
        printf("%d\n", host[15]);
    cudaFree(tensor);
    cudaFree(out);
    return 0;
}
