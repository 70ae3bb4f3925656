// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out = a x b on tensor cores, b given by columns (transposed), as mma.sync wants it. A block computes 32x32 of the
// result, each of its 4 warps 16x16, in steps of 16x8x8. Tiles lie swizzled in shared memory: the four floats of chunk
// c of row r are kept at chunk c ^ (r % 8), so that ldmatrix meets all 32 banks at once. Inputs are rounded to tf32, 10
// bits behind the point: the result is within TOLERANCE of a sum in double. 64x64x64. Another multiple of 32: the first
// argument.
#include <cuda_pipeline.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;      // rows, columns and depth of a block's tiles
constexpr int CHUNK = 4;      // floats that are copied and swizzled together: 16 bytes
constexpr int THREADS = 128;  // 2x2 warps

using Tile = float[TILE][TILE];

/// Where a tile keeps element (row, col).
__device__ float* swizzled(Tile& tile, int row, int col)
{
    return &tile[row][(col / CHUNK ^ row % 8) * CHUNK + col % CHUNK];
}

/// Rows from..from + 31 of \p matrix, columns k..k + 31.
__device__ void load_tile(Tile& tile, const float* matrix, int from, int k, int size)
{
    for (int i = threadIdx.x; i < TILE * TILE / CHUNK; i += THREADS) {
        int row = i / (TILE / CHUNK);
        int col = i % (TILE / CHUNK) * CHUNK;
        __pipeline_memcpy_async(swizzled(tile, row, col), &matrix[(from + row) * size + k + col],
                                CHUNK * sizeof(float));
    }
}

/// Four 8x4 pieces of a tile; this lane gives the address of one row of one of them, and gets one float of each.
__device__ void ldmatrix(uint32_t (&piece)[4], const float* row)
{
    uint32_t address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(piece[0]), "=r"(piece[1]), "=r"(piece[2]), "=r"(piece[3])
                 : "r"(address));
    for (uint32_t& value : piece)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(value) : "f"(__uint_as_float(value)));
}

__device__ void mma(float (&acc)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void __launch_bounds__(THREADS) gemm_mma(float* out, const float* a, const float* b_columns, int size)
{
    __shared__ __align__(16) Tile a_shared;
    __shared__ __align__(16) Tile b_shared;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int warp_row = warp / 2 * 16;
    int warp_col = warp % 2 * 16;

    float acc[2][4] = {};  // two pieces of 16x8
    for (int slice = 0; slice < size; slice += TILE) {
        load_tile(a_shared, a, blockIdx.y * TILE, slice, size);
        load_tile(b_shared, b_columns, blockIdx.x * TILE, slice, size);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();

        for (int k = 0; k < TILE; k += 8) {
            uint32_t a_piece[4], b_piece[4];
            ldmatrix(a_piece, swizzled(a_shared, warp_row + lane % 16, k + lane / 16 * 4));
            ldmatrix(b_piece, swizzled(b_shared, warp_col + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 4));
            mma(acc[0], a_piece, b_piece[0], b_piece[1]);
            mma(acc[1], a_piece, b_piece[2], b_piece[3]);
        }
        __syncthreads();
    }

    int row = blockIdx.y * TILE + warp_row + lane / 4;
    int col = blockIdx.x * TILE + warp_col + lane % 4 * 2;
    for (int piece = 0; piece < 2; ++piece)
        for (int i = 0; i < 4; ++i)
            out[(row + i / 2 * 8) * size + col + piece * 8 + i % 2] = acc[piece][i];
}

/// Of the sum of |a| |b|: each input is off by at most 2^-11 of itself.
constexpr double TOLERANCE = 1.0 / 1024;

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

/// Copies the result back, prints both, and compares them.
static bool report(const float* out, const std::vector<double>& expected, const std::vector<double>& magnitude)
{
    std::vector<float> out_host(expected.size());
    const cudaError_t error = cudaMemcpy(out_host.data(), out, expected.size() * sizeof(float), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return false;
    }
    print("out:     ", out_host);
    print("expected:", std::vector<float>(expected.begin(), expected.end()));
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(out_host[i] - expected[i]) <= TOLERANCE * magnitude[i]))
            return false;
    return true;
}

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 64;
    std::vector<float> a_host(size * size), b_host(size * size);  // b_host[col][row]
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i % 7);
        b_host[i] = float(i % 5) / 4;
    }
    std::vector<double> expected(size * size, 0.0), magnitude(size * size, 0.0);
    for (int row = 0; row < size; ++row)
        for (int col = 0; col < size; ++col)
            for (int k = 0; k < size; ++k) {
                const double product = double(a_host[row * size + k]) * b_host[col * size + k];
                expected[row * size + col] += product;
                magnitude[row * size + col] += std::fabs(product);
            }
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    gemm_mma<<<dim3(size / TILE, size / TILE), THREADS>>>(out, a, b, size);
    const bool correct = report(out, expected, magnitude);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
