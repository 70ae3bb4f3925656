// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: one kernel for a sum over two blocks. Each block leaves its total in `out`, waits at a barrier, and adds
// the total of the block before; but a barrier waits for the threads of one block only. Block 1 reads what block 0 may
// not have written yet: a race across blocks. The corrected twin, 12_prefix_sum_block_boundary.cu, uses two kernels.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 15;
constexpr int TPB = 8;  // threads per block
constexpr int BLOCKS = 2;

__global__ void prefix_sum(float* out, const float* a, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    shared[local_i] = global_i < size ? a[global_i] : 0.0f;
    __syncthreads();

    for (int offset = 1; offset < TPB; offset *= 2) {
        float current = local_i >= offset ? shared[local_i - offset] : 0.0f;
        __syncthreads();
        shared[local_i] += current;
        __syncthreads();
    }
    if (local_i == TPB - 1)
        out[size + blockIdx.x] = shared[local_i];

    __syncthreads();  // meant for all blocks

    float before = blockIdx.x > 0 ? out[size + blockIdx.x - 1] : 0.0f;
    if (global_i < size)
        out[global_i] = shared[local_i] + before;
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
    std::vector<float> a_host(SIZE), expected(SIZE);
    float sum = 0.0f;
    for (int i = 0; i < SIZE; ++i) {
        a_host[i] = float(i);
        sum += a_host[i];
        expected[i] = sum;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, (SIZE + BLOCKS) * sizeof(float));
    cudaMemset(out, 0, (SIZE + BLOCKS) * sizeof(float));
    prefix_sum<<<BLOCKS, TPB>>>(out, a, SIZE);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
