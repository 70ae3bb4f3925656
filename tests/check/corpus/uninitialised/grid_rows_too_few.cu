// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a picture are divided by the block's height and rounded down: the last two stay as they are.
__global__ void ramp(int* picture, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        picture[y * width + x] = x + y;
}

int main()
{
    const int width = 20, height = 18;
    static int host[width * height];
    const dim3 block(8, 8);
#ifdef FIXED
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
#else
    const dim3 grid((width + block.x - 1) / block.x, height / block.y);
#endif
    int* picture;
    cudaMalloc(&picture, sizeof host);
    ramp<<<grid, block>>>(picture, width, height);
    cudaMemcpy(host, picture, sizeof host, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning cell=[320]
    cudaFree(picture);
}
