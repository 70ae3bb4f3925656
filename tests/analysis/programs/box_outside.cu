// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A box of 4 x 8 floats of which only a part lies in the tensor of 8 x 8; its corner is (-4, 6).
#include <cuda.h>

#include <cstdint>

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__global__ void fetch(float* out, const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) float box[4][8];
    __shared__ uint64_t barrier;
    const uint32_t at = shared_address(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"((unsigned)sizeof box) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     ::"r"(shared_address(box)), "l"(&map), "r"(-4), "r"(6), "r"(at)
                     : "memory");
    }
    __syncthreads();
    uint32_t done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[threadIdx.x] = box[threadIdx.x / 8][threadIdx.x % 8];
}

int main()
{
    float *tensor, *out, host[64];
    for (int i = 0; i < 64; ++i)
        host[i] = float(i + 1);
    cudaMalloc(&tensor, sizeof host);
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMemcpy(tensor, host, sizeof host, cudaMemcpyHostToDevice);
    CUtensorMap map;
    const cuuint64_t extents[] = {8, 8}, strides[] = {32};
    const cuuint32_t box[] = {8, 4}, steps[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, extents, strides, box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return 1;
    fetch<<<1, 32>>>(out, map);
    if (cudaMemcpy(host, out, 32 * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
        return 2;
    return host[4] == 49 && host[0] == 0 && host[16] == 0 ? 0 : 3;
}
