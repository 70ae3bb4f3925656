// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays, texture objects and surface objects: copies, address modes, filters, formats.
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

namespace {

constexpr int kWidth = 5;
constexpr int kHeight = 3;
constexpr int kResults = 16;

/// Managed, so that the host reads what kernels leave.
float* results()
{
    static float* const all = [] {
        float* made = nullptr;
        CHECK(cudaMallocManaged(&made, kResults * sizeof(float)));
        return made;
    }();
    return all;
}

void show(const char* what, int count)
{
    CHECK(cudaDeviceSynchronize());
    std::printf("%s:", what);
    for (int i = 0; i < count; ++i)
        std::printf(" %g", results()[i]);
    std::printf("\n");
}

cudaResourceDesc resourceOf(cudaArray_t array)
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

cudaTextureObject_t textureOf(const cudaResourceDesc& resource, cudaTextureAddressMode mode, bool linear = false,
                              bool normalized = false, bool fractions = false)
{
    cudaTextureDesc description;
    std::memset(&description, 0, sizeof(description));
    for (cudaTextureAddressMode& each : description.addressMode)
        each = mode;
    description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    description.normalizedCoords = normalized;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

__global__ void fetchLinear(cudaTextureObject_t texture, float* out)
{
    const int i = static_cast<int>(threadIdx.x);
    out[i] = tex1Dfetch<float>(texture, i - 1);
}

__global__ void sample2D(cudaTextureObject_t texture, float* out, float x, float y, float dx, float dy)
{
    const float i = static_cast<float>(threadIdx.x);
    out[threadIdx.x] = tex2D<float>(texture, x + i * dx, y + i * dy);
}

__global__ void sample1D(cudaTextureObject_t texture, float* out, float x, float dx)
{
    out[threadIdx.x] = tex1D<float>(texture, x + static_cast<float>(threadIdx.x) * dx);
}

__global__ void sample3D(cudaTextureObject_t texture, float* out, float z)
{
    const float i = static_cast<float>(threadIdx.x);
    tex3D(&out[threadIdx.x], texture, i * 0.5f + 0.5f, 0.5f, z);
}

__global__ void sampleLayers(cudaTextureObject_t texture, float* out)
{
    out[threadIdx.x] = tex2DLayered<float>(texture, 0.5f, 1.5f, static_cast<int>(threadIdx.x));
}

__global__ void sampleBytes(cudaTextureObject_t texture, float* out)
{
    const float4 colour = tex2D<float4>(texture, 0.5f + static_cast<float>(threadIdx.x), 0.5f);
    out[4 * threadIdx.x] = colour.x;
    out[4 * threadIdx.x + 1] = colour.y;
    out[4 * threadIdx.x + 2] = colour.z;
    out[4 * threadIdx.x + 3] = colour.w;
}

__global__ void sampleChars(cudaTextureObject_t texture, float* out)
{
    const uchar4 colour = tex2D<uchar4>(texture, 0.5f + static_cast<float>(threadIdx.x), 0.5f);
    out[2 * threadIdx.x] = colour.x;
    out[2 * threadIdx.x + 1] = colour.w;
}

__global__ void doubled(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    float value;
    surf2Dread(&value, from, x * static_cast<int>(sizeof(float)), y, cudaBoundaryModeClamp);
    surf2Dwrite(2 * value, to, x * static_cast<int>(sizeof(float)), y, cudaBoundaryModeZero);
}

std::vector<float> counted(int count)
{
    std::vector<float> values(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i)
        values[static_cast<size_t>(i)] = static_cast<float>(i);
    return values;
}

void linearMemory()
{
    const std::vector<float> values = counted(6);
    float* memory = nullptr;
    CHECK(cudaMalloc(&memory, 6 * sizeof(float)));
    CHECK(cudaMemcpy(memory, values.data(), 6 * sizeof(float), cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 6 * sizeof(float);
    const cudaTextureObject_t texture = textureOf(resource, cudaAddressModeClamp);
    fetchLinear<<<1, 8>>>(texture, results());
    show("linear memory", 8);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
}

void twoDimensions()
{
    const std::vector<float> values = counted(kWidth * kHeight);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array = nullptr;
    CHECK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    constexpr size_t kRow = kWidth * sizeof(float);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), kRow, kRow, kHeight, cudaMemcpyHostToDevice));
    const cudaResourceDesc resource = resourceOf(array);
    struct Case {
        const char* name;
        cudaTextureAddressMode mode;
        bool linear;
        bool normalized;
        float x, y, dx, dy;
    };
    const Case cases[] = {{"points", cudaAddressModeClamp, false, false, -1.5f, 1.5f, 1, 0},
                          {"border", cudaAddressModeBorder, false, false, -1.5f, 1.5f, 1, 0},
                          {"wrap", cudaAddressModeWrap, false, true, -0.7f, 0.5f, 0.2f, 0},
                          {"mirror", cudaAddressModeMirror, false, true, -0.7f, 0.5f, 0.2f, 0},
                          {"wrap of texels", cudaAddressModeWrap, false, false, 3.5f, 0.5f, 1, 0},
                          {"linear", cudaAddressModeClamp, true, false, 0.25f, 0.25f, 0.25f, 0.25f},
                          {"linear border", cudaAddressModeBorder, true, false, -0.5f, 1.5f, 0.5f, 0},
                          {"linear wrap", cudaAddressModeWrap, true, true, 0.9f, 0.5f, 0.05f, 0}};
    for (const Case& each : cases) {
        const cudaTextureObject_t texture = textureOf(resource, each.mode, each.linear, each.normalized);
        sample2D<<<1, 8>>>(texture, results(), each.x, each.y, each.dx, each.dy);
        show(each.name, 8);
        CHECK(cudaDestroyTextureObject(texture));
    }
    cudaArray_t other = nullptr;
    CHECK(cudaMallocArray(&other, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    const cudaResourceDesc otherResource = resourceOf(other);
    cudaSurfaceObject_t from = 0, to = 0;
    CHECK(cudaCreateSurfaceObject(&from, &resource));
    CHECK(cudaCreateSurfaceObject(&to, &otherResource));
    doubled<<<1, dim3(kWidth + 1, kHeight)>>>(from, to);
    std::vector<float> back(kWidth * kHeight);
    CHECK(cudaMemcpy2DFromArray(back.data(), kRow, other, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost));
    std::printf("surfaces:");
    for (const float value : back)
        std::printf(" %g", value);
    cudaChannelFormatDesc told;
    cudaExtent extent;
    CHECK(cudaArrayGetInfo(&told, &extent, nullptr, other));
    std::printf("\narray of %zu x %zu x %zu, %d bits\n", extent.width, extent.height, extent.depth, told.x);
    CHECK(cudaDestroySurfaceObject(from));
    CHECK(cudaDestroySurfaceObject(to));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(other));
}

void oneAndThreeDimensions()
{
    const std::vector<float> values = counted(24);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t line = nullptr, box = nullptr, layers = nullptr;
    CHECK(cudaMallocArray(&line, &format, 8));
    CHECK(cudaMemcpy2DToArray(line, 0, 0, values.data(), 32, 32, 1, cudaMemcpyHostToDevice));
    cudaTextureObject_t texture = textureOf(resourceOf(line), cudaAddressModeClamp, true);
    sample1D<<<1, 8>>>(texture, results(), 1.0f, 0.125f);
    show("one dimension", 8);
    CHECK(cudaDestroyTextureObject(texture));
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof(copy));
    copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), 4 * sizeof(float), 4, 2);
    copy.extent = make_cudaExtent(4, 2, 3);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMalloc3DArray(&box, &format, copy.extent));
    copy.dstArray = box;
    CHECK(cudaMemcpy3D(&copy));
    texture = textureOf(resourceOf(box), cudaAddressModeClamp, true);
    sample3D<<<1, 6>>>(texture, results(), 1.0f);
    show("three dimensions", 6);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaMalloc3DArray(&layers, &format, copy.extent, cudaArrayLayered));
    copy.dstArray = layers;
    CHECK(cudaMemcpy3D(&copy));
    texture = textureOf(resourceOf(layers), cudaAddressModeClamp);
    sampleLayers<<<1, 3>>>(texture, results());
    show("layers", 3);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(box));
    CHECK(cudaFreeArray(layers));
}

void channels()
{
    const uchar4 colours[2] = {{0, 51, 102, 255}, {255, 204, 153, 0}};
    uchar4* memory = nullptr;
    size_t pitch = 0;
    CHECK(cudaMallocPitch(&memory, &pitch, sizeof(colours), 1));
    CHECK(cudaMemcpy2D(memory, pitch, colours, sizeof(colours), sizeof(colours), 1, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = 2;
    resource.res.pitch2D.height = 1;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t texture = textureOf(resource, cudaAddressModeClamp, false, false, true);
    sampleBytes<<<1, 2>>>(texture, results());
    show("fractions", 8);
    CHECK(cudaDestroyTextureObject(texture));
    texture = textureOf(resource, cudaAddressModeClamp);
    sampleChars<<<1, 2>>>(texture, results());
    show("bytes", 4);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(memory));
}

}  // namespace

int main()
{
    linearMemory();
    twoDimensions();
    oneAndThreeDimensions();
    channels();
    CHECK(cudaFree(results()));
}
