// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: `a` is declared as one column, SIZE rows of 1, and indexed as a square. Where j is 1 or more, a[i][j] is
// outside the declared shape; it lands in another cell of the same buffer, the wrong one. All of `a` is 1, so nobody
// sees it. The corrected twin is 07_blocks_2d_layout.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 5;
constexpr int TPB = 3;  // threads per block, each way
constexpr int BLOCKS = (SIZE + TPB - 1) / TPB;

__global__ void add_10_blocks_2d(float (*out)[SIZE], const float (*a)[1], int size)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && j < size)
        out[i][j] = a[i][j] + 10.0f;
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
    const std::vector<float> a_host(SIZE * SIZE, 1.0f), expected(SIZE * SIZE, 11.0f);
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * SIZE * sizeof(float));
    add_10_blocks_2d<<<dim3(BLOCKS, BLOCKS), dim3(TPB, TPB)>>>(reinterpret_cast<float(*)[SIZE]>(out),
                                                               reinterpret_cast<const float(*)[1]>(a), SIZE);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
