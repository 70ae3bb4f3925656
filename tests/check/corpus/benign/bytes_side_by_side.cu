// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbouring bytes of one word belong to different threads.
#include <cstdio>

__global__ void upper(char* text, int n)
{
    __shared__ char s[64];
    int i = threadIdx.x;
    if (i < n) {
        s[i] = text[i];
        if (s[i] >= 'a' && s[i] <= 'z') s[i] -= 32;
        text[i] = s[i];
    }
}

int main()
{
    char h[] = "Many threads write neighbouring bytes", *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    upper<<<1, 64>>>(d, sizeof h - 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s\n", h);
    cudaFree(d);
    return h[1] == 'A' ? 0 : 1;
}
