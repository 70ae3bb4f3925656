// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guard: a block of 8 threads for 4 elements. The threads that have no element must do nothing.
#include <cstdio>

constexpr int SIZE = 4;
constexpr int THREADS = 8;

__global__ void add_10_guard(float* out, const float* a, int size)
{
    int i = threadIdx.x;
    if (i < size)
        out[i] = a[i] + 10.0f;
}

static void print(const char* label, const float* values)
{
    std::printf("%s", label);
    for (int i = 0; i < SIZE; ++i)
        std::printf(" %g", values[i]);
    std::printf("\n");
}

int main()
{
    float a_host[SIZE], out_host[SIZE], expected[SIZE];
    for (int i = 0; i < SIZE; ++i) {
        a_host[i] = static_cast<float>(i);
        expected[i] = a_host[i] + 10.0f;
    }

    float *out, *a;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);

    add_10_guard<<<1, THREADS>>>(out, a, SIZE);
    cudaError_t error = cudaMemcpy(out_host, out, sizeof(out_host), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return 1;
    }

    print("out:     ", out_host);
    print("expected:", expected);
    cudaFree(a);
    cudaFree(out);
    for (int i = 0; i < SIZE; ++i)
        if (out_host[i] != expected[i])
            return 1;
    return 0;
}
