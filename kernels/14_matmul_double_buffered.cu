// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product with two stages: while the block multiplies one pair of tiles it loads the next into the other half of
// shared memory, so that one barrier a tile is enough. 64x64 matrices, 16x16 tiles. Another multiple of 16: the first
// argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 16;  // threads per block and tile width, each way

__global__ void matmul_double_buffered(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[2][TPB][TPB];
    __shared__ float b_shared[2][TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;
    int tiles = size / TPB;

    a_shared[0][local_row][local_col] = a[row * size + local_col];
    b_shared[0][local_row][local_col] = b[local_row * size + col];
    __syncthreads();

    float acc = 0.0f;
    for (int tile = 0; tile < tiles; ++tile) {
        int stage = tile % 2;
        if (tile + 1 < tiles) {
            a_shared[1 - stage][local_row][local_col] = a[row * size + (tile + 1) * TPB + local_col];
            b_shared[1 - stage][local_row][local_col] = b[((tile + 1) * TPB + local_row) * size + col];
        }
        for (int k = 0; k < TPB; ++k)
            acc += a_shared[stage][local_row][k] * b_shared[stage][k][local_col];
        __syncthreads();
    }
    out[row * size + col] = acc;
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 64;
    std::vector<float> a_host(size * size), b_host(size * size);
    for (int i = 0; i < size * size; ++i) {
        a_host[i] = float(i % 7);
        b_host[i] = float(2 * (i % 7));
    }
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, size * size * sizeof(float));
    matmul_double_buffered<<<dim3(size / TPB, size / TPB), dim3(TPB, TPB)>>>(out, a, b, size);
    const bool correct = report(out, multiply(a_host, b_host, size));
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
