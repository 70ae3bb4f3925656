// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of each row: one block per row, a tree in shared memory. 4x6 elements, a grid of (1, 4) blocks of 8 threads.
// Other sizes: rows and columns (up to 8).
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 8;  // threads per block

__global__ void axis_sum_rows(float* out, const float* a, int cols)
{
    __shared__ float cache[TPB];
    int local_i = threadIdx.x;
    int row = blockIdx.y;
    cache[local_i] = local_i < cols ? a[row * cols + local_i] : 0.0f;
    __syncthreads();

    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        if (local_i < stride)
            cache[local_i] += cache[local_i + stride];
        __syncthreads();
    }
    if (local_i == 0)
        out[row] = cache[0];
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
    const int rows = argc > 1 ? std::atoi(argv[1]) : 4;
    const int cols = argc > 2 ? std::atoi(argv[2]) : 6;
    std::vector<float> a_host(rows * cols), expected(rows, 0.0f);
    for (int i = 0; i < rows * cols; ++i) {
        a_host[i] = float(i);
        expected[i / cols] += a_host[i];
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, rows * sizeof(float));
    axis_sum_rows<<<dim3(1, rows), TPB>>>(out, a, cols);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
