// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The next offset's pixels are copied over a tile (im2col) that other threads still read.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cudaTypedefs.h>
#include <cstdint>
#include <cstdio>
#include <vector>
constexpr int N = 1, H = 6, W = 7, C = 16, PIX = 32, R = 3;
__global__ void gather(const __grid_constant__ CUtensorMap map, float* out)
{
    __shared__ alignas(128) float tile[PIX * C];
    __shared__ alignas(8) uint64_t bar;
    uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar), s = (uint32_t)__cvta_generic_to_shared(tile);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int k = 0; k < R * R; ++k) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"((uint32_t)sizeof(tile)) : "memory");
            asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(s), "l"(&map), "r"(0), "r"(-1), "r"(-1), "r"(0), "r"(b), "h"((short)(k % R)), "h"((short)(k / R)) : "memory");
        }
        asm volatile("{ .reg .pred p; L_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra L_%=; }" ::"r"(b), "r"(k & 1) : "memory");
        for (int i = threadIdx.x; i < PIX * C; i += blockDim.x) out[k * PIX * C + i] = tile[i];  // expect: shared-race
#ifdef FIXED
        __syncthreads();
#endif
    }
}
int main()
{
    std::vector<float> h(N * H * W * C);
    for (size_t i = 0; i < h.size(); ++i) h[i] = i + 1;
    float *in, *out;
    cudaMalloc(&in, h.size() * 4); cudaMalloc(&out, R * R * PIX * C * 4);
    cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    void* f = nullptr; cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPoint("cuTensorMapEncodeIm2col", &f, cudaEnableDefault, &q);
    auto encode = (PFN_cuTensorMapEncodeIm2col_v12000)f;
    CUtensorMap map;
    cuuint64_t dims[] = {C, W, H, N}, strides[] = {C * 4, W * C * 4, H * W * C * 4};
    int lower[] = {-1, -1}, upper[] = {-1, -1};
    cuuint32_t es[] = {1, 1, 1, 1};
    CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, in, dims, strides, lower, upper, C, PIX, es, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    printf("encode %d\n", r);
    gather<<<1, 64>>>(map, out);
    std::vector<float> got(R * R * PIX * C);
    cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int k = 0; k < R * R; ++k) for (int p = 0; p < PIX; ++p) for (int c = 0; c < C; ++c) {
        int y = p / W - 1 + k / R, x = p % W - 1 + k % R;
        float e = y < 0 || x < 0 || y >= H || x >= W ? 0 : h[(y * W + x) * C + c];
        bad += got[(k * PIX + p) * C + c] != e;
    }
    printf("%d bad\n", bad);
    cudaFree(in); cudaFree(out);
    return bad != 0;
}
