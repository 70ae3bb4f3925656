// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 3-D histogram whose middle index is computed for one cell too many; the address is used twice, to read and to write.
#include <cstdio>

__global__ void count(const int* in, int* out, int n)
{
    __shared__ int bins[2][3][4];
    int t = threadIdx.x;
    if (t < 24)
        (&bins[0][0][0])[t] = 0;
    __syncthreads();
    if (t == 0)
        for (int i = 0; i < n; ++i) {
#ifdef FIXED
            int middle = in[i] % 3;
#else
            int middle = in[i] % 4;
#endif
            bins[0][middle][i % 4] += in[i];  // expect: index-out-of-shape
        }
    __syncthreads();
    if (t < 24)
        out[t] = (&bins[0][0][0])[t];
}

int main()
{
    int h[24], *in, *out;
    for (int i = 0; i < 24; ++i) h[i] = i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    count<<<1, 32>>>(in, out, 8);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(in);
    cudaFree(out);
}
