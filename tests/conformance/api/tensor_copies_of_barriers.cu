// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two stages filled by the tensor copies of <cuda/barrier>, whose bytes its barriers count: sums of columns.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int kTile = 32;

__global__ void sumColumns(const __grid_constant__ CUtensorMap map, float* out, int tiles)
{
    __shared__ alignas(128) float stage[2][kTile][kTile];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full[2];
    if (threadIdx.x == 0) {
        init(&full[0], blockDim.x);
        init(&full[1], blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    Barrier::arrival_token token[2];
    auto fetch = [&](int tile) {
        const int at = tile & 1;
        if (threadIdx.x == 0) {
            cde::cp_async_bulk_tensor_2d_global_to_shared(&stage[at], &map, blockIdx.x * kTile, tile * kTile, full[at]);
            token[at] = cuda::device::barrier_arrive_tx(full[at], 1, sizeof stage[0]);
        } else {
            token[at] = full[at].arrive();
        }
    };
    float sum = 0;
    fetch(0);
    for (int tile = 0; tile < tiles; ++tile) {
        if (tile + 1 < tiles)
            fetch(tile + 1);
        full[tile & 1].wait(std::move(token[tile & 1]));
        for (int row = threadIdx.x / kTile; row < kTile; row += blockDim.x / kTile)
            sum += stage[tile & 1][row][threadIdx.x % kTile];
        __syncthreads();
    }
    atomicAdd(&out[blockIdx.x * kTile + threadIdx.x % kTile], sum);
}

int main()
{
    constexpr int kRows = 256, kColumns = 128;
    std::vector<float> values(kRows * kColumns), sums(kColumns);
    for (int i = 0; i < kRows * kColumns; ++i)
        values[i] = (i * 7 + i / kColumns) % 11 - 5;
    float *in, *out;
    cudaMalloc(&in, values.size() * sizeof(float));
    cudaMalloc(&out, kColumns * sizeof(float));
    cudaMemset(out, 0, kColumns * sizeof(float));
    cudaMemcpy(in, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    void* encode;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
    CUtensorMap map;
    cuuint64_t extents[] = {kColumns, kRows}, strides[] = {kColumns * sizeof(float)};
    cuuint32_t box[] = {kTile, kTile}, steps[] = {1, 1};
    const CUresult made = ((decltype(&cuTensorMapEncodeTiled))encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    sumColumns<<<kColumns / kTile, 128>>>(map, out, kRows / kTile);
    cudaMemcpy(sums.data(), out, kColumns * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int column = 0; column < kColumns; ++column) {
        float sum = 0;
        for (int row = 0; row < kRows; ++row)
            sum += values[row * kColumns + column];
        wrong += sum != sums[column];
    }
    printf("map %d, %s, %d wrong\n", (int)made, cudaGetErrorName(cudaGetLastError()), wrong);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
