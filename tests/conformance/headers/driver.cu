// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the driver API that is there, beside kernels of the runtime API.
#include <cuda.h>

#include <cstdio>

#define CHECK(call) check(#call, call)
static void check(const char* text, CUresult result)
{
    const char* name = nullptr;
    if (result != CUDA_SUCCESS && cuGetErrorName(result, &name) == CUDA_SUCCESS)
        std::printf("%s: %s\n", text, name);
}

__global__ void doubled(int* values)
{
    values[threadIdx.x] *= 2;
}

int main()
{
    CHECK(cuInit(0));
    CUdevice device = -1;
    CUcontext context = nullptr;
    int devices = 0, warp = 0, threads = 0, major = 0;
    char name[32] = "";
    size_t bytes = 0;
    CHECK(cuDeviceGetCount(&devices));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof(name), device));
    CHECK(cuDeviceTotalMem(&bytes, device));
    CHECK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    CHECK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    std::printf("%d %d %d %d %d\n", devices > 0, name[0] != 0, bytes > 0, warp, threads);
    CHECK(cuCtxCreate(&context, 0, device));
    int values[4] = {1, 2, 3, 4};
    CUdeviceptr memory = 0;
    CHECK(cuMemAlloc(&memory, sizeof(values)));
    CHECK(cuMemcpyHtoD(memory, values, sizeof(values)));
    doubled<<<1, 4>>>(reinterpret_cast<int*>(memory));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(values, memory, sizeof(values)));
    CHECK(cuMemFree(memory));
    std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
    CHECK(cuMemFree(memory + 1));
    CHECK(cuCtxDestroy(context));
}
