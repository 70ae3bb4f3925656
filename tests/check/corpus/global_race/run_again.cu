// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where blocks on several host threads race, the launch runs again on one: what else it wrote is as it was before, be
// it each thread's own or counted by atomics.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void count(int* own, int* sum, int* last)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[i] += i;
    atomicAdd(sum, 1);
#ifdef FIXED
    if (i == 0)
#endif
        *last = i;  // expect: global-race error
}

int main()
{
    constexpr int kThreads = 64, kBlocks = 64, kCount = kThreads * kBlocks;
    int *own = nullptr, *sum = nullptr, *last = nullptr;
    cudaMalloc(&own, kCount * sizeof(int));
    cudaMalloc(&sum, sizeof(int));
    cudaMalloc(&last, sizeof(int));
    std::vector<int> values(kCount, 7);
    cudaMemcpy(own, values.data(), kCount * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(sum, 0, sizeof(int));
    count<<<kBlocks, kThreads>>>(own, sum, last);
    int counted = 0;
    cudaMemcpy(&counted, sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(values.data(), own, kCount * sizeof(int), cudaMemcpyDeviceToHost);
    bool isRight = counted == kCount;
    for (int i = 0; i < kCount; ++i)
        isRight = isRight && values[i] == 7 + i;
    std::printf("%s\n", isRight ? "right" : "wrong");
    // A finding that nobody expects.
    cudaMemcpy(&counted, isRight ? sum : nullptr, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(own);
    cudaFree(sum);
    cudaFree(last);
    return isRight ? 0 : 1;
}
