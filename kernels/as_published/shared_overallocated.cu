// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the shared array is sized in bytes where elements are meant, TPB * sizeof(float) floats instead of TPB.
// Three quarters of it are never touched; on a GPU fewer blocks fit on a multiprocessor. The corrected twin is
// 09_pooling.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 8;  // threads per block

__global__ void pooling(float* out, const float* a, int size)
{
    __shared__ float shared[TPB * sizeof(float)];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < size)
        shared[local_i] = a[global_i];
    __syncthreads();

    if (global_i < size) {
        float sum = shared[local_i];
        if (local_i > 0)
            sum += shared[local_i - 1];
        if (local_i > 1)
            sum += shared[local_i - 2];
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

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : TPB;
    std::vector<float> a_host(size), expected(size);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i);
        expected[i] = a_host[i] + (i > 0 ? a_host[i - 1] : 0.0f) + (i > 1 ? a_host[i - 2] : 0.0f);
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    pooling<<<1, TPB>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
