// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: a round of the scan reads and writes one array with one barrier. A thread may read its neighbour's cell
// before or after the neighbour has added to it: shared[local_i - offset] races with shared[local_i] of the thread to
// the left. On a GPU it goes well while all threads are in one warp that happens to run in step. The corrected twin is
// 12_prefix_sum_hillis_steele.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int SIZE = 8;
constexpr int TPB = 8;  // threads per block

__global__ void prefix_sum(float* out, const float* a, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;
    if (global_i < size)
        shared[local_i] = a[global_i];
    __syncthreads();

    for (int offset = 1; offset < TPB; offset *= 2) {
        if (local_i >= offset && local_i < size)
            shared[local_i] += shared[local_i - offset];
        __syncthreads();
    }
    if (global_i < size)
        out[global_i] = shared[local_i];
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
    cudaMalloc(&out, SIZE * sizeof(float));
    prefix_sum<<<1, TPB>>>(out, a, SIZE);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
