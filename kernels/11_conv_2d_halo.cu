// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution in two dimensions: each block loads its 8x8 tile and a halo, 10x10 cells, in a loop. 12x16 ones, 3x3
// taps. Another height and width: the arguments.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int K = 3;               // taps, each way
constexpr int TPB = 8;             // threads per block, each way
constexpr int TILE = TPB + K - 1;  // with the halo

__global__ void conv_2d_halo(float* out, const float* a, const float* b, int height, int width)
{
    __shared__ float tile[TILE][TILE];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    for (int y = local_row; y < TILE; y += TPB)
        for (int x = local_col; x < TILE; x += TPB) {
            int row = blockIdx.y * TPB + y;
            int col = blockIdx.x * TPB + x;
            tile[y][x] = row < height && col < width ? a[row * width + col] : 0.0f;
        }
    __syncthreads();

    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;
    if (row < height && col < width) {
        float sum = 0.0f;
        for (int y = 0; y < K; ++y)
            for (int x = 0; x < K; ++x)
                sum += tile[local_row + y][local_col + x] * b[y * K + x];
        out[row * width + col] = sum;
    }
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
    const int height = argc > 1 ? std::atoi(argv[1]) : 12;
    const int width = argc > 2 ? std::atoi(argv[2]) : 16;
    const std::vector<float> a_host(height * width, 1.0f), b_host(K * K, 1.0f);
    std::vector<float> expected(height * width, 0.0f);
    for (int row = 0; row < height; ++row)
        for (int col = 0; col < width; ++col)
            for (int y = 0; y < K && row + y < height; ++y)
                for (int x = 0; x < K && col + x < width; ++x)
                    expected[row * width + col] += a_host[(row + y) * width + col + x] * b_host[y * K + x];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, height * width * sizeof(float));
    const dim3 grid((width + TPB - 1) / TPB, (height + TPB - 1) / TPB);
    conv_2d_halo<<<grid, dim3(TPB, TPB)>>>(out, a, b, height, width);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
