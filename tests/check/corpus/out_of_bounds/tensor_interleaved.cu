// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a copy of an interleaved tensor for im2col moves is not known well enough: it is refused, not guessed.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__global__ void copyTile(const __grid_constant__ CUtensorMap map, int x, int* out)
{
    __shared__ alignas(128) int tile[64];
    __shared__ uint64_t full;
    const uint32_t window = (uint32_t)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(window) : "memory");
        // clang-format off
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %3}], [%4], {%5};" ::"r"((uint32_t)__cvta_generic_to_shared(tile)), "l"(&map), "r"(x), "r"(0), "r"(window), "h"((unsigned short)0) : "memory");  // expect: out-of-bounds
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
    constexpr int kWidth = 64, kHeight = 16;
    int *tensor, *out, host[64];
    cudaMalloc(&tensor, kWidth * kHeight * sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(tensor, 0, kWidth * kHeight * sizeof(int));
    decltype(&cuTensorMapEncodeIm2col) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", (void**)&encode, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {kWidth, kHeight, 1}, strides[] = {kWidth * sizeof(int), kWidth * kHeight * sizeof(int)};
    const cuuint32_t steps[] = {1, 1, 1};
    const int lower[] = {0}, upper[] = {0};
    CUtensorMap map;
#ifdef FIXED
    const CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
#else
    const CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
#endif
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, tensor, extents, strides, lower, upper, 16, 4, steps, interleave,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    copyTile<<<1, 64>>>(map, 0, out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(tensor);
    cudaFree(out);
    return 0;
}
