// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prefix sum after Blelloch: an up-sweep adds pairs into a tree, a down-sweep hands the sums of everything to the
// left back down. Half the additions of Hillis and Steele for large arrays. 8 elements, 1 block of 8 threads. Fewer:
// the first argument.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 8;  // threads per block, a power of two

__global__ void blelloch(float* out, const float* a, int size)
{
    __shared__ float tree[TPB];
    int local_i = threadIdx.x;
    float own = local_i < size ? a[local_i] : 0.0f;
    tree[local_i] = own;
    __syncthreads();

    for (int stride = 1; stride < TPB; stride *= 2) {  // up-sweep
        int right = (local_i + 1) * 2 * stride - 1;
        if (right < TPB)
            tree[right] += tree[right - stride];
        __syncthreads();
    }
    if (local_i == 0)
        tree[TPB - 1] = 0.0f;
    __syncthreads();

    for (int stride = TPB / 2; stride > 0; stride /= 2) {  // down-sweep
        int right = (local_i + 1) * 2 * stride - 1;
        if (right < TPB) {
            float left = tree[right - stride];
            tree[right - stride] = tree[right];
            tree[right] += left;
        }
        __syncthreads();
    }
    if (local_i < size)
        out[local_i] = tree[local_i] + own;  // everything to the left, and the element itself
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
    float sum = 0.0f;
    for (int i = 0; i < size; ++i) {
        a_host[i] = float(i % 100);
        sum += a_host[i];
        expected[i] = sum;
    }
    float* a = to_device(a_host);
    float* out = nullptr;
    cudaMalloc(&out, size * sizeof(float));
    blelloch<<<1, TPB>>>(out, a, size);
    const bool correct = report(out, expected);
    cudaFree(out);
    cudaFree(a);
    return correct ? 0 : 1;
}
