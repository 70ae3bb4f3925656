// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel waits for a flag that a copy of another stream sets.
#include <cstdio>
__global__ void wait(volatile int* go, const int* in, int* out)
{
    while (*go == 0) {
    }
    __threadfence();
    *out = *in + 1;
}
int main()
{
    int* m;
    cudaMalloc(&m, 64);
    cudaMemset(m, 0, 64);
    int* host;
    cudaMallocHost(&host, 8);
    host[0] = 7;
    host[1] = 1;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    wait<<<1, 1, 0, a>>>(m, m + 1, m + 2);
    cudaMemcpyAsync(m + 1, host, 4, cudaMemcpyDefault, b);
    cudaMemcpyAsync(m, host + 1, 4, cudaMemcpyDefault, b);
    int got = 0;
    cudaMemcpyAsync(&got, m + 2, 4, cudaMemcpyDefault, a);
    printf("%s %d\n", cudaGetErrorName(cudaStreamSynchronize(a)), got);
    cudaFree(m);
    cudaFreeHost(host);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
