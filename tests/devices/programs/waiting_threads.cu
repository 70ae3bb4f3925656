// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One host thread waits for a kernel that waits for a flag; another one launches the kernel that sets it, later.
#include <chrono>
#include <cstdio>
#include <thread>

__global__ void wait(volatile int* go, int* out)
{
    while (*go == 0) {
    }
    *out = 1;
}

__global__ void open(volatile int* go)
{
    *go = 1;
}

int main()
{
    int* memory = nullptr;
    cudaMalloc(&memory, 2 * sizeof(int));
    cudaMemset(memory, 0, 2 * sizeof(int));
    cudaDeviceSynchronize();
    std::thread waiting([=] {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        wait<<<1, 1, 0, stream>>>(memory, memory + 1);
        std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
        cudaStreamDestroy(stream);
    });
    std::thread opening([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        open<<<1, 1, 0, stream>>>(memory);
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    });
    waiting.join();
    opening.join();
    cudaFree(memory);
}
