// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four streams, each with its own quarter of one pinned and one device array; a fifth one waits for all.
#include <cstdio>

__global__ void add(int* v, int x) { v[blockIdx.x * blockDim.x + threadIdx.x] += x; }

int main()
{
    constexpr int kParts = 4, kPart = 128, n = kParts * kPart;
    int *h, *d, wrong = 0;
    cudaStream_t streams[kParts], last;
    cudaEvent_t done[kParts];
    cudaMallocHost(&h, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(int));
    for (int i = 0; i < n; ++i) h[i] = i;
    cudaStreamCreateWithFlags(&last, cudaStreamNonBlocking);
    for (int p = 0; p < kParts; ++p) {
        cudaStreamCreate(&streams[p]);
        cudaEventCreate(&done[p]);
        cudaMemcpyAsync(d + p * kPart, h + p * kPart, kPart * sizeof(int), cudaMemcpyHostToDevice, streams[p]);
        add<<<2, 64, 0, streams[p]>>>(d + p * kPart, p);
        cudaEventRecord(done[p], streams[p]);
        cudaStreamWaitEvent(last, done[p], 0);
    }
    add<<<n / 64, 64, 0, last>>>(d, 1);
    cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, last);
    cudaStreamSynchronize(last);
    for (int i = 0; i < n; ++i) wrong += h[i] != i + i / kPart + 1;
    for (int p = 0; p < kParts; ++p) {
        cudaEventDestroy(done[p]);
        cudaStreamDestroy(streams[p]);
    }
    cudaStreamDestroy(last);
    cudaFree(d);
    cudaFreeHost(h);
    return wrong;
}
