// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared memory: each block loads its elements into shared memory, waits, and adds 10. 2 blocks of 4 threads, 8 ones.
#include <cstdio>

constexpr int SIZE = 8;
constexpr int TPB = 4;  // threads per block

__global__ void add_10_shared(float* out, const float* a, int size)
{
    __shared__ float shared[TPB];
    int global_i = blockIdx.x * blockDim.x + threadIdx.x;
    int local_i = threadIdx.x;

    if (global_i < size)
        shared[local_i] = a[global_i];
    __syncthreads();

    if (global_i < size)
        out[global_i] = shared[local_i] + 10.0f;
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
        a_host[i] = 1.0f;
        expected[i] = a_host[i] + 10.0f;
    }

    float *out, *a;
    cudaMalloc(&out, sizeof(out_host));
    cudaMalloc(&a, sizeof(a_host));
    cudaMemcpy(a, a_host, sizeof(a_host), cudaMemcpyHostToDevice);

    add_10_shared<<<SIZE / TPB, TPB>>>(out, a, SIZE);
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
