// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A private histogram that is one bin short.
#include <cstdio>

__global__ void classify(const int* v, int* most)
{
#ifdef FIXED
    int counts[5] = {0};
#else
    int counts[4] = {0};
#endif
    for (int i = 0; i < 10; ++i)
        counts[v[threadIdx.x * 10 + i] % 5]++;  // expect: out-of-bounds
    int best = 0;
    for (int b = 1; b < 4; ++b)
        if (counts[b] > counts[best]) best = b;
    most[threadIdx.x] = best;
}

int main()
{
    int h[80], r[8], *v, *m;
    for (int i = 0; i < 80; ++i) h[i] = i / 3;
    cudaMalloc(&v, sizeof h);
    cudaMalloc(&m, sizeof r);
    cudaMemcpy(v, h, sizeof h, cudaMemcpyHostToDevice);
    classify<<<1, 8>>>(v, m);
    cudaMemcpy(r, m, sizeof r, cudaMemcpyDeviceToHost);
    printf("%d\n", r[0]);
    cudaFree(v);
    cudaFree(m);
}
