// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contexts of several devices.
#include <dlfcn.h>

#include <vector>

#include "programs.h"

namespace {

constexpr int kCount = 64;

/// What one device has: memory is of the context that is current as it is allocated, modules likewise.
struct Part {
    CUcontext context = nullptr;
    CUmodule module = nullptr;
    CUfunction scale = nullptr;
    CUdeviceptr in = 0;
    CUdeviceptr out = 0;
};

Part makePart(CUdevice device)
{
    Part part;
    CHECK(cuDevicePrimaryCtxRetain(&part.context, device));
    CHECK(cuCtxPushCurrent(part.context));
    CHECK(cuModuleLoadData(&part.module, scalePtx("scale", 2).c_str()));
    CHECK(cuModuleGetFunction(&part.scale, part.module, "scale"));
    CHECK(cuMemAlloc(&part.in, kCount * sizeof(int)));
    CHECK(cuMemAlloc(&part.out, kCount * sizeof(int)));
    std::vector<int> values(kCount);
    for (int i = 0; i < kCount; ++i)
        values[static_cast<size_t>(i)] = i;
    CHECK(cuMemcpyHtoD(part.in, values.data(), kCount * sizeof(int)));
    CHECK(cuCtxPopCurrent(nullptr));
    return part;
}

CUresult launch(Part& part)
{
    int count = kCount;
    void* arguments[] = {&part.out, &part.in, &count};
    return cuLaunchKernel(part.scale, 1, 1, 1, kCount, 1, 1, 0, nullptr, arguments, nullptr);
}

}  // namespace

int devices()
{
    CHECK(cuInit(0));
    int count = 0;
    CHECK(cuDeviceGetCount(&count));
    CUdevice device = 0;
    std::printf("%d devices\nbeyond: %s\n", count, nameOf(cuDeviceGet(&device, count)).c_str());
    std::vector<Part> parts;
    for (int number = 0; number < count; ++number) {
        CHECK(cuDeviceGet(&device, number));
        parts.push_back(makePart(device));
    }
    for (int number = 0; number < count; ++number) {
        Part& part = parts[static_cast<size_t>(number)];
        CHECK(cuCtxSetCurrent(part.context));
        CHECK(launch(part));
        int result[kCount];
        CHECK(cuMemcpyDtoH(result, part.out, sizeof(result)));
        std::printf("device %d: %d %d %d\n", number, result[0], result[1], result[kCount - 1]);
    }
    int ofPointer = -1;
    CHECK(cuCtxGetDevice(&device));
    CHECK(cuPointerGetAttribute(&ofPointer, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, parts[0].in));
    std::printf("current: device %d, of a pointer: device %d\n", device, ofPointer);
    std::printf("of another context: %s\n", nameOf(launch(parts[0])).c_str());
    std::printf("same device: %s\n", nameOf(cuCtxEnablePeerAccess(parts[1].context, 0)).c_str());
    std::printf("peer: %s\n", nameOf(cuCtxEnablePeerAccess(parts[0].context, 0)).c_str());
    CHECK(cuMemcpyPeer(parts[0].in, parts[0].context, parts[1].out, parts[1].context, kCount * sizeof(int)));
    int last = 0;
    CHECK(cuMemcpyDtoH(&last, parts[0].in + (kCount - 1) * sizeof(int), sizeof(last)));
    std::printf("copied: %d\n", last);
    // The runtime's API, in the same process, chooses for the thread.
    auto* const choose = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "cudaSetDevice"));
    CUcontext current = nullptr;
    if (!choose || choose(0) != 0)
        return 8;
    CHECK(cuCtxGetCurrent(&current));
    CHECK(cuCtxGetDevice(&device));
    std::printf("the runtime's choice: device %d%s\n", device,
                current == parts[0].context ? "" : ", of another context");
    return 0;
}
