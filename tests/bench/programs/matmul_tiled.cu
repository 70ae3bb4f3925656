// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiled matmul that the benchmarks time: square matrices of argv[1] (a multiple of 16), 16×16 tiles.
// Prints the kernel's best time of argv[2] runs in seconds.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TPB = 16;

__global__ void matmul_tiled(float* out, const float* a, const float* b, int size)
{
    __shared__ float a_shared[TPB][TPB];
    __shared__ float b_shared[TPB][TPB];
    int local_row = threadIdx.y;
    int local_col = threadIdx.x;
    int row = blockIdx.y * TPB + local_row;
    int col = blockIdx.x * TPB + local_col;
    float acc = 0;
    for (int tile = 0; tile < size / TPB; ++tile) {
        a_shared[local_row][local_col] = a[row * size + tile * TPB + local_col];
        b_shared[local_row][local_col] = b[(tile * TPB + local_row) * size + col];
        __syncthreads();
        for (int k = 0; k < TPB; ++k)
            acc += a_shared[local_row][k] * b_shared[k][local_col];
        __syncthreads();
    }
    out[row * size + col] = acc;
}

int main(int argc, char** argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 128;
    int runs = argc > 2 ? atoi(argv[2]) : 1;
    size_t count = size_t(size) * size;
    std::vector<float> a(count), b(count), out(count);
    srand(1);
    for (size_t i = 0; i < count; ++i) {
        a[i] = rand() / float(RAND_MAX);
        b[i] = rand() / float(RAND_MAX);
    }
    float *device_a, *device_b, *device_out;
    cudaMalloc(&device_a, count * sizeof(float));
    cudaMalloc(&device_b, count * sizeof(float));
    cudaMalloc(&device_out, count * sizeof(float));
    cudaMemcpy(device_a, a.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = INFINITY;
    for (int run = 0; run < runs; ++run) {
        cudaEventRecord(start);
        matmul_tiled<<<dim3(size / TPB, size / TPB), dim3(TPB, TPB)>>>(device_out, device_a, device_b, size);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, start, stop);
        best = fminf(best, milliseconds);
    }
    cudaMemcpy(out.data(), device_out, count * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < size; i += 7) {
        float expected = 0;
        for (int k = 0; k < size; ++k)
            expected += a[i * size + k] * b[k * size + i];
        if (fabsf(expected - out[i * size + i]) > 1e-3f * expected)
            return 1;
    }
    printf("%.9f\n", best / 1000);
    return 0;
}
