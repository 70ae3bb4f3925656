// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, events between them, host functions and callbacks, priorities.
#include <condition_variable>
#include <mutex>

#include "check.h"

__global__ void add(int* data, int value)
{
    data[threadIdx.x] += value;
}

struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    int done = 0;
};

void CUDART_CB onHost(void* data)
{
    *static_cast<int*>(data) += 1000;
}

void CUDART_CB onStream(cudaStream_t, cudaError_t status, void* data)
{
    Signal& signal = *static_cast<Signal*>(data);
    const std::lock_guard<std::mutex> lock(signal.mutex);
    signal.done = status == cudaSuccess ? 1 : 2;
    signal.changed.notify_all();
}

int main()
{
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    cudaEvent_t ready, disabled;
    CHECK(cudaEventCreate(&ready));
    CHECK(cudaEventCreateWithFlags(&disabled, cudaEventDisableTiming));
    int* data;
    int host[4] = {1, 2, 3, 4}, back[4] = {};
    CHECK(cudaMalloc(&data, sizeof(host)));
    CHECK(cudaMemcpyAsync(data, host, sizeof(host), cudaMemcpyHostToDevice, a));
    add<<<1, 4, 0, a>>>(data, 10);
    CHECK(cudaEventRecord(ready, a));
    CHECK(cudaStreamWaitEvent(b, ready, 0));
    add<<<1, 4, 0, b>>>(data, 100);
    CHECK(cudaMemcpyAsync(back, data, sizeof(back), cudaMemcpyDeviceToHost, b));
    CHECK(cudaStreamSynchronize(b));
    print("back", back, 4);

    CHECK(cudaLaunchHostFunc(a, onHost, back));
    CHECK(cudaLaunchHostFunc(a, onHost, back));
    CHECK(cudaStreamSynchronize(a));
    std::printf("host functions: %d\n", back[0]);
    Signal signal;
    {
        std::unique_lock<std::mutex> lock(signal.mutex);
        CHECK(cudaStreamAddCallback(a, onStream, &signal, 0));
        signal.changed.wait(lock, [&] { return signal.done != 0; });
    }
    std::printf("callback: %d\n", signal.done);

    SHOW(cudaStreamQuery(a));
    SHOW(cudaEventQuery(ready));
    unsigned flags = 9;
    CHECK(cudaStreamGetFlags(b, &flags));
    std::printf("non-blocking: %d\n", flags == cudaStreamNonBlocking);
    int least = 9, greatest = 9, priority = 9;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaStream_t urgent;
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetPriority(urgent, &priority));
    std::printf("priorities %d..%d, got %d\n", least, greatest, priority);
    float ms = -1;
    SHOW(cudaEventElapsedTime(&ms, ready, disabled));
    CHECK(cudaEventRecord(disabled));
    CHECK(cudaEventSynchronize(disabled));
    SHOW(cudaEventElapsedTime(&ms, ready, disabled));
    cudaEvent_t end;
    CHECK(cudaEventCreate(&end));
    SHOW(cudaEventElapsedTime(&ms, ready, end));
    CHECK(cudaEventRecord(end, a));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, ready, end));
    std::printf("time passes: %d\n", ms >= 0);
    SHOW(cudaStreamAddCallback(a, onStream, &signal, 1));
    SHOW(cudaStreamCreateWithFlags(&a, 7));
    SHOW(cudaEventDestroy(ready));
    SHOW(cudaStreamDestroy(b));
    SHOW(cudaStreamDestroy(urgent));
    add<<<1, 4, 0, cudaStreamPerThread>>>(data, 1);
    SHOW(cudaStreamSynchronize(cudaStreamPerThread));
    SHOW(cudaStreamSynchronize(cudaStreamLegacy));
}
