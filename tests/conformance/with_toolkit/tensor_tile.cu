// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a tensor comes and goes by libcu++'s own calls for copies in bulk.
#include <cstdio>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;
__global__ void kernel(const __grid_constant__ CUtensorMap map, int x, int y)
{
    __shared__ alignas(128) int tile[8][16];
    __shared__ alignas(8) char raw[sizeof(barrier)];
    barrier& bar = *reinterpret_cast<barrier*>(raw);
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else
        token = bar.arrive();
    bar.wait(std::move(token));
    tile[threadIdx.x / 16][threadIdx.x % 16] += threadIdx.x;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
    if (threadIdx.x == 0)
        (&bar)->~barrier();
}
int main()
{
    int *t, h[64 * 64];
    for (int i = 0; i < 64 * 64; ++i)
        h[i] = i;
    cudaMalloc(&t, sizeof h);
    cudaMemcpy(t, h, sizeof h, cudaMemcpyHostToDevice);
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult f;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &f);
    const cuuint64_t e[] = {64, 64}, s[] = {256};
    const cuuint32_t b[] = {16, 8}, st[] = {1, 1};
    CUtensorMap m;
    encode(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, t, e, s, b, st, CU_TENSOR_MAP_INTERLEAVE_NONE,
           CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    kernel<<<1, 128>>>(m, 16, 8);
    printf("%s\n", cudaGetErrorString(cudaMemcpy(h, t, sizeof h, cudaMemcpyDeviceToHost)));
    printf("%d %d\n", h[8 * 64 + 16], h[15 * 64 + 31]);
    cudaFree(t);
}
