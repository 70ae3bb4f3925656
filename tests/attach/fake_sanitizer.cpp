// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Sanitizer API, a driver and a CUPTI without a GPU, and a program that uses them: the patches run on the host. What
// a test wants otherwise is in FAKE_SANITIZER: "fault" (the first kernel dies), "unpatchable", "old GPU memory" …
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/attach/sanitizer_api.h"
#include "tests/cuda/host_warp.h"

using namespace lanescope::attach;
using lanescope::cuda::HostPlace;
using lanescope::cuda::runWarp;

#define FAKE extern "C" __attribute__((visibility("default")))

extern "C" {
int lanescope_global(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags, const void*);
int lanescope_shared(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags, const void*);
int lanescope_local(void* control, uint64_t instruction, void* address, uint32_t bytes, uint32_t flags, const void*);
int lanescope_copy(void* control, uint64_t instruction, void* from, uint32_t to, uint32_t bytes);
int lanescope_barrier(void* control, uint64_t instruction, uint32_t index, uint32_t threads, uint32_t flags);
int lanescope_exit(void* control, uint64_t instruction);
}

namespace {

constexpr uint64_t kCode = 0x7f1200001000;
constexpr uint32_t kThreads = 64;
constexpr uint32_t kReservedBytes = 1024;
constexpr uint32_t kReads = 1, kWrites = 2;
constexpr int kFailed = 999;

SanitizerCallback g_callback = nullptr;
void* g_user = nullptr;
void* g_control = nullptr;
int g_streamStatus = 0;
uint64_t g_variable[2] = {7, 8};

bool wants(const char* what)
{
    const char* wanted = std::getenv("FAKE_SANITIZER");
    return wanted && std::strcmp(wanted, what) == 0;
}

template <typename Handle>
Handle handle()
{
    return reinterpret_cast<Handle>(uintptr_t{16});
}

}  // namespace

FAKE int sanitizerSubscribe(Subscriber* subscriber, SanitizerCallback callback, void* user)
{
    *subscriber = handle<Subscriber>();
    g_callback = callback;
    g_user = user;
    return wants("no subscriber") ? 3 : 0;
}
FAKE int sanitizerEnableDomain(uint32_t, Subscriber, Domain)
{
    return 0;
}
FAKE int sanitizerEnableCallback(uint32_t, Subscriber, Domain, uint32_t)
{
    return 0;
}
FAKE int sanitizerAddPatches(const void* image, Context)
{
    return std::strncmp(static_cast<const char*>(image), "assembled for sm_90", 19) == 0 ? 0 : 1;
}
FAKE int sanitizerPatchInstructions(Instruction, CodeModule, const char*)
{
    return wants("unpatchable") ? 12 : 0;
}
FAKE int sanitizerPatchModule(CodeModule)
{
    return 0;
}
FAKE int sanitizerSetLaunchCallbackData(LaunchHandle, Function, StreamHandle, const void* control)
{
    g_control = const_cast<void*>(control);
    return 0;
}
FAKE int sanitizerGetFunctionPcAndSize(CodeModule, const char*, uint64_t* begin, uint64_t* bytes)
{
    *begin = kCode;
    *bytes = 1;
    return 0;
}
FAKE int sanitizerAlloc(Context, void** at, size_t bytes)
{
    *at = std::calloc(bytes, 1);
    return 0;
}
FAKE int sanitizerFree(Context, void* at)
{
    std::free(at);
    return 0;
}
FAKE int sanitizerAllocHost(Context, void** at, size_t bytes)
{
    *at = wants("no host memory") ? nullptr : std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return *at ? 0 : 2;
}
FAKE int sanitizerFreeHost(Context, void* at)
{
    std::free(at);
    return 0;
}
FAKE int sanitizerMemcpyHostToDeviceAsync(void* to, const void* from, size_t bytes, StreamHandle)
{
    std::memcpy(to, from, bytes);
    return 0;
}
FAKE int sanitizerMemcpyDeviceToHost(void* to, const void* from, size_t bytes, StreamHandle)
{
    std::memcpy(to, from, bytes);
    return 0;
}
FAKE int sanitizerStreamSynchronize(StreamHandle)
{
    return g_streamStatus;
}
FAKE int sanitizerGetResultString(SanitizerStatus, const char** text)
{
    *text = "as wished";
    return 0;
}

FAKE int cuDeviceGetAttribute(int* value, int attribute, int)
{
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 111 ? kReservedBytes : 1;
    return 0;
}
FAKE int cuDeviceGetName(char* name, int bytes, int)
{
    std::snprintf(name, static_cast<size_t>(bytes), "Fake GPU");
    return 0;
}
FAKE int cuModuleGetGlobal_v2(uint64_t* address, size_t* bytes, CodeModule, const char*)
{
    *address = reinterpret_cast<uint64_t>(g_variable);
    *bytes = sizeof g_variable;
    return 0;
}

/// The instructions of FAKE_SOURCE: one a line.
FAKE int cuptiGetSassToSourceCorrelation(void* question)
{
    struct Question {
        size_t structBytes;
        const void* cubin;
        const char* function;
        size_t cubinBytes;
        uint32_t line;
        uint64_t offset;
        char* file;
        char* folder;
    };
    auto& asked = *static_cast<Question*>(question);
    const char* source = std::getenv("FAKE_SOURCE");
    if (!source)
        return 1;
    asked.line = static_cast<uint32_t>(asked.offset / 16 + 1);
    asked.file = strdup(source);
    asked.folder = strdup("/nowhere");
    return 0;
}

namespace {

uint64_t at(uint32_t number)
{
    return kCode + 16 * number;
}

/// One of the two warps of a block. The patches are told before the program does it.
struct Warp {
    float* data;
    HostPlace place;
    std::vector<float>& window;  ///< of shared memory

    void run(uint32_t mask, const std::function<void(uint32_t thread)>& lane) const
    {
        if (!runWarp(mask, [&](uint32_t number) { lane(32 * place.warp + number); }, place))
            std::abort();
    }
    [[nodiscard]] float& cell(uint32_t thread) const { return data[place.block * kThreads + thread]; }
    static void* shared(uint32_t thread) { return reinterpret_cast<void*>(uintptr_t{kReservedBytes} + 4 * thread); }

    /// \p stray: stores where there is no memory, and is not heard of again.
    void runKernel(bool stray) const
    {
        run(~0u, [&](uint32_t thread) {
            lanescope_global(g_control, at(0), &cell(thread), 4, kReads, nullptr);
            const float value = 2 * cell(thread);
            lanescope_shared(g_control, at(1), shared(thread), 4, kWrites, &value);
            window[kReservedBytes / 4 + thread] = value;
            if (stray)
                lanescope_global(g_control, at(2), reinterpret_cast<void*>(uintptr_t{0xdead0000} + 4 * thread), 4,
                                 kWrites, &value);
        });
        if (stray)
            return;
        run(~0u, [&](uint32_t thread) {
            lanescope_barrier(g_control, at(3), 0, 0, 0);
            lanescope_shared(g_control, at(4), shared(thread ^ 1), 4, kReads, nullptr);
        });
        run(0x55555555, [&](uint32_t thread) {
            const float value = window[kReservedBytes / 4 + thread];
            lanescope_global(g_control, at(5), &cell(thread), 4, kWrites, &value);
            cell(thread) = value;
        });
        run(~0u, [&](uint32_t thread) {
            lanescope_global(g_control, at(6), g_variable, 4, kReads | kWrites, nullptr);
            lanescope_copy(g_control, at(7), &cell(thread), kReservedBytes + 4 * thread, 4);
            lanescope_barrier(g_control, at(8), 1, 32, 0);  // of a part of the block
            lanescope_exit(g_control, at(9));
        });
    }
};

void launch(float* data, bool dies)
{
    int count = 128;
    void* arguments[] = {&data, &count};
    LaunchKernelParameters call = {};
    call.arguments = arguments;
    CallData called{0, "cuLaunchKernel", &call};
    g_callback(g_user, Domain::DriverCalls, kLaunchKernel, &called);
    LaunchData begins = {};
    begins.context = handle<Context>();
    begins.module = handle<CodeModule>();
    begins.functionName = "_Z5scalePfi";
    for (uint32_t* size : {begins.grid, begins.block})
        size[0] = size[1] = size[2] = 1;
    begins.grid[0] = 2;
    begins.block[0] = kThreads;
    g_callback(g_user, Domain::Launches, kLaunchBegins, &begins);
    g_streamStatus = dies ? kFailed : 0;
    for (uint32_t block = 0; g_control && block < 2; ++block) {
        std::vector<float> window(2048);
        for (uint32_t warp = 0; warp < kThreads / 32; ++warp) {
            HostPlace place{block, 2, warp, kThreads / 32};
            place.sharedFirst = reinterpret_cast<uint64_t>(window.data());
            Warp{data, place, window}.runKernel(dies);
        }
    }
    g_callback(g_user, Domain::Launches, kLaunchEnded, &begins);
    called.where = 1;
    g_callback(g_user, Domain::DriverCalls, kLaunchKernel, &called);
}

}  // namespace

/// A program with two launches of a kernel.
FAKE void runFakeProgram(const char* cubin, size_t bytes)
{
    ContextData context{handle<Context>(), 0};
    g_callback(g_user, Domain::Resources, kContextCreated, &context);
    std::vector<float> data(2 * kThreads);
    for (size_t i = 0; i < data.size(); ++i)
        data[i] = static_cast<float>(i);
    const auto allocated = [](void* at, uint64_t size, uint32_t flags) {
        MemoryData memory = {};
        memory.address = reinterpret_cast<uint64_t>(at);
        memory.bytes = size;
        memory.flags = flags;
        return memory;
    };
    std::vector<char> unused(64), ofRuntime(64);
    MemoryData memory = allocated(ofRuntime.data(), ofRuntime.size(), 0x40);
    g_callback(g_user, Domain::Resources, kDeviceMemoryAllocated, &memory);
    memory = allocated(unused.data(), unused.size(), kManaged);
    g_callback(g_user, Domain::Resources, kDeviceMemoryAllocated, &memory);
    memory = allocated(data.data(), data.size() * sizeof(float), 0);
    g_callback(g_user, Domain::Resources, kDeviceMemoryAllocated, &memory);
    ModuleData module{handle<Context>(), handle<CodeModule>(), bytes, cubin, nullptr};
    g_callback(g_user, Domain::Resources, kModuleLoaded, &module);
    launch(data.data(), wants("fault"));
    launch(data.data(), false);
    g_callback(g_user, Domain::Resources, kDeviceMemoryFreed, &memory);
    g_callback(g_user, Domain::Resources, kModuleUnloaded, &module);
    g_callback(g_user, Domain::Resources, kContextDestroyed, &context);
}
