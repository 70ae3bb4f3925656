// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of matrices as it is written for Hopper: a warp copies tiles of tensors into a ring of three stages, a
// warpgroup multiplies them where they lie, swizzled, with one product under way while the next tile is awaited, and
// one of its threads gives each stage back for all. The result leaves by a copy in bulk. An H100 agrees.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kTile = 64, kStages = 3, kConsumers = 128, kThreads = kConsumers + 32;
constexpr int kTileBytes = kTile * kTile * sizeof(__half);
constexpr int kRows = 128, kColumns = 192, kDepth = 512;

struct Stages {
    alignas(1024) __half a[kStages][kTile * kTile];
    alignas(1024) __half b[kStages][kTile * kTile];
    alignas(128) float result[kTile * kTile];
    uint64_t full[kStages], empty[kStages];
};

__device__ unsigned window(const void* at)
{
    return unsigned(__cvta_generic_to_shared(at));
}

__device__ void arrive(uint64_t* barrier)
{
#if defined(__CUDA_ARCH__)
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(barrier)) : "memory");
#endif
}

__device__ void waitFor(uint64_t* barrier, int parity)
{
#if defined(__CUDA_ARCH__)
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\nbra again;\ndone:\n}" ::"r"(window(barrier)),
                 "r"(parity)
                 : "memory");
#endif
}

__device__ void loadTile(void* tile, const CUtensorMap* map, int x, int y, uint64_t* barrier)
{
#if defined(__CUDA_ARCH__)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(window(tile)),
        "l"(map), "r"(x), "r"(y), "r"(window(barrier))
        : "memory");
#endif
}

/// 64 rows of 128 bytes, swizzled by 128 bytes; \p step: of 16 columns.
__device__ uint64_t descriptor(const __half* tile, int step)
{
    return uint64_t((window(tile) + step * 32) >> 4 & 0x3fff) | 1ull << 16 | uint64_t(1024 >> 4) << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
#if defined(__CUDA_ARCH__)
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, "
        "1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
#endif
}

__device__ void produce(Stages& stages, const CUtensorMap* a, const CUtensorMap* b)
{
    for (int tile = 0; tile < kDepth / kTile; ++tile) {
        const int stage = tile % kStages, lap = tile / kStages;
        waitFor(&stages.empty[stage], (lap & 1) ^ 1);
#if defined(__CUDA_ARCH__)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(&stages.full[stage])),
                     "r"(2 * kTileBytes)
                     : "memory");
#endif
        loadTile(stages.a[stage], a, tile * kTile, blockIdx.y * kTile, &stages.full[stage]);
        loadTile(stages.b[stage], b, tile * kTile, blockIdx.x * kTile, &stages.full[stage]);
    }
}

__device__ void consume(Stages& stages, float (&d)[32])
{
#if defined(__CUDA_ARCH__)
    for (int i = 0; i < 32; ++i)
        d[i] = 0;
    for (int tile = 0; tile < kDepth / kTile; ++tile) {
        const int stage = tile % kStages;
        waitFor(&stages.full[stage], tile / kStages & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < kTile / 16; ++step)
            multiply(d, descriptor(stages.a[stage], step), descriptor(stages.b[stage], step));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (tile > 0 && threadIdx.x == 0)
            arrive(&stages.empty[(tile - 1) % kStages]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
}

__global__ void __launch_bounds__(kThreads)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
            const __grid_constant__ CUtensorMap c)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    Stages& stages = *reinterpret_cast<Stages*>(memory);
#if defined(__CUDA_ARCH__)
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&stages.full[stage])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(window(&stages.empty[stage])));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= kConsumers) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == kConsumers)
            produce(stages, &a, &b);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float d[32];
    consume(stages, d);
    const int warp = threadIdx.x / 32, group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; ++i)
        stages.result[(warp * 16 + group + 8 * (i / 2 % 2)) * kTile + i / 4 * 8 + pair + i % 2] = d[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c),
                     "r"(blockIdx.x * kTile), "r"(blockIdx.y * kTile), "r"(window(stages.result))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
#endif
}

int aAt(int row, int k)
{
    return (row * 5 + k * 3 + row * k) % 7 - 3;
}
int bAt(int column, int k)
{
    return (column * 3 + k * 5 + (column ^ k)) % 5 - 2;
}

CUtensorMap tiles(CUtensorMapDataType type, void* matrix, int rows, int columns, int bytes, CUtensorMapSwizzle swizzle)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void**)&encode, cudaEnableDefault, &found);
    const cuuint64_t extents[] = {cuuint64_t(columns), cuuint64_t(rows)}, strides[] = {cuuint64_t(columns * bytes)};
    const cuuint32_t box[] = {kTile, kTile}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, type, 2, matrix, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main()
{
    std::vector<__half> a(kRows * kDepth), b(kColumns * kDepth);
    std::vector<float> c(kRows * kColumns);
    for (int i = 0; i < kRows * kDepth; ++i)
        a[i] = __float2half(float(aAt(i / kDepth, i % kDepth)));
    for (int i = 0; i < kColumns * kDepth; ++i)
        b[i] = __float2half(float(bAt(i / kDepth, i % kDepth)));
    void *deviceA, *deviceB, *deviceC;
    cudaMalloc(&deviceA, a.size() * sizeof(__half));
    cudaMalloc(&deviceB, b.size() * sizeof(__half));
    cudaMalloc(&deviceC, c.size() * sizeof(float));
    cudaMemcpy(deviceA, a.data(), a.size() * sizeof(__half), cudaMemcpyHostToDevice);
    cudaMemcpy(deviceB, b.data(), b.size() * sizeof(__half), cudaMemcpyHostToDevice);
    const auto half = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, single = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    const CUtensorMap mapA = tiles(half, deviceA, kRows, kDepth, 2, CU_TENSOR_MAP_SWIZZLE_128B);
    const CUtensorMap mapB = tiles(half, deviceB, kColumns, kDepth, 2, CU_TENSOR_MAP_SWIZZLE_128B);
    const CUtensorMap mapC = tiles(single, deviceC, kRows, kColumns, 4, CU_TENSOR_MAP_SWIZZLE_NONE);
    cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Stages));
    product<<<dim3(kColumns / kTile, kRows / kTile), kThreads, sizeof(Stages)>>>(mapA, mapB, mapC);
    cudaMemcpy(c.data(), deviceC, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column) {
            int sum = 0;
            for (int k = 0; k < kDepth; ++k)
                sum += aAt(row, k) * bAt(column, k);
            bad += c[row * kColumns + column] != float(sum);
        }
    cudaFree(deviceA);
    cudaFree(deviceB);
    cudaFree(deviceC);
    printf("bad %d\n", bad);
    return bad != 0;
}
