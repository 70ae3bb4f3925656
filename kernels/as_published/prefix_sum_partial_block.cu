// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the last block is not full. Its idle thread never fills its cell of `shared`, but the last thread of
// every block stores shared[TPB - 1] as the block's total: a read of uninitialised shared memory. The total of the last
// block is not used, so the result is right. The corrected twin is 12_prefix_sum_block_boundary.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 15;
constexpr int TPB = 8;  // threads per block
constexpr int BLOCKS = 2;

__global__ void prefix_sum_local(float* out, const float* a, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < size)
        shared[local_i] = a[global_i];
    __syncthreads();

    for (int offset = 1; offset < TPB; offset *= 2) {
        float current = 0.0f;
        if (local_i >= offset && global_i < size)
            current = shared[local_i - offset];
        __syncthreads();
        if (local_i >= offset && global_i < size)
            shared[local_i] += current;
        __syncthreads();
    }
    if (global_i < size)
        out[global_i] = shared[local_i];
    if (local_i == TPB - 1)
        out[size + blockIdx.x] = shared[local_i];
}

__global__ void prefix_sum_add_totals(float* out, int size)
{
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && global_i < size)
        out[global_i] += out[size + blockIdx.x - 1];
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
    const int first = argc > 1 ? std::atoi(argv[1]) : 0;  // the values count from here
    std::vector<float> a_host(SIZE), expected(SIZE);
    float sum = 0.0f;
    for (int i = 0; i < SIZE; ++i) {
        a_host[i] = float(first + i);
        sum += a_host[i];
        expected[i] = sum;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, (SIZE + BLOCKS) * sizeof(float));
    prefix_sum_local<<<BLOCKS, TPB>>>(out, a, SIZE);
    prefix_sum_add_totals<<<BLOCKS, TPB>>>(out, SIZE);
    const bool correct = report(out, expected);
    std::vector<float> totals(BLOCKS);
    cudaMemcpy(totals.data(), out + SIZE, BLOCKS * sizeof(float), cudaMemcpyDeviceToHost);
    print("totals:  ", totals);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
