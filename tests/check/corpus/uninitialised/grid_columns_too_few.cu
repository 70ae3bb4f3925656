// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Width and height are both rounded down: the last columns and the last rows stay as they are.
__global__ void ramp(float* picture, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        picture[y * width + x] = x * y;
}

int main()
{
    const int width = 37, height = 21;
    static float host[width * height];
    const dim3 block(16, 4);
#ifdef FIXED
    const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
#else
    const dim3 grid(width / block.x, height / block.y);
#endif
    float* picture;
    cudaMalloc(&picture, sizeof host);
    ramp<<<grid, block>>>(picture, width, height);
    cudaMemcpy(host, picture, sizeof host, cudaMemcpyDeviceToHost);  // expect: uninitialised-read warning cell=[32]
    cudaFree(picture);
}
