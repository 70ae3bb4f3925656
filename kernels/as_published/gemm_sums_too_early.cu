// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the sums of the last products are stored although nobody has waited for those products: what they still
// add is missing. nvcc notices, waits for every product where it is issued, and says so: it is slow instead of wrong.
// The corrected twin is 26_gemm_wgmma.cu.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 64;  // rows, columns and depth of a block's tiles: a row of halves is 128 bytes
constexpr int STAGES = 3;
constexpr int CONSUMERS = 128;  // a warpgroup
constexpr int THREADS = CONSUMERS + 32;
constexpr int TILE_BYTES = TILE * TILE * sizeof(__half);

struct Ring {
    alignas(1024) __half a[STAGES][TILE * TILE];
    alignas(1024) __half b[STAGES][TILE * TILE];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ uint32_t shared_address(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void init(uint64_t* barrier, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

__device__ void arrive(uint64_t* barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

__device__ void arrive_expecting(uint64_t* barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/// Until the phase of that parity is over.
__device__ void wait(uint64_t* barrier, int parity)
{
    asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\nbra again;\ndone:\n}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/// The box of \p map whose first element is (\p row, \p col).
__device__ void copy_tile(__half* tile, const CUtensorMap* map, int row, int col, uint64_t* barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(shared_address(tile)),
                 "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

/// 16 columns of a tile, the \p step th, for wgmma: eight rows take 1024 bytes; swizzled by 128.
__device__ uint64_t descriptor(const __half* tile, int step)
{
    const uint64_t address = shared_address(tile) + step * 32;
    return (address >> 4 & 0x3fff) | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

__device__ void multiply(float (&sums)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, "
        "1, 1, 0, 0;"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "l"(a), "l"(b));
}

__device__ void produce(Ring& ring, const CUtensorMap* a, const CUtensorMap* b, int tiles)
{
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES;
        wait(&ring.empty[stage], (tile / STAGES & 1) ^ 1);
        arrive_expecting(&ring.full[stage], 2 * TILE_BYTES);
        copy_tile(ring.a[stage], a, blockIdx.y * TILE, tile * TILE, &ring.full[stage]);
        copy_tile(ring.b[stage], b, blockIdx.x * TILE, tile * TILE, &ring.full[stage]);
    }
}

__device__ void consume(Ring& ring, float (&sums)[32], int tiles)
{
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES;
        wait(&ring.full[stage], tile / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int step = 0; step < TILE / 16; ++step)
            multiply(sums, descriptor(ring.a[stage], step), descriptor(ring.b[stage], step));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        // The products of the tile before are done: its stage may be filled again.
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
        if (tile > 0 && threadIdx.x == 0)
            arrive(&ring.empty[(tile - 1) % STAGES]);
    }
}

__global__ void __launch_bounds__(THREADS) gemm_wgmma(float* out, const __grid_constant__ CUtensorMap a,
                                                      const __grid_constant__ CUtensorMap b, int cols, int depth)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    Ring& ring = *reinterpret_cast<Ring*>(memory);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; ++stage) {
            init(&ring.full[stage], 1);
            init(&ring.empty[stage], 1);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();

    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x == CONSUMERS)
            produce(ring, &a, &b, depth / TILE);
        return;
    }
    float sums[32] = {};
    consume(ring, sums, depth / TILE);
    // A lane has pairs of neighbours: of two rows, in every eight columns.
    const int row = blockIdx.y * TILE + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
    const int col = blockIdx.x * TILE + threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; ++i)
        out[(row + i / 2 % 2 * 8) * cols + col + i / 4 * 8 + i % 2] = sums[i];
}

/// Up to 256 values.
static void print(const char* label, const std::vector<float>& values)
{
    std::printf("%s", label);
    for (size_t i = 0; i < values.size() && i < 256; ++i)
        std::printf(" %g", values[i]);
    std::puts(values.size() > 256 ? " ..." : "");
}

static __half* to_device(const std::vector<float>& values)
{
    std::vector<__half> halves(values.begin(), values.end());
    __half* pointer = nullptr;
    cudaMalloc(&pointer, halves.size() * sizeof(__half));
    cudaMemcpy(pointer, halves.data(), halves.size() * sizeof(__half), cudaMemcpyHostToDevice);
    return pointer;
}

/// Of a matrix with rows of \p depth halves, in boxes of one tile.
static CUtensorMap tiles_of(__half* matrix, int rows, int depth)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode), 12000,
                                     cudaEnableDefault, &found);
    const cuuint64_t extents[] = {cuuint64_t(depth), cuuint64_t(rows)}, strides[] = {depth * sizeof(__half)};
    const cuuint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, extents, strides, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

/// Copies the result back, prints both, and compares them.
static bool report(const float* out, const std::vector<float>& expected)
{
    std::vector<float> out_host(expected.size());
    const cudaError_t error = cudaMemcpy(out_host.data(), out, expected.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return false;
    }
    print("out:     ", out_host);
    print("expected:", expected);
    return out_host == expected;
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 128;
    const int cols = argc > 2 ? std::atoi(argv[2]) : rows;
    const int depth = argc > 3 ? std::atoi(argv[3]) : 2 * rows;
    // Small whole numbers: their sums are exact.
    std::vector<float> a_host(rows * depth), b_host(cols * depth);  // b_host[col][k]
    for (int i = 0; i < rows * depth; ++i)
        a_host[i] = float((i * 5 + i / depth) % 7 - 3);
    for (int i = 0; i < cols * depth; ++i)
        b_host[i] = float((i * 3 + i / depth) % 5 - 2);
    std::vector<float> expected(rows * cols, 0.0f);
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col)
            for (int k = 0; k < depth; ++k)
                expected[row * cols + col] += a_host[row * depth + k] * b_host[col * depth + k];

    __half* a = to_device(a_host);
    __half* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, rows * cols * sizeof(float));
    cudaFuncSetAttribute(gemm_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Ring));
    gemm_wgmma<<<dim3(cols / TILE, rows / TILE), THREADS, sizeof(Ring)>>>(out, tiles_of(a, rows, depth),
                                                                          tiles_of(b, cols, depth), cols, depth);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
