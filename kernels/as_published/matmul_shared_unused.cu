// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the tiles are loaded into shared memory, and then the product reads global memory. The result is right,
// the shared stores are dead, and every element is read from global memory again and again. The corrected twin is
// 14_matmul_shared.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 2;
constexpr int TPB = 3;  // threads per block, each way

__global__ void matmul(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    if (local_row < size && local_col < size) {
        a_shared[local_row][local_col] = a[local_row * size + local_col];
        b_shared[local_row][local_col] = b[local_row * size + local_col];
    }
    __syncthreads();

    if (local_row < size && local_col < size) {
        float acc = 0.0f;
        for (int k = 0; k < size; ++k)
            acc += a[local_row * size + k] * b[k * size + local_col];
        out[local_row * size + local_col] = acc;
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

static std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b)
{
    std::vector<float> out(SIZE * SIZE, 0.0f);
    for (int row = 0; row < SIZE; ++row)
        for (int col = 0; col < SIZE; ++col)
            for (int k = 0; k < SIZE; ++k)
                out[row * SIZE + col] += a[row * SIZE + k] * b[k * SIZE + col];
    return out;
}

int main()
{
    std::vector<float> a_host(SIZE * SIZE), b_host(SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; ++i) {
        a_host[i] = float(i);
        b_host[i] = float(2 * (i));
    }
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * SIZE * sizeof(float));
    matmul<<<1, dim3(TPB, TPB)>>>(out, a, b, SIZE);
    const bool correct = report(out, multiply(a_host, b_host));
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
