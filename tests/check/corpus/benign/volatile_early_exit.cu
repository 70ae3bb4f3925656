// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search that ends when somebody has found the key: everybody looks at a volatile flag now and then.
#include <cstdio>

__global__ void find(const int* v, int n, int key, volatile int* done, int* where)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (*done) return;
        if (v[i] == key) {
            *where = i;
            *done = 1;
        }
    }
}

int main()
{
    static int h[2000];
    int *v, *done, *where, r = 0;
    for (int i = 0; i < 2000; ++i) h[i] = i * 3;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&done, sizeof r);
    cudaMalloc(&where, sizeof r);
    cudaMemset(done, 0, sizeof r);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    find<<<4, 64>>>(v, 2000, 3000, done, where);
    cudaMemcpy(&r, where, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(done);
    cudaFree(where);
    return r == 1000 ? 0 : 1;
}
