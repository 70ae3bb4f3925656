// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the row of a thread comes from threadIdx.x. Consecutive threads of a warp then lie below each other:
// every global load touches 32 sectors instead of 4, and the shared tiles are walked column by column, a 32-way bank
// conflict. The result is right, and on a GPU it takes several times as long. The corrected twin is
// 14_matmul_tiled_32.cu. 64x64 matrices. Another multiple of 32: the first argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 32;  // threads per block and tile width, each way

__global__ void matmul_tiled(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.x;
    int local_col = threadIdx.y;
    int row = blockIdx.x * TPB + local_row;
    int col = blockIdx.y * TPB + local_col;

    float acc = 0.0f;
    for (int tile = 0; tile < size / TPB; ++tile) {
        a_shared[local_row][local_col] = a[row * size + tile * TPB + local_col];
        b_shared[local_row][local_col] = b[(tile * TPB + local_row) * size + col];
        __syncthreads();

        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
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
    matmul_tiled<<<dim3(size / TPB, size / TPB), dim3(TPB, TPB)>>>(out, a, b, size);
    const bool correct = report(out, multiply(a_host, b_host, size));
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
