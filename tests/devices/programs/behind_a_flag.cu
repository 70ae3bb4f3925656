// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams, events and the host order behind a kernel that waits for a flag runs once another stream has set it.
#include <cstdio>
__global__ void wait(volatile int* go, const int* in, int* out)
{
    while (*go == 0) {
    }
    __threadfence();
    *out = *in + 1;
}
__global__ void twice(int* out)
{
    *out *= 2;
}
__global__ void add(const int* a, const int* b, int* c)
{
    *c = *a + *b;
}
__global__ void open(int* in, volatile int* go, int v)
{
    *in = v;
    __threadfence();
    *go = 1;
}
void CUDART_CB told(void* what)
{
    printf("%s\n", (const char*)what);
}
int main()
{
    int* m;
    cudaMalloc(&m, 64);
    cudaMemset(m, 0, 64);
    int* host;
    cudaMallocHost(&host, 8);
    host[0] = -1;
    cudaStream_t s[3];
    for (auto& x : s)
        cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
    cudaEvent_t e;
    cudaEventCreate(&e);
    wait<<<1, 1, 0, s[0]>>>(m, m + 1, m + 2);
    twice<<<1, 1, 0, s[0]>>>(m + 2);
    cudaLaunchHostFunc(s[0], told, (void*)"twice is done");
    cudaEventRecord(e, s[0]);
    cudaStreamWaitEvent(s[2], e, 0);
    add<<<1, 1, 0, s[2]>>>(m + 1, m + 2, m + 3);
    cudaMemcpyAsync(host, m + 3, 4, cudaMemcpyDeviceToHost, s[2]);
    printf("%s %s %s, host %d\n", cudaGetErrorName(cudaEventQuery(e)), cudaGetErrorName(cudaStreamQuery(s[2])),
           cudaGetErrorName(cudaStreamQuery(s[1])), host[0]);
    open<<<1, 1, 0, s[1]>>>(m + 1, m, 20);
    printf("%s %s\n", cudaGetErrorName(cudaEventQuery(e)), cudaGetErrorName(cudaStreamSynchronize(s[2])));
    printf("host %d\n", host[0]);
    for (auto& x : s)
        cudaStreamDestroy(x);
    cudaEventDestroy(e);
    cudaFree(m);
    cudaFreeHost(host);
}
