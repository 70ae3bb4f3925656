// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the thread that copies does not wait until a stage has been read before it fills it anew. The threads
// that are slow to multiply find the tiles of a later step. The corrected twin is 24_matmul_ring.cu.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 16;  // rows, columns and depth
constexpr int STAGES = 3;
constexpr int TILE_BYTES = TILE * TILE * sizeof(float);

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
__device__ void copy_tile(float* tile, const CUtensorMap* map, int row, int col, uint64_t* barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
                 "%3}], [%4];" ::"r"(shared_address(tile)),
                 "l"(map), "r"(col), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

__global__ void __launch_bounds__(TILE* TILE)
    matmul_ring(float* out, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, int size)
{
    __shared__ alignas(128) float a_shared[STAGES][TILE][TILE];
    __shared__ alignas(128) float b_shared[STAGES][TILE][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int local_row = threadIdx.y, local_col = threadIdx.x;
    const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    const bool copies = local_row == 0 && local_col == 0;
    const int tiles = size / TILE;

    // Of its turn with tile number `tile`.
    const auto begin_copies = [&](int tile) {
        const int stage = tile % STAGES;
        arrive_expecting(&full[stage], 2 * TILE_BYTES);
        copy_tile(&a_shared[stage][0][0], &a, row, tile * TILE, &full[stage]);
        copy_tile(&b_shared[stage][0][0], &b, tile * TILE, col, &full[stage]);
    };
    if (copies) {
        for (int stage = 0; stage < STAGES; ++stage) {
            init(&full[stage], 1);
            init(&empty[stage], TILE * TILE);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int tile = 0; tile < STAGES - 1 && tile < tiles; ++tile)
            begin_copies(tile);
    }
    __syncthreads();

    float acc = 0.0f;
    for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % STAGES;
        if (const int next = tile + STAGES - 1; copies && next < tiles) {
            begin_copies(next);
        }
        wait(&full[stage], tile / STAGES % 2);
        for (int k = 0; k < TILE; ++k)
            acc += a_shared[stage][local_row][k] * b_shared[stage][k][local_col];
        arrive(&empty[stage]);
    }
    out[(row + local_row) * size + col + local_col] = acc;
}

/// Up to 256 values.
static void print(const char* label, const std::vector<float>& values)
{
    std::printf("%s", label);
    for (size_t i = 0; i < values.size() && i < 256; ++i)
        std::printf(" %g", values[i]);
    std::puts(values.size() > 256 ? " ..." : "");
}

static float* to_device(const std::vector<float>& values)
{
    float* pointer = nullptr;
    cudaMalloc(&pointer, values.size() * sizeof(float));
    cudaMemcpy(pointer, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return pointer;
}

static CUtensorMap tiles_of(float* matrix, int size)
{
    decltype(&cuTensorMapEncodeTiled) encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode), 12000,
                                     cudaEnableDefault, &found);
    const cuuint64_t extents[] = {cuuint64_t(size), cuuint64_t(size)}, strides[] = {size * sizeof(float)};
    const cuuint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
    CUtensorMap map;
    encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, extents, strides, box, steps,
           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 64;
    std::vector<float> a_host(size * size), b_host(size * size), expected(size * size, 0.0f);
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i % 7);
        b_host[i] = float(i % 5);
    }
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col)
            for (int k = 0; k < size; ++k)
                expected[row * size + col] += a_host[row * size + k] * b_host[k * size + col];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    matmul_ring<<<dim3(size / TILE, size / TILE), dim3(TILE, TILE)>>>(out, tiles_of(a, size), tiles_of(b, size), size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
