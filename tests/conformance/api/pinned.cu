// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pinned, mapped and registered host memory.
#include "check.h"

__global__ void twice(int* data, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}

int main()
{
    constexpr int n = 8;
    int *pinned = nullptr, *mapped = nullptr, *device = nullptr;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; ++i) {
        pinned[i] = i;
        mapped[i] = 10 * i;
    }
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<2, 4>>>(device, n);
    CHECK(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    print("pinned", pinned, n);

    int* alias = nullptr;
    CHECK(cudaHostGetDevicePointer(&alias, mapped, 0));
    twice<<<2, 4>>>(alias, n);
    CHECK(cudaDeviceSynchronize());
    print("mapped", mapped, n);
    twice<<<2, 4>>>(mapped, n);  // unified addresses
    CHECK(cudaDeviceSynchronize());
    print("mapped", mapped, n);
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, mapped));
    std::printf("flags %d\n", (flags & cudaHostAllocMapped) != 0);

    int* own = static_cast<int*>(std::malloc(n * sizeof(int)));
    for (int i = 0; i < n; ++i)
        own[i] = i + 1;
    CHECK(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterMapped));
    SHOW(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaHostGetDevicePointer(&alias, own, 0));
    twice<<<2, 4>>>(alias, n);
    CHECK(cudaDeviceSynchronize());
    print("registered", own, n);
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, own));
    std::printf("host memory %d\n", attributes.type == cudaMemoryTypeHost);
    CHECK(cudaHostUnregister(own));
    SHOW(cudaHostUnregister(own));
    CHECK(cudaPointerGetAttributes(&attributes, own));
    std::printf("unregistered %d\n", attributes.type == cudaMemoryTypeUnregistered);
    CHECK(cudaPointerGetAttributes(&attributes, device));
    std::printf("device memory %d\n", attributes.type == cudaMemoryTypeDevice);
    SHOW(cudaHostGetDevicePointer(&alias, own, 0));
    SHOW(cudaFreeHost(own));
    SHOW(cudaFreeHost(pinned));
    SHOW(cudaFreeHost(mapped));
    SHOW(cudaFreeHost(nullptr));
    std::free(own);
}
