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

/// Where CUDA 13's functions of the plain names take something else, both forms are there.
static void ofCuda13(CUdevice device)
{
    CUctxCreateParams parameters = {};
    CUcontext context = nullptr;
    CHECK(cuCtxCreate(&context, &parameters, 0, device));
    CUdeviceptr memory = 0;
    CHECK(cuMemAllocManaged(&memory, 4096, CU_MEM_ATTACH_GLOBAL));
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    CHECK(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    CHECK(cuMemPrefetchAsync(memory, 4096, here, 0, nullptr));
    CHECK(cuMemFree(memory));
    CHECK(cuCtxDestroy(context));
}

/// A module of a text that calls a function of another.
static void linked()
{
    char caller[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".extern .func (.param .b32 r) seven();\n"
                    ".visible .entry k(.param .u64 to) {\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
                    "ld.param.u64 %rd1, [to];\n{\n.param .b32 r0;\ncall.uni (r0), seven, ();\n"
                    "ld.param.b32 %r1, [r0];\n}\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    char called[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .func (.param .b32 r) seven() {\n.reg .b32 %r<2>;\nmov.b32 %r1, 7;\n"
                    "st.param.b32 [r], %r1;\nret;\n}\n";
    CUcontext context = nullptr;
    CUdevice device = 0;
    CHECK(cuCtxCreate(&context, 0, device));
    CUlinkState link = nullptr;
    CHECK(cuLinkCreate(0, nullptr, nullptr, &link));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, caller, sizeof(caller), "caller", 0, nullptr, nullptr));
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, called, sizeof(called), "called", 0, nullptr, nullptr));
    void* image = nullptr;
    size_t bytes = 0;
    CHECK(cuLinkComplete(link, &image, &bytes));
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuLinkDestroy(link));
    CHECK(cuModuleGetFunction(&function, module, "k"));
    CUdeviceptr memory = 0;
    CHECK(cuMemAlloc(&memory, 4));
    void* arguments[] = {&memory};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    int value = 0;
    CHECK(cuMemcpyDtoH(&value, memory, 4));
    std::printf("linked: %d\n", value);
    CHECK(cuMemFree(memory));
    CHECK(cuCtxDestroy(context));
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
    ofCuda13(device);
    linked();
}
