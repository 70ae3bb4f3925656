// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A seven-point stencil in three dimensions: each inner cell becomes the mean of itself and its six neighbours; the
// border stays. 16x16x16 cells. Another width: the first argument.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void stencil_3d(float* out, const float* a, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= size || y >= size || z >= size)
        return;
    int row = size;
    int slice = size * size;
    int i = z * slice + y * row + x;
    bool inside = x > 0 && x < size - 1 && y > 0 && y < size - 1 && z > 0 && z < size - 1;
    out[i] =
        inside ? (a[i] + a[i - 1] + a[i + 1] + a[i - row] + a[i + row] + a[i - slice] + a[i + slice]) / 7.0f : a[i];
}

constexpr float TOLERANCE = 1e-6f;

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

/// Copies the result back, prints both, and compares them within the rounding of long sums.
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
    for (size_t i = 0; i < expected.size(); ++i)
        if (!(std::fabs(out_host[i] - expected[i]) <= TOLERANCE * (1.0f + std::fabs(expected[i]))))
            return false;
    return true;
}

int main(int argc, char** argv)
{
    const int size = argc > 1 ? std::atoi(argv[1]) : 16;
    const int row = size, slice = size * size;
    std::vector<float> a_host(slice * size);
    for (int i = 0; i < slice * size; ++i)
        a_host[i] = float(i % 13);
    std::vector<float> expected = a_host;
    for (int z = 1; z < size - 1; ++z)
        for (int y = 1; y < size - 1; ++y)
            for (int x = 1; x < size - 1; ++x) {
                const float* c = &a_host[z * slice + y * row + x];
                expected[z * slice + y * row + x] =
                    (c[0] + c[-1] + c[1] + c[-row] + c[row] + c[-slice] + c[slice]) / 7.0f;
            }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, slice * size * sizeof(float));
    const dim3 block(8, 4, 4);
    const dim3 grid((size + block.x - 1) / block.x, (size + block.y - 1) / block.y, (size + block.z - 1) / block.z);
    stencil_3d<<<grid, block>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
