// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads look words up in a table here and there, many times, and then begin to change it.
#include <cstdio>

__global__ void rounds(unsigned* out, const unsigned* in, int n)
{
    __shared__ unsigned table[256];
    table[threadIdx.x] = threadIdx.x * 2654435761u;
    __syncthreads();
    unsigned s = in[threadIdx.x];
    for (int i = 0; i < n; ++i)
        s = table[s & 255] ^ (s >> 3) ^ i;  // expect-fixed: bank-conflict
    if (threadIdx.x % 3 == 0)
        s += table[(s >> 8) & 255];
#ifdef FIXED
    __syncthreads();
#endif
    table[255 - threadIdx.x] = s;  // expect: shared-race
    __syncthreads();
    out[threadIdx.x] = table[threadIdx.x];
}

int main()
{
    unsigned h[256], *in, *out;
    for (int i = 0; i < 256; ++i)
        h[i] = i * 40503u;
    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&out, sizeof(h));
    cudaMemcpy(in, h, sizeof(h), cudaMemcpyHostToDevice);
    rounds<<<1, 256>>>(out, in, 40);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%u\n", h[7] != 0);
    cudaFree(in);
    cudaFree(out);
}
