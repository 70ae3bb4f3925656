// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An interleaved tensor: 8x6 places, 3 slices of 8 halves, 2 images. Eight by two places of slice 1 are copied as a
// tile, six of each row outside, and eight pixels for im2col, the first outside.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__global__ void tile(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap columns,
                     uint16_t* out)
{
    __shared__ alignas(128) uint16_t a[128], b[64];
    __shared__ uint64_t full;
    const uint32_t bar = (uint32_t)__cvta_generic_to_shared(&full);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 384;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                     "%3, %4, %5}], [%6];" ::"r"((uint32_t)__cvta_generic_to_shared(a)),
                     "l"(&map), "r"(6), "r"(1), "r"(1), "r"(0), "r"(bar)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, "
                     "{%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"((uint32_t)__cvta_generic_to_shared(b)),
                     "l"(&columns), "r"(-1), "r"(2), "r"(1), "r"(0), "r"(bar), "h"((unsigned short)0),
                     "h"((unsigned short)1)
                     : "memory");
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred p; AGAIN_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra AGAIN_%=; }" ::"r"(bar)
        : "memory");
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

int main()
{
    uint16_t host[8 * 6 * 3 * 2 * 8], *tensor, *out;
    for (int i = 0; i < 8 * 6 * 3 * 2 * 8; ++i)
        host[i] = i;
    cudaMalloc(&tensor, sizeof host);
    cudaMalloc(&out, 128);
    cudaMemcpy(tensor, host, sizeof host, cudaMemcpyHostToDevice);
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    decltype(&cuTensorMapEncodeIm2col) columns = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &found);
    cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", (void**)&columns, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {8, 6, 3, 2}, strides[] = {8 * 16, 48 * 16, 144 * 16};
    const cuuint32_t box[] = {8, 2, 8, 1}, steps[] = {1, 1, 1, 1};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    CUtensorMap a, b;
    encode(&a, CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, tensor, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_16B,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    columns(&b, CU_TENSOR_MAP_DATA_TYPE_UINT16, 4, tensor, extents, strides, lower, upper, 8, 8, steps,
            CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    tile<<<1, 64>>>(a, b, out);
    cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i += 8)
        printf("%d ", host[i]);
    puts("");
    cudaFree(tensor);
    cudaFree(out);
}
