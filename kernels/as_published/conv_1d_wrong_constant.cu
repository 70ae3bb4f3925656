// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: written for CONV taps and used with CONV_2, and the tail and the halo are not zeroed. The halo is one
// cell short, one tap is left out, so `out` is wrong; and in the last block threads read cells of shared_a that nobody
// filled. The corrected twin is 11_conv_1d_block_boundary.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 15;
constexpr int CONV = 3;
constexpr int CONV_2 = 4;
constexpr int TPB = 8;  // threads per block
constexpr int BLOCKS = 2;

__global__ void conv_1d(float* out, const float* a, const float* b)
{
    __shared__ float shared_a[TPB + CONV - 1];
    __shared__ float shared_b[CONV];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < SIZE)
        shared_a[local_i] = a[global_i];
    if (local_i < CONV - 1 && global_i + TPB < SIZE)
        shared_a[local_i + TPB] = a[global_i + TPB];
    if (local_i < CONV)
        shared_b[local_i] = b[local_i];
    __syncthreads();

    if (global_i < SIZE) {
        float sum = 0.0f;
        for (int j = 0; j < CONV; ++j)
            sum += shared_a[local_i + j] * shared_b[j];
        out[global_i] = sum;
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
    std::vector<float> a_host(SIZE), b_host(CONV_2), expected(SIZE, 0.0f);
    for (int i = 0; i < SIZE; ++i)
        a_host[i] = float(i);
    for (int i = 0; i < CONV_2; ++i)
        b_host[i] = float(i);
    for (int i = 0; i < SIZE; ++i)
        for (int j = 0; j < CONV_2 && i + j < SIZE; ++j)
            expected[i] += a_host[i + j] * b_host[j];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, SIZE * sizeof(float));
    conv_1d<<<BLOCKS, TPB>>>(out, a, b);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
