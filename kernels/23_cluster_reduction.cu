// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of rows, each by a cluster of four blocks. Every block adds up a quarter in its shared memory, and the first one
// reads the other three's sums there, through distributed shared memory. 3 rows of 600. Another length: the first
// argument.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

constexpr int BLOCKS = 4;  // of a cluster
constexpr int TPB = 64;

__global__ void __cluster_dims__(BLOCKS, 1, 1) row_sums(float* out, const float* a, int cols)
{
    __shared__ float shared[TPB];
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = cluster.block_rank();
    const int local_i = threadIdx.x;

    float sum = 0.0f;
    for (int col = rank * TPB + local_i; col < cols; col += BLOCKS * TPB)
        sum += a[blockIdx.y * cols + col];
    shared[local_i] = sum;
    for (int stride = TPB / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (local_i < stride)
            shared[local_i] += shared[local_i + stride];
    }

    // Every block has its sum in shared[0]; the first one fetches them where they lie.
    cluster.sync();
    if (rank == 0 && local_i == 0) {
        float total = 0.0f;
        for (int other = 0; other < BLOCKS; ++other)
            total += *cluster.map_shared_rank(&shared[0], other);
        out[blockIdx.y] = total;
    }
    cluster.sync();  // no block leaves while its shared memory is read
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
    const int cols = argc > 1 ? std::atoi(argv[1]) : 600;
    const int rows = 3;
    std::vector<float> a_host(rows * cols), expected(rows, 0.0f);
    for (int i = 0; i < rows * cols; ++i) {
        a_host[i] = float(i % 10 + i / cols);
        expected[i / cols] += a_host[i];
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, rows * sizeof(float));
    row_sums<<<dim3(BLOCKS, rows), TPB>>>(out, a, cols);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
