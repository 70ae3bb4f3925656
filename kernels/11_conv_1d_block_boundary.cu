// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution over several blocks: each needs the first elements of the next block as well, its halo, and loads them
// too. Past the end both are zero. 15 elements, 4 taps, 2 blocks of 8 threads, a halo of 3. Another size: the first
// argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int CONV = 4;         // taps
constexpr int TPB = 8;          // threads per block
constexpr int HALO = CONV - 1;  // elements of the next block

__global__ void conv_1d_block_boundary(float* out, const float* a, const float* b, int size)
{
    __shared__ float shared_a[TPB + HALO];
    __shared__ float shared_b[CONV];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;

    shared_a[local_i] = global_i < size ? a[global_i] : 0.0f;
    if (local_i < HALO)
        shared_a[local_i + TPB] = global_i + TPB < size ? a[global_i + TPB] : 0.0f;
    if (local_i < CONV)
        shared_b[local_i] = b[local_i];
    __syncthreads();

    if (global_i < size) {
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

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 15;
    std::vector<float> a_host(size), b_host(CONV), expected(size, 0.0f);
    for (int i = 0; i < size; ++i)
        a_host[i] = float(i);
    for (int j = 0; j < CONV; ++j)
        b_host[j] = float(j);
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < CONV && i + j < size; ++j)
            expected[i] += a_host[i + j] * b_host[j];
    float* a = to_device(a_host);
    float* b = to_device(b_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    conv_1d_block_boundary<<<(size + TPB - 1) / TPB, TPB>>>(out, a, b, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(b);
    cudaFree(a);
    return correct ? 0 : 1;
}
