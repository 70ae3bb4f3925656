// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of threads that all add to the same sums: the block has more rows than the kernel knows of. Every round of the
// loop races again, and is counted.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kColumns = 64, kRounds = 20;

#ifdef FIXED
#define ROWS 1
#else
#define ROWS 4
#endif

/// The sum is read once, and written in every round.
__global__ void sumColumns(float* sums, const float* in)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; row < kRounds; ++row)
        sums[column] += in[row * kColumns + column];  // expect: global-race count=15168
}

/// Some rounds change nothing: several threads have written one value then.
__global__ void clampColumns(int* most, const int* in)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 0; row < kRounds; ++row)
        most[column] = max(most[column], in[row * kColumns + column]);  // expect: global-race count=15168
}

int main()
{
    std::vector<float> in(kRounds * kColumns);
    std::vector<int> numbers(kRounds * kColumns);
    for (int i = 0; i < kRounds * kColumns; ++i) {
        in[i] = static_cast<float>(i % 7 + 1);
        numbers[i] = i * 37 % 101;
    }
    float *sums, *device;
    int *most, *all;
    cudaMalloc(&sums, kColumns * sizeof(float));
    cudaMalloc(&device, in.size() * sizeof(float));
    cudaMalloc(&most, kColumns * sizeof(int));
    cudaMalloc(&all, numbers.size() * sizeof(int));
    cudaMemset(sums, 0, kColumns * sizeof(float));
    cudaMemset(most, 0, kColumns * sizeof(int));
    cudaMemcpy(device, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(all, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice);
    sumColumns<<<kColumns / 32, dim3(32, ROWS)>>>(sums, device);
    clampColumns<<<kColumns / 32, dim3(32, ROWS)>>>(most, all);
    for (void* each :
         {static_cast<void*>(sums), static_cast<void*>(device), static_cast<void*>(most), static_cast<void*>(all)})
        cudaFree(each);
    return cudaDeviceSynchronize() == cudaSuccess ? EXIT_SUCCESS : EXIT_FAILURE;
}
