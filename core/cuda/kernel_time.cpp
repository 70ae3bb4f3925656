// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cuda/kernel_time.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace lanescope::cuda {

namespace {

constexpr const char* kNoTime = "the kernel's time cannot be had";
constexpr size_t kBufferBytes = 64 << 10;
constexpr size_t kAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT
constexpr uint32_t kFlushEvenIncomplete = 1;

/// What all versions of a kernel's record begin with.
struct KernelRecord {
    uint32_t kind;
    uint8_t unused[12];
    uint64_t start;
    uint64_t end;
};
static_assert(offsetof(KernelRecord, start) == 16);

/// CUPTI's callbacks take nothing of ours with them.
const Cupti* readingCupti = nullptr;
std::atomic<uint64_t> kernelNanoseconds{0};

void provideBuffer(uint8_t** buffer, size_t* bytes, size_t* maxRecords)
{
    *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
    *bytes = *buffer ? kBufferBytes : 0;
    *maxRecords = 0;  // as many as fit
}

void readBuffer(Context, uint32_t, uint8_t* buffer, size_t, size_t validBytes)
{
    void* record = nullptr;
    while (readingCupti->nextActivity(buffer, validBytes, &record) == 0) {
        KernelRecord kernel;
        std::memcpy(&kernel, record, sizeof kernel);
        if (kernel.kind == kActivityKernel)
            kernelNanoseconds += kernel.end - kernel.start;
    }
    std::free(buffer);
}

}  // namespace

Result<uint64_t> timeKernels(const Cupti& cupti, const std::function<Result<void>()>& run)
{
    readingCupti = &cupti;
    kernelNanoseconds = 0;
    CuptiStatus status = cupti.registerActivityBuffers(provideBuffer, readBuffer);
    if (status == 0)
        status = cupti.enableActivity(kActivityKernel);
    if (status != 0)
        return cupti.error(status, kNoTime);
    const Result<void> ran = run();
    status = cupti.flushActivity(kFlushEvenIncomplete);
    cupti.disableActivity(kActivityKernel);
    if (!ran)
        return ran.error();
    if (status != 0)
        return cupti.error(status, kNoTime);
    if (kernelNanoseconds == 0)
        return Error{Error::Code::Unsupported, std::string(kNoTime) + ": CUPTI has no record of it", ""};
    return kernelNanoseconds.load();
}

}  // namespace lanescope::cuda
