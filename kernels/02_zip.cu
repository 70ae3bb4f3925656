// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zip: every thread adds two arrays at its own index. One block of 4 threads, 4 elements.
#include <cstdio>

constexpr int SIZE = 4;

__global__ void add(float* out, const float* a, const float* b)
{
    int i = threadIdx.x;
    out[i] = a[i] + b[i];
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
    float a_host[SIZE], b_host[SIZE], out_host[SIZE], expected[SIZE];
    for (int i = 0; i < SIZE; ++i) {
        a_host[i] = static_cast<float>(i);
        b_host[i] = static_cast<float>(i);
        expected[i] = a_host[i] + b_host[i];
    }

    float *out, *a, *b;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMalloc(&b, sizeof(b_host));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);
    cudaMemcpy(b, b_host, sizeof(b_host), cudaMemcpyHostToDevice);

    add<<<1, SIZE>>>(out, a, b);
    cudaError_t error = cudaMemcpy(out_host, out, sizeof(out_host), cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error));
        return 1;
    }

    print("out:     ", out_host);
    print("expected:", expected);
    cudaFree(b);
    cudaFree(a);
    cudaFree(out);
    for (int i = 0; i < SIZE; ++i)
        if (out_host[i] != expected[i])
            return 1;
    return 0;
}
