// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Float variables whose values replay computes: sums over shared memory, fused or not, in diverged lanes, with NaN and
// infinity on the way. Each round's value goes to `history` too, where it is recorded.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kThreads = 48, kRounds = 64;

template <typename T>
__global__ void accumulate(T* history)
{
    __shared__ T tile[kThreads];
    int i = threadIdx.x;
    tile[i] = i == 5 ? T(1) / T(0) : i == 17 ? T(0) / T(0) * T(i) : T(i) * T(0.37) - T(3.1);
    __syncthreads();
    T sum = T(0.5);
    for (int round = 0; round < kRounds; ++round) {
        T a = tile[(i + round) % kThreads];
        if ((i + round) % 3 == 0)
            sum = sum * T(0.75) - tile[i];
        else if (round % 7 == 6)
            sum = -(a / sum) + T(1);
        else
            sum += tile[(i * 5 + round) % kThreads] * a;
        if (round % 16 == 15)
            sum = tile[0];
        history[round * kThreads + i] = sum;
    }
}

template <typename T>
int run(const char* name)
{
    T* history;
    cudaMalloc(&history, sizeof(T) * kThreads * kRounds);
    accumulate<<<1, kThreads>>>(history);
    int error = cudaDeviceSynchronize();
    std::printf("%s: %s\n", name, error ? "wrong" : "ran");
    return error;
}

int main()
{
    return run<float>("float") + run<double>("double");
}
