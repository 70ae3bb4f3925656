// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host and a kernel that runs all the time hand numbers to each other by flags in mapped memory; with an argument
// the host waits for the answers without a call.
#include <cstdio>

enum { kAsked, kQuestion, kAnswer, kAnswered, kWords };

__global__ void serve(volatile int* box, int count)
{
    for (int n = 1; n <= count; ++n) {
        while (box[kAsked] != n) {
        }
        __threadfence_system();
        box[kAnswer] = box[kQuestion] * 2;
        __threadfence_system();
        box[kAnswered] = n;
    }
}

int main(int argc, char**)
{
    constexpr int kCount = 5;
    volatile int* box = nullptr;
    cudaHostAlloc((void**)&box, kWords * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < kWords; ++i)
        box[i] = 0;
    serve<<<1, 1>>>(box, kCount);
    int sum = 0;
    for (int n = 1; n <= kCount; ++n) {
        box[kQuestion] = n * 10;
        box[kAsked] = n;
        while (box[kAnswered] != n)
            if (argc == 1)
                cudaStreamQuery(nullptr);
        sum += box[kAnswer];
    }
    std::printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), sum);
    cudaFreeHost((void*)box);
}
