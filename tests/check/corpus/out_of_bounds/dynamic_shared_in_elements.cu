// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch asks for as many bytes as there are elements.
#include <cstdio>

__global__ void reverse(int* d, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = d[t];  // expect: out-of-bounds
    __syncthreads();
    d[t] = s[n - t - 1];  // expect: out-of-bounds
}

int main()
{
    const int n = 64;
    int a[n];
    for (int i = 0; i < n; i++) a[i] = i;
    int* d;
    cudaMalloc(&d, n * sizeof(int));
    cudaMemcpy(d, a, n * sizeof(int), cudaMemcpyHostToDevice);
#ifdef FIXED
    reverse<<<1, n, n * sizeof(int)>>>(d, n);
#else
    reverse<<<1, n, n>>>(d, n);
#endif
    cudaMemcpy(a, d, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", a[0], a[n - 1]);
    cudaFree(d);
    return 0;
}
