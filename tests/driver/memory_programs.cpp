// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, fat binaries, what is refused, names of functions.
#include <dlfcn.h>

#include <cstring>
#include <utility>
#include <vector>

#include "fat_binaries.h"
#include "programs.h"

int memory()
{
    CUdeviceptr device = 0, base = 0;
    size_t bytes = 0;
    CHECK(cuMemAlloc(&device, 100));
    CHECK(cuMemGetAddressRange(&base, &bytes, device + 40));
    std::printf("range: %d, %zu bytes\n", base == device, bytes);

    CHECK(cuMemsetD8(device, 1, 100));
    CHECK(cuMemsetD16(device + 2, 0x0203, 2));
    CHECK(cuMemsetD32(device + 8, 0x04050607, 1));
    unsigned char seen[12];
    CHECK(cuMemcpyDtoH(seen, device, sizeof(seen)));
    for (const unsigned char byte : seen)
        std::printf("%d ", byte);
    std::printf("\nnot aligned: %s\n", nameOf(cuMemsetD32(device + 2, 0, 1)).c_str());

    unsigned char rows[4] = {0, 0, 0, 0};
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = device;
    copy.srcXInBytes = 2;
    copy.srcPitch = 6;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = rows;
    copy.dstPitch = 2;
    copy.WidthInBytes = 2;
    copy.Height = 2;
    CHECK(cuMemcpy2D(&copy));
    std::printf("2D: %d %d %d %d\n", rows[0], rows[1], rows[2], rows[3]);

    unsigned type = 0;
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device));
    std::printf(
        "type: %u, of the host's: %s\n", type,
        nameOf(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(rows)))
            .c_str());
    CHECK(cuMemFree(device));
    std::printf("freed twice: %s\n", nameOf(cuMemFree(device)).c_str());
    return 0;
}

int virtualMemory()
{
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t unit = 0;
    CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    std::printf("granularity: %zu\n", unit);
    const size_t reserved = size_t{80} << 30;
    CUdeviceptr range = 0;
    CHECK(cuMemAddressReserve(&range, reserved, 0, 0, 0));
    std::printf("not mapped: %s\n", nameOf(cuMemsetD8(range, 1, 1)).c_str());
    CUmemAccessDesc access = {};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CUmemGenericAllocationHandle pieces[2] = {};
    for (size_t i = 0; i < 2; ++i) {
        CHECK(cuMemCreate(&pieces[i], unit, &properties, 0));
        CHECK(cuMemMap(range + i * unit, unit, 0, pieces[i], 0));
        CHECK(cuMemSetAccess(range + i * unit, unit, &access, 1));
        CHECK(cuMemsetD8(range + i * unit, static_cast<unsigned char>(i + 1), unit));
    }
    unsigned char seen[2] = {0, 0};
    CHECK(cuMemcpyDtoH(seen, range + unit - 1, 2));
    std::printf("side by side: %d %d\n", seen[0], seen[1]);
    std::printf("beyond: %s\n", nameOf(cuMemsetD8(range + 2 * unit, 1, 1)).c_str());
    CHECK(cuMemUnmap(range, 2 * unit));
    for (const CUmemGenericAllocationHandle piece : pieces)
        CHECK(cuMemRelease(piece));
    CHECK(cuMemAddressFree(range, reserved));
    return 0;
}

namespace {

/// Its kernel k doubles what a points to.
void useFatBinary(const char* title, const unsigned char* image)
{
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    CUdeviceptr a = 0;
    float value = 21;
    int count = 1;
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuModuleGetFunction(&function, module, "_Z1kPfi"));
    CHECK(cuMemAlloc(&a, sizeof(value)));
    CHECK(cuMemcpyHtoD(a, &value, sizeof(value)));
    void* arguments[] = {&a, &count};
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(&value, a, sizeof(value)));
    CHECK(cuMemFree(a));
    CHECK(cuModuleUnload(module));
    std::printf("%s: %g\n", title, value);
}

}  // namespace

int fatBinaries()
{
    useFatBinary("plain", kPlain);
    useFatBinary("zstd", kZstd);
    useFatBinary("lz4", kLz4);
    // Damaged in each byte of its headers and text: an answer, whichever.
    std::vector<unsigned char> damaged(kLz4, kLz4 + sizeof(kLz4));
    damaged.resize(damaged.size() + 16);
    for (size_t i = 24; i < sizeof(kLz4); ++i) {
        const unsigned char before = std::exchange(damaged[i], static_cast<unsigned char>(~damaged[i]));
        CUmodule module = nullptr;
        if (cuModuleLoadData(&module, damaged.data()) == CUDA_SUCCESS)
            CHECK(cuModuleUnload(module));
        damaged[i] = before;
    }
    return 0;
}

int refusals()
{
    CUmodule module = nullptr;
    const unsigned char machineCode[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    std::printf("machine code: %s\n", nameOf(cuModuleLoadData(&module, machineCode)).c_str());
    std::printf("words: %s\n", nameOf(cuModuleLoadData(&module, "these are no PTX")).c_str());
    char log[64] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
    std::printf("with a log: %s\n", nameOf(cuModuleLoadDataEx(&module, machineCode, 2, options, values)).c_str());
    std::printf("log: %zu characters\n", std::strlen(log));
    return 0;
}

int names()
{
    using Get = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto get = reinterpret_cast<Get>(dlsym(library, "cuGetProcAddress_v2"));
    for (const char* name :
         {"cuMemAlloc", "cuMemAlloc_v2", "cuCtxCreate", "cuMulticastCreate", "cuNoSuchThing", "exit"}) {
        void* function = nullptr;
        CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
        const CUresult result = get(name, &function, 12040, 0, &found);
        std::printf("%s: %s, %d, %s\n", name, nameOf(result).c_str(), found, function ? "there" : "not there");
    }
    void* function = nullptr;
    CHECK(get("cuMulticastCreate", &function, 12040, 0, nullptr));
    for (int i = 0; i < 2; ++i)
        std::printf("called: %s\n", nameOf(reinterpret_cast<CUresult (*)(void)>(function)()).c_str());
    int version = 0, threads = 0;
    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0));
    std::printf("version %d, %d threads\n", version, threads);
    return 0;
}
