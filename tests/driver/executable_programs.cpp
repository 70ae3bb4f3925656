// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host code that nvcc makes of a launch calls, for a fat binary with PTX in it.
#include <cuda_runtime_api.h>

#include "fat_binaries.h"
#include "programs.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* hostFunction, char* deviceFunction, const char* deviceName,
                            int threadLimit, void* threads, void* blocks, void* blockSize, void* gridSize, int* warp);
void __cudaRegisterManagedVar(void** handle, void** hostVariable, char* deviceAddress, const char* deviceName,
                              int isExtern, size_t bytes, int isConstant, int isGlobal);
char __cudaInitModule(void** handle);
cudaError_t __cudaGetKernel(const void** kernel, const void* hostFunction);
cudaError_t __cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t sharedBytes,
                               cudaStream_t stream);
}

namespace {

struct Wrapper {
    int magic = 0x466243b1;
    int version = 1;
    const void* image = kZstd;
    void* unused = nullptr;
};

/// Its address is what the kernel is called by.
void hostFunction() {}

}  // namespace

int executable()
{
    static Wrapper wrapper;
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    const auto* const function = reinterpret_cast<const char*>(&hostFunction);
    __cudaRegisterFunction(handle, function, nullptr, "_Z1kPfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(handle);
    float value = 21;
    int count = 1;
    void* memory = nullptr;
    const void* kernel = nullptr;
    std::printf("%d ", cudaMalloc(&memory, sizeof(value)));
    std::printf("%d ", cudaMemcpy(memory, &value, sizeof(value), cudaMemcpyHostToDevice));
    void* arguments[] = {&memory, &count};
    std::printf("%d ", __cudaGetKernel(&kernel, function));
    std::printf("%d ", __cudaLaunchKernel(kernel, {1, 1, 1}, {32, 1, 1}, arguments, 0, nullptr));
    std::printf("%d ", cudaMemcpy(&value, memory, sizeof(value), cudaMemcpyDeviceToHost));
    std::printf("%d\n", cudaFree(memory));
    __cudaUnregisterFatBinary(handle);
    std::printf("doubled: %g\n", value);
    return 0;
}

int managed()
{
    static Wrapper wrapper;
    wrapper.image = ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .global .attribute(.managed) .align 4 .u32 total = 5;\n"
                    ".visible .entry add() { .reg .b32 %r<2>; atom.global.add.u32 %r1, [total], 1; ret; }\n";
    void** const handle = __cudaRegisterFatBinary(&wrapper);
    const auto* const function = reinterpret_cast<const char*>(&hostFunction);
    static int* total = nullptr;
    __cudaRegisterFunction(handle, function, nullptr, "add", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&total), nullptr, "total", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    __cudaInitModule(handle);
    std::printf("%d ", *total);
    *total = 10;
    std::printf("%d ", __cudaLaunchKernel(function, {1, 1, 1}, {4, 1, 1}, nullptr, 0, nullptr));
    std::printf("%d ", cudaDeviceSynchronize());
    std::printf("%d ", *total);
    int copy = 0;
    std::printf("%d ", cudaMemcpyFromSymbol(&copy, total, sizeof(copy), 0, cudaMemcpyDeviceToHost));
    std::printf("%d\n", copy);
    return 0;
}
