// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A consumer that runs all the time takes items out of a ring, into which kernels of another stream put them.
#include <cstdio>
struct Ring {
    int item[4];
    unsigned long long written, read;
    long sum;
};
__global__ void consumer(Ring* r, int count)
{
    for (int n = 0; n < count; ++n) {
        while (atomicAdd(&r->written, 0ull) <= n) {
        }
        __threadfence();
        r->sum += r->item[n % 4];
        __threadfence();
        atomicAdd(&r->read, 1ull);
    }
}
__global__ void producer(Ring* r, int n)
{
    while (n - (int)atomicAdd(&r->read, 0ull) >= 4) {
    }
    __threadfence();
    r->item[n % 4] = n;
    __threadfence();
    atomicAdd(&r->written, 1ull);
}
int main()
{
    Ring* r;
    cudaMalloc(&r, sizeof *r);
    cudaMemset(r, 0, sizeof *r);
    cudaStream_t a, b;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    consumer<<<1, 1, 0, a>>>(r, 100);
    for (int i = 0; i < 100; ++i)
        producer<<<1, 1, 0, b>>>(r, i);
    cudaStreamSynchronize(a);
    Ring got;
    cudaMemcpy(&got, r, sizeof got, cudaMemcpyDefault);
    printf("%ld %s\n", got.sum, cudaGetErrorName(cudaGetLastError()));
    cudaFree(r);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
