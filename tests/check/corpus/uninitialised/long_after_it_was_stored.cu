// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The upper half of what is read was never copied to the device. What is computed from it lies in a local array while
// the threads do other things, with values that are all known, for many steps; then it is used.
#include <cstdio>

__global__ void late(const int* in, int* out)
{
    __shared__ int tile[64];
    int t = threadIdx.x;
    int kept[4] = {};
    kept[t % 4] = in[t] + 1;  // expect: uninitialised-read
    int sum = 0;
    for (int k = 0; k < 200; ++k) {
        tile[t] = k + t;
        __syncthreads();
        sum += tile[63 - t];
        __syncthreads();
    }
    out[t] = sum + kept[t % 4];
}

int main()
{
    int h[64] = {}, *in, *out;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
#ifdef FIXED
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
#else
    cudaMemcpy(in, h, sizeof h / 2, cudaMemcpyHostToDevice);
#endif
    late<<<1, 64>>>(in, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[63]);
    cudaFree(in);
    cudaFree(out);
}
