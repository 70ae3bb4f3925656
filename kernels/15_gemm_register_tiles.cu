// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product in three levels: a block computes a 64x64 tile from slices in shared memory, each of its 8 warps 32x16
// of it, each thread 4x4, as outer products of what it holds in registers. 128x128 matrices. Another multiple of 64:
// the first argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BLOCK = 64;      // of the result per block, each way
constexpr int SLICE = 8;       // of the inner dimension at a time
constexpr int WARP_ROWS = 32;  // of the result per warp
constexpr int WARP_COLS = 16;
constexpr int TILE = 4;  // of the result per thread, each way
constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS) gemm(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[SLICE][BLOCK];  // transposed, so that a thread's four rows lie side by side
    __shared__ float b_shared[SLICE][BLOCK];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = warp / (BLOCK / WARP_COLS) * WARP_ROWS + lane / (WARP_COLS / TILE) * TILE;
    int col = warp % (BLOCK / WARP_COLS) * WARP_COLS + lane % (WARP_COLS / TILE) * TILE;

    float acc[TILE][TILE] = {};
    for (int slice = 0; slice < size; slice += SLICE) {
        for (int i = threadIdx.x; i < BLOCK * SLICE; i += THREADS) {
            int a_row = i / SLICE, a_col = i % SLICE;
            a_shared[a_col][a_row] = a[(blockIdx.y * BLOCK + a_row) * size + slice + a_col];
            int b_row = i / BLOCK, b_col = i % BLOCK;
            b_shared[b_row][b_col] = b[(slice + b_row) * size + blockIdx.x * BLOCK + b_col];
        }
        __syncthreads();

        for (int k = 0; k < SLICE; ++k) {
            float a_reg[TILE], b_reg[TILE];
            for (int i = 0; i < TILE; ++i) {
                a_reg[i] = a_shared[k][row + i];
                b_reg[i] = b_shared[k][col + i];
            }
            for (int i = 0; i < TILE; ++i)
                for (int j = 0; j < TILE; ++j)
                    acc[i][j] += a_reg[i] * b_reg[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE; ++i)
        for (int j = 0; j < TILE; ++j)
            out[(blockIdx.y * BLOCK + row + i) * size + blockIdx.x * BLOCK + col + j] = acc[i][j];
}

constexpr float TOLERANCE = 1e-5f;

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

/// Copies the result back, prints both, and compares them within the rounding of long sums.
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
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(out_host[i] - expected[i]) <= TOLERANCE * (1.0f + std::fabs(expected[i]))))
            return false;
    return true;
}

static std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int size)
{
    std::vector<float> out(size * size, 0.0f);
    for (int row = 0; row < size; ++row)
        for (int k = 0; k < size; ++k)
            for (int col = 0; col < size; ++col)
                out[row * size + col] += a[row * size + k] * b[k * size + col];
    return out;
}

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 128;
    std::vector<float> a_host(size * size), b_host(size * size);
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i % 7);
        b_host[i] = float(2 * (i % 7));
    }
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    gemm<<<dim3(size / BLOCK, size / BLOCK), THREADS>>>(out, a, b, size);
    const bool correct = report(out, multiply(a_host, b_host, size));
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
