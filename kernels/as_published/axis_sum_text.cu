// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The defect: the reduction's guard is `local_i < size` where `local_i < stride` is meant. A thread adds its
// neighbour's cell while the neighbour adds to it, a race, and threads near the end read past the tile. The corrected
// twin is 13_axis_sum_rows.cu.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int BATCH = 4;
constexpr int SIZE = 6;
constexpr int TPB = 8;  // threads per block

__global__ void axis_sum(float* out, const float* a, int size)
{
    __shared__ float cache[TPB];
    int local_i = threadIdx.x;
    int batch = blockIdx.y;
    cache[local_i] = local_i < size ? a[batch * size + local_i] : 0.0f;
    __syncthreads();

    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        if (local_i < size)
            cache[local_i] += cache[local_i + stride];
        __syncthreads();
    }
    if (local_i == 0)
        out[batch] = cache[0];
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
    std::vector<float> a_host(BATCH * SIZE), expected(BATCH, 0.0f);
    for (int i = 0; i < BATCH * SIZE; ++i) {
        a_host[i] = float(i);
        expected[i / SIZE] += a_host[i];
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, BATCH * sizeof(float));
    axis_sum<<<dim3(1, BATCH), TPB>>>(out, a, SIZE);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
