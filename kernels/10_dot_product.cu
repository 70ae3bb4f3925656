// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dot product: every thread multiplies a pair, then a tree in shared memory adds the products, half as many threads
// each round. 8 elements, 1 block of 8 threads. Fewer: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 8;  // threads per block

__global__ void dot_product(float* out, const float* a, const float* b, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    shared[local_i] = global_i < size ? a[global_i] * b[global_i] : 0.0f;
    __syncthreads();

    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        if (local_i < stride)
            shared[local_i] += shared[local_i + stride];
        __syncthreads();
    }
    if (local_i == 0)
        out[0] = shared[0];
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
    std::vector<float> a_host(size), expected(1, 0.0f);
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i);
        expected[0] += a_host[i] * a_host[i];
    }
    float* a = to_device(a_host);
    float* b = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, sizeof(float));
    dot_product<<<1, TPB>>>(out, a, b, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
