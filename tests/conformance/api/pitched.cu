// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pitched and three-dimensional memory: allocation, copies, fills.
#include "check.h"

__global__ void addRow(char* base, size_t pitch, int width)
{
    int* row = reinterpret_cast<int*>(base + blockIdx.x * pitch);
    if (threadIdx.x < width)
        row[threadIdx.x] += 10 * blockIdx.x;
}

__global__ void scale(cudaPitchedPtr volume, cudaExtent extent)
{
    char* slice = static_cast<char*>(volume.ptr) + blockIdx.x * volume.pitch * extent.height;
    float* row = reinterpret_cast<float*>(slice + threadIdx.y * volume.pitch);
    row[threadIdx.x] *= 2.0f;
}

int main()
{
    constexpr int width = 5, height = 3;
    int in[height][width], out[height][width] = {};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            in[y][x] = x;
    char* device = nullptr;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&device, &pitch, width * sizeof(int), height));
    std::printf("pitch is a multiple of 256: %d\n", pitch >= width * sizeof(int) && pitch % 256 == 0);
    CHECK(cudaMemcpy2D(device, pitch, in, sizeof(in[0]), sizeof(in[0]), height, cudaMemcpyHostToDevice));
    addRow<<<height, 8>>>(device, pitch, width);
    CHECK(cudaMemcpy2D(out, sizeof(out[0]), device, pitch, sizeof(out[0]), height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        print("row", out[y], width);
    CHECK(cudaMemset2D(device + 4, pitch, 1, 8, 2));
    CHECK(cudaMemcpy2DAsync(out, sizeof(out[0]), device, pitch, sizeof(out[0]), height, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < height; ++y)
        print("row", out[y], width);
    SHOW(cudaMemcpy2D(out, 4, device, pitch, 20, 3, cudaMemcpyDeviceToHost));
    SHOW(cudaMemset2D(device, 4, 0, 8, 1));

    const cudaExtent extent = make_cudaExtent(4 * sizeof(float), 3, 2);
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, extent));
    float cells[2][3][4];
    for (int i = 0; i < 24; ++i)
        cells[i / 12][i / 4 % 3][i % 4] = float(i);
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = make_cudaPitchedPtr(cells, 4 * sizeof(float), 4, 3);
    parameters.dstPtr = volume;
    parameters.extent = extent;
    parameters.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&parameters));
    scale<<<2, dim3(4, 3)>>>(volume, extent);
    parameters.srcPtr = volume;
    parameters.dstPtr = make_cudaPitchedPtr(cells, 4 * sizeof(float), 4, 3);
    parameters.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&parameters));
    print("cells", &cells[0][0][0], 24);
    CHECK(cudaMemset3D(volume, 0, make_cudaExtent(8, 2, 2)));
    CHECK(cudaMemcpy3D(&parameters));
    print("cells", &cells[0][0][0], 24);
    CHECK(cudaFree(volume.ptr));
    CHECK(cudaFree(device));
}
