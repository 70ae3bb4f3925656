// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cube maps and layered ones: which face a direction leaves through, where, with and without a filter.
#include <cstring>
#include <vector>

#include "check.h"

namespace {

constexpr int kWidth = 4;

/// A texel is 100 * layer + 16 * face + 4 * row + column.
cudaArray_t cubeOf(int layers)
{
    std::vector<float> texels;
    for (int slice = 0; slice < 6 * layers; ++slice)
        for (int i = 0; i < kWidth * kWidth; ++i)
            texels.push_back(static_cast<float>(slice / 6 * 100 + slice % 6 * 16 + i));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const cudaExtent extent = make_cudaExtent(kWidth, kWidth, 6 * layers);
    cudaArray_t array;
    CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0)));
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof(copy));
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), kWidth * sizeof(float), kWidth, kWidth);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

cudaTextureObject_t textureOf(cudaArray_t array, cudaTextureFilterMode filter)
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description;
    std::memset(&description, 0, sizeof(description));
    description.filterMode = filter;
    description.normalizedCoords = 1;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

__device__ float3 directionOf(int i)
{
    const float3 all[] = {{1, .6f, -.2f},  {-1, .6f, -.2f}, {.6f, 1, -.2f},
                          {.6f, -1, -.2f}, {.6f, -.2f, 1},  {.6f, -.2f, -1}};
    return all[i];
}

__global__ void fetch(float* out, cudaTextureObject_t texture)
{
    const float3 d = directionOf(static_cast<int>(threadIdx.x));
    out[threadIdx.x] = texCubemap<float>(texture, 5 * d.x, 5 * d.y, 5 * d.z);
}

__global__ void fetchLayer(float* out, cudaTextureObject_t texture, int layer)
{
    const float3 d = directionOf(static_cast<int>(threadIdx.x));
    texCubemapLayered(&out[threadIdx.x], texture, d.x, d.y, d.z, layer);
}

__global__ void swap(cudaSurfaceObject_t surface)
{
    const int x = static_cast<int>(threadIdx.x);
    const float value = surfCubemapread<float>(surface, x * 4, 1, 2);
    surfCubemapwrite(-value, surface, x * 4, 1, 2);
}

void show(const char* what, const float* out)
{
    float host[6];
    CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    std::printf("%s:", what);
    for (const float value : host)
        std::printf(" %g", value);
    std::printf("\n");
}

}  // namespace

int main()
{
    float* out = nullptr;
    CHECK(cudaMalloc(&out, 6 * sizeof(float)));
    const cudaArray_t cube = cubeOf(1);
    const cudaTextureObject_t nearest = textureOf(cube, cudaFilterModePoint);
    fetch<<<1, 6>>>(out, nearest);
    show("nearest", out);
    fetch<<<1, 6>>>(out, textureOf(cube, cudaFilterModeLinear));
    show("linear", out);
    const cudaTextureObject_t layers = textureOf(cubeOf(3), cudaFilterModePoint);
    fetchLayer<<<1, 6>>>(out, layers, 2);
    show("layer 2", out);
    fetchLayer<<<1, 6>>>(out, layers, 7);
    show("the last layer", out);
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = cube;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    swap<<<1, 4>>>(surface);
    CHECK(cudaDeviceSynchronize());
    fetch<<<1, 6>>>(out, nearest);
    show("of a surface", out);
    cudaArray_t none;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    std::printf("five faces: %s\n",
                cudaGetErrorName(cudaMalloc3DArray(&none, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap)));
    return 0;
}
