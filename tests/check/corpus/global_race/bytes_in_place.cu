// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A blur of bytes, in tiles of 8 x 8, writes the picture that the neighbours read.
#include <cstdio>

__global__ void blur(unsigned char* out, const unsigned char* in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && x < width - 1 && y < height)
        out[y * width + x] = (in[y * width + x - 1] + in[y * width + x + 1]) / 2;  // expect: global-race
}

int main()
{
    const int width = 96, height = 16, n = width * height;
    static unsigned char h[n];
    for (int i = 0; i < n; ++i) h[i] = i * 31;
    unsigned char *a, *b;
    cudaMalloc(&a, n);
    cudaMalloc(&b, n);
    cudaMemcpy(a, h, n, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, n, cudaMemcpyHostToDevice);
#ifdef FIXED
    blur<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(b, a, width, height);
#else
    blur<<<dim3(width / 8, height / 8), dim3(8, 8)>>>(a, a, width, height);
#endif
    cudaMemcpy(h, b, n, cudaMemcpyDeviceToHost);
    printf("%d\n", h[5]);
    cudaFree(a);
    cudaFree(b);
}
