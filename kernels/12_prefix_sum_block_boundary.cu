// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prefix sum over two blocks, with two kernels: the first scans each block and leaves its total in the tail of `out`,
// the second adds the total of the block before. Only the end of a kernel makes all blocks wait for each other. 15
// elements, 2 blocks of 8 threads. Fewer: the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 8;  // threads per block
constexpr int BLOCKS = 2;

__global__ void scan_blocks(float* out, const float* a, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    shared[local_i] = global_i < size ? a[global_i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < TPB; offset *= 2) {
        float left = local_i >= offset ? shared[local_i - offset] : 0.0f;
        __syncthreads();  // everybody has read before anybody writes
        shared[local_i] += left;
        __syncthreads();
    }
    if (global_i < size)
        out[global_i] = shared[local_i];
    if (local_i == TPB - 1)
        out[size + blockIdx.x] = shared[local_i];
}

__global__ void add_totals(float* out, int size)
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
    const int size = argc > 1 ? std::atoi(argv[1]) : 15;
    std::vector<float> a_host(size), expected(size);
    float sum = 0.0f;
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i % 100);
        sum += a_host[i];
        expected[i] = sum;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, (size + BLOCKS) * sizeof(float));
    scan_blocks<<<BLOCKS, TPB>>>(out, a, size);
    add_totals<<<BLOCKS, TPB>>>(out, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
