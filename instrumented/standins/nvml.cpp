// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libnvidia-ml: what front ends ask it of the devices before they use them. Their places on the PCI bus are what
// the CUDA attributes say, and the version is the driver's.
#include <cstdio>
#include <cstring>
#include <string>

#include "instrumented/include/cuda.h"

#define LS_NVML extern "C" __attribute__((visibility("default"))) int

namespace {

enum Answer { kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kTooSmall = 7 };

constexpr char kDriverVersion[] = "580.65.06";
/// What handles point to: a device is called by its number, too.
int g_devices[64] = {};

int deviceCount()
{
    int count = 0;
    return cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

/// Of a handle that nobody gave, -1.
int numberOf(const void* device)
{
    const int count = deviceCount();
    for (int number = 0; number < count; ++number)
        if (device == &g_devices[number])
            return number;
    return -1;
}

bool isDevice(const void* device)
{
    return numberOf(device) >= 0;
}

/// The last two digits are the device's number.
std::string uuidOf(int number)
{
    char text[48];
    std::snprintf(text, sizeof(text), "GPU-4c616e65-7363-6f70-6520-736d5f3930%02x", static_cast<unsigned>(number));
    return text;
}

int give(const char* text, char* to, unsigned bytes)
{
    if (!to || bytes <= std::strlen(text))
        return to ? kTooSmall : kInvalidArgument;
    std::strcpy(to, text);
    return kSuccess;
}

template <class T>
int give(const void* device, T* to, T value)
{
    if (!isDevice(device) || !to)
        return kInvalidArgument;
    *to = value;
    return kSuccess;
}

struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

struct MemoryOfVersion2 {
    unsigned version;
    unsigned long long total;
    unsigned long long reserved;
    unsigned long long free;
    unsigned long long used;
};

struct PciInfo {
    char busIdOfOld[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned pciDeviceId;
    unsigned pciSubSystemId;
    char busId[32];
};

struct Utilization {
    unsigned gpu;
    unsigned memory;
};

}  // namespace

LS_NVML nvmlInit_v2(void)
{
    return kSuccess;
}

LS_NVML nvmlInit(void)
{
    return kSuccess;
}

LS_NVML nvmlInitWithFlags(unsigned /*flags*/)
{
    return kSuccess;
}

LS_NVML nvmlShutdown(void)
{
    return kSuccess;
}

extern "C" __attribute__((visibility("default"))) const char* nvmlErrorString(int error)
{
    switch (error) {
    case kSuccess:
        return "Success";
    case kInvalidArgument:
        return "Invalid Argument";
    case kNotSupported:
        return "Not Supported";
    case kNotFound:
        return "Not Found";
    case kTooSmall:
        return "Insufficient Size";
    default:
        return "Unknown Error";
    }
}

LS_NVML nvmlSystemGetDriverVersion(char* text, unsigned bytes)
{
    return give(kDriverVersion, text, bytes);
}

LS_NVML nvmlSystemGetNVMLVersion(char* text, unsigned bytes)
{
    return give("13.580.65.06", text, bytes);
}

LS_NVML nvmlSystemGetCudaDriverVersion_v2(int* version)
{
    return static_cast<int>(cuDriverGetVersion(version));
}

LS_NVML nvmlSystemGetCudaDriverVersion(int* version)
{
    return nvmlSystemGetCudaDriverVersion_v2(version);
}

LS_NVML nvmlDeviceGetCount_v2(unsigned* count)
{
    return give(&g_devices[0], count, static_cast<unsigned>(deviceCount()));
}

LS_NVML nvmlDeviceGetCount(unsigned* count)
{
    return give(&g_devices[0], count, static_cast<unsigned>(deviceCount()));
}

LS_NVML nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device)
{
    if (!device || index >= static_cast<unsigned>(deviceCount()))
        return kInvalidArgument;
    *device = &g_devices[index];
    return kSuccess;
}

LS_NVML nvmlDeviceGetHandleByIndex(unsigned index, void** device)
{
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

LS_NVML nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device)
{
    constexpr size_t kLongDomain = 16;  // "00000000:01:00.0": CUDA writes four digits of it
    if (!id)
        return kInvalidArgument;
    CUdevice number = 0;
    const char* const shortId = std::strlen(id) == kLongDomain ? id + 4 : id;
    return cuDeviceGetByPCIBusId(&number, shortId) == CUDA_SUCCESS
               ? nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(number), device)
               : kNotFound;
}

LS_NVML nvmlDeviceGetHandleByUUID(const char* uuid, void** device)
{
    for (int number = 0; uuid && number < deviceCount(); ++number)
        if (uuidOf(number) == uuid)
            return nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(number), device);
    return uuid ? kNotFound : kInvalidArgument;
}

LS_NVML nvmlDeviceGetIndex(void* device, unsigned* index)
{
    return give(device, index, static_cast<unsigned>(numberOf(device)));
}

LS_NVML nvmlDeviceGetName(void* device, char* text, unsigned bytes)
{
    char name[96] = "";
    if (!isDevice(device) || cuDeviceGetName(name, sizeof(name), numberOf(device)) != CUDA_SUCCESS)
        return kInvalidArgument;
    return give(name, text, bytes);
}

LS_NVML nvmlDeviceGetUUID(void* device, char* text, unsigned bytes)
{
    return isDevice(device) ? give(uuidOf(numberOf(device)).c_str(), text, bytes) : kInvalidArgument;
}

LS_NVML nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info)
{
    if (!isDevice(device) || !info)
        return kInvalidArgument;
    *info = {};
    info->bus = static_cast<unsigned>(numberOf(device));
    std::snprintf(info->busIdOfOld, sizeof(info->busIdOfOld), "0000:%02x:00.0", info->bus);
    std::snprintf(info->busId, sizeof(info->busId), "00000000:%02x:00.0", info->bus);
    return kSuccess;
}

LS_NVML nvmlDeviceGetPciInfo_v2(void* device, PciInfo* info)
{
    return nvmlDeviceGetPciInfo_v3(device, info);
}

LS_NVML nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor)
{
    if (!isDevice(device) || !major || !minor)
        return kInvalidArgument;
    return static_cast<int>(cuDeviceComputeCapability(major, minor, 0));
}

LS_NVML nvmlDeviceGetMemoryInfo(void* device, Memory* memory)
{
    size_t free = 0;
    size_t total = 0;
    if (!isDevice(device) || !memory || cuMemGetInfo(&free, &total) != CUDA_SUCCESS)
        return kInvalidArgument;
    *memory = {total, free, total - free};
    return kSuccess;
}

LS_NVML nvmlDeviceGetMemoryInfo_v2(void* device, MemoryOfVersion2* memory)
{
    Memory simple = {};
    const int answer = nvmlDeviceGetMemoryInfo(device, memory ? &simple : nullptr);
    if (answer == kSuccess)
        *memory = {memory->version, simple.total, 0, simple.free, simple.used};
    return answer;
}

LS_NVML nvmlDeviceGetUtilizationRates(void* device, Utilization* utilization)
{
    return give(device, utilization, Utilization{0, 0});
}

LS_NVML nvmlDeviceGetMigMode(void* device, unsigned* /*current*/, unsigned* /*pending*/)
{
    return isDevice(device) ? kNotSupported : kInvalidArgument;
}

LS_NVML nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons)
{
    return give(device, reasons, 0ULL);
}

LS_NVML nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons)
{
    return give(device, reasons, 0ULL);
}

LS_NVML nvmlDeviceGetTotalEccErrors(void* device, int /*type*/, int /*counter*/, unsigned long long* count)
{
    return give(device, count, 0ULL);
}

LS_NVML nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* /*processes*/)
{
    return give(device, count, 0U);
}

LS_NVML nvmlDeviceGetClockInfo(void* device, int type, unsigned* megahertz)
{
    constexpr int kMemoryClock = 2;
    int kilohertz = 0;
    const CUdevice_attribute asked =
        type == kMemoryClock ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE : CU_DEVICE_ATTRIBUTE_CLOCK_RATE;
    if (cuDeviceGetAttribute(&kilohertz, asked, 0) != CUDA_SUCCESS)
        return kInvalidArgument;
    return give(device, megahertz, static_cast<unsigned>(kilohertz / 1000));
}

LS_NVML nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* megahertz)
{
    return nvmlDeviceGetClockInfo(device, type, megahertz);
}
