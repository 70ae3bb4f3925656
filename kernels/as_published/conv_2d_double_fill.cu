// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: each thread copies its cell into the shared tile, and then the loop that fills tile and halo together
// writes the same cells again, with the same values. The result is right, those stores are redundant. The corrected
// twin is 11_conv_2d_halo.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int HEIGHT = 12;
constexpr int WIDTH = 16;
constexpr int K = 3;
constexpr int TPB = 8;             // threads per block, each way
constexpr int TILE = TPB + K - 1;  // with the halo

__global__ void conv_2d(float* out, const float* a, const float* b)
{
    __shared__ float tile[TILE][TILE];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;

    tile[local_row][local_col] = row < HEIGHT && col < WIDTH ? a[row * WIDTH + col] : 0.0f;
    for (int y = local_row; y < TILE; y += TPB)
        for (int x = local_col; x < TILE; x += TPB) {
            int from_row = blockIdx.y * TPB + y;
            int from_col = blockIdx.x * TPB + x;
            tile[y][x] = from_row < HEIGHT && from_col < WIDTH ? a[from_row * WIDTH + from_col] : 0.0f;
        }
    __syncthreads();

    if (row < HEIGHT && col < WIDTH) {
        float sum = 0.0f;
        for (int y = 0; y < K; ++y)
            for (int x = 0; x < K; ++x)
                sum += tile[local_row + y][local_col + x] * b[y * K + x];
        out[row * WIDTH + col] = sum;
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

int main()
{
    const std::vector<float> a_host(HEIGHT * WIDTH, 1.0f), b_host(K * K, 1.0f);
    std::vector<float> expected(HEIGHT * WIDTH, 0.0f);
    for (int row = 0; row < HEIGHT; ++row)
        for (int col = 0; col < WIDTH; ++col)
            for (int y = 0; y < K && row + y < HEIGHT; ++y)
                for (int x = 0; x < K && col + x < WIDTH; ++x)
                    expected[row * WIDTH + col] += a_host[(row + y) * WIDTH + col + x] * b_host[y * K + x];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, HEIGHT * WIDTH * sizeof(float));
    conv_2d<<<dim3((WIDTH + TPB - 1) / TPB, (HEIGHT + TPB - 1) / TPB), dim3(TPB, TPB)>>>(out, a, b);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
