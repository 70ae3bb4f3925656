// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 24 x 10 image, indexed as if it were 10 x 24.
#include <cstdio>

__global__ void invert(unsigned char* image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
#ifdef FIXED
        image[y * width + x] ^= 0xff;
#else
        image[x * width + y] ^= 0xff;  // expect: out-of-bounds
#endif
}

int main()
{
    const int w = 24, h = 10;
    unsigned char host[w * h];
    for (int i = 0; i < w * h; ++i) host[i] = (unsigned char)i;
    unsigned char* image;
    cudaMalloc(&image, w * h);
    cudaMemcpy(image, host, w * h, cudaMemcpyHostToDevice);
    dim3 block(8, 8), grid((w + 7) / 8, (h + 7) / 8);
    invert<<<grid, block>>>(image, w, h);
    cudaMemcpy(host, image, w * h, cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
    cudaFree(image);
}
