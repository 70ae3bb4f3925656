// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a 32-bit length at an odd byte of a message.
#include <cstdio>

__global__ void parse(const unsigned char* message, unsigned* length)
{
#ifdef FIXED
    unsigned v = 0;
    for (int i = 3; i >= 0; --i) v = v << 8 | message[1 + i];
    *length = v;
#else
    *length = *(const unsigned*)(message + 1);  // expect: misaligned
#endif
}

int main()
{
    unsigned char h[8] = {9, 4, 0, 0, 0, 1, 2, 3}, *m;
    unsigned *len, r = 0;
    cudaMalloc(&m, 8);
    cudaMalloc(&len, 4);
    cudaMemcpy(m, h, 8, cudaMemcpyHostToDevice);
    parse<<<1, 1>>>(m, len);
    if (cudaMemcpy(&r, len, 4, cudaMemcpyDeviceToHost) == cudaSuccess) printf("%u\n", r);
    cudaFree(m);
    cudaFree(len);
}
