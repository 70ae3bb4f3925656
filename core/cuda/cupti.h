// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUPTI's range profiler, its counters in patched machine code (SASS metrics) and its records of kernels (activity),
// found when first asked for. Its
// parameter blocks are spelled out here, so that nothing of a toolkit is needed to build. Each begins with its size up
// to the last member, which is how CUPTI tells versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/cuda/driver.h"

namespace lanescope::cuda {

using CuptiStatus = int;  ///< CUptiResult; 0 is success
using ProfilerHost = struct ProfilerHostTag*;
using RangeProfiler = struct RangeProfilerTag*;

inline constexpr CuptiStatus kCuptiNoPermission = 35;  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
inline constexpr int kAutoRange = 1;                   ///< each kernel is a range
inline constexpr int kUserReplay = 3;

struct ProfilerInitialize {
    size_t size = 16;
    void* unused = nullptr;
};
struct ChipName {
    size_t size = 32;
    void* unused = nullptr;
    size_t device = 0;
    const char* name = nullptr;
};
struct CounterAvailability {
    size_t size = 40;
    void* unused = nullptr;
    Context context = nullptr;
    size_t imageBytes = 0;
    uint8_t* image = nullptr;
};
struct HostInitialize {
    size_t size = 48;
    void* unused = nullptr;
    int profilerType = 0;  ///< the range profiler
    const char* chip = nullptr;
    const uint8_t* availability = nullptr;
    ProfilerHost host = nullptr;
};
struct HostDeinitialize {
    size_t size = 24;
    void* unused = nullptr;
    ProfilerHost host = nullptr;
};
struct AddMetrics {
    size_t size = 40;
    void* unused = nullptr;
    ProfilerHost host = nullptr;
    const char** names = nullptr;
    size_t count = 0;
};
struct ConfigBytes {
    size_t size = 32;
    void* unused = nullptr;
    ProfilerHost host = nullptr;
    size_t bytes = 0;
};
struct ConfigImage {
    size_t size = 40;
    void* unused = nullptr;
    ProfilerHost host = nullptr;
    size_t bytes = 0;
    uint8_t* image = nullptr;
};
struct Evaluate {
    size_t size = 72;
    void* unused = nullptr;
    ProfilerHost host = nullptr;
    const uint8_t* counters = nullptr;
    size_t counterBytes = 0;
    size_t range = 0;
    const char** names = nullptr;
    size_t count = 0;
    double* values = nullptr;
};
struct ProfilerEnable {
    size_t size = 32;
    void* unused = nullptr;
    Context context = nullptr;
    RangeProfiler profiler = nullptr;
};
/// Start, disable.
struct ProfilerCall {
    size_t size = 24;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
};
struct CounterBytes {
    size_t size = 64;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
    const char** names = nullptr;
    size_t count = 0;
    size_t ranges = 1;
    uint32_t rangeNodes = 1;
    size_t bytes = 0;
};
struct CounterImage {
    size_t size = 40;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
    size_t bytes = 0;
    uint8_t* image = nullptr;
};
struct SetConfig {
    size_t size = 90;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
    size_t configBytes = 0;
    const uint8_t* config = nullptr;
    size_t counterBytes = 0;
    uint8_t* counters = nullptr;
    int range = kAutoRange;
    int replay = kUserReplay;
    size_t rangesPerPass = 1;
    uint16_t nestingLevels = 1;
    uint16_t minNestingLevel = 1;
    size_t pass = 0;
    uint16_t targetNestingLevel = 1;
};
static_assert(offsetof(SetConfig, targetNestingLevel) == 88);
struct ProfilerStop {
    size_t size = 41;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
    size_t pass = 0;
    size_t targetNestingLevel = 0;
    uint8_t allPassesMade = 0;
};
static_assert(offsetof(ProfilerStop, allPassesMade) == 40);
struct Decode {
    size_t size = 32;
    void* unused = nullptr;
    RangeProfiler profiler = nullptr;
    size_t rangesDropped = 0;
};

struct SassMetric {
    uint64_t id = 0;
    const char* name = nullptr;
    const char* description = nullptr;
};
struct SassMetricProperties {
    size_t size = 56;
    void* unused = nullptr;
    const char* chip = nullptr;
    const char* name = nullptr;
    SassMetric metric = {};
};
struct SassMetricConfig {
    uint64_t metric = 0;
    uint8_t granularity = 0;  ///< one sum for the GPU
};
struct SassSetConfig {
    size_t size = 36;
    void* unused = nullptr;
    size_t count = 0;
    SassMetricConfig* configs = nullptr;
    uint32_t device = 0;
};
static_assert(offsetof(SassSetConfig, device) == 32);
struct SassUnsetConfig {
    size_t size = 20;
    void* unused = nullptr;
    uint32_t device = 0;
};
struct SassEnable {
    size_t size = 25;
    void* unused = nullptr;
    Context context = nullptr;
    uint8_t whenFirstRun = 1;  ///< else all functions are patched now
};
struct SassDisable {
    size_t size = 32;
    void* unused = nullptr;
    Context context = nullptr;
    size_t recordsDropped = 0;
};
struct SassDataProperties {
    size_t size = 40;
    void* unused = nullptr;
    Context context = nullptr;
    size_t records = 0;
    size_t instances = 0;
};
struct SassValue {
    uint64_t metric = 0;
    uint64_t value = 0;
};
struct SassRecord {
    size_t size = 48;
    void* unused = nullptr;
    uint32_t cubin = 0;
    uint32_t functionIndex = 0;
    const char* function = nullptr;
    uint32_t pcOffset = 0;
    SassValue* values = nullptr;
};
struct SassFlush {
    size_t size = 40;  // up to \p instances
    void* unused = nullptr;
    Context context = nullptr;
    size_t records = 0;
    size_t instances = 0;
    SassRecord* data = nullptr;
};

inline constexpr uint32_t kActivityKernel = 10;  // CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
using ProvideBuffer = void (*)(uint8_t** buffer, size_t* bytes, size_t* maxRecords);
using ReadBuffer = void (*)(Context context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t validBytes);

#define LS_CUPTI_FUNCTIONS(F)                                                                                          \
    F("cuptiGetResultString", resultText, (CuptiStatus, const char**))                                                 \
    F("cuptiProfilerInitialize", initialize, (ProfilerInitialize*))                                                    \
    F("cuptiDeviceGetChipName", chipName, (ChipName*))                                                                 \
    F("cuptiProfilerGetCounterAvailability", counterAvailability, (CounterAvailability*))                              \
    F("cuptiProfilerHostInitialize", hostInitialize, (HostInitialize*))                                                \
    F("cuptiProfilerHostDeinitialize", hostDeinitialize, (HostDeinitialize*))                                          \
    F("cuptiProfilerHostConfigAddMetrics", addMetrics, (AddMetrics*))                                                  \
    F("cuptiProfilerHostGetConfigImageSize", configBytes, (ConfigBytes*))                                              \
    F("cuptiProfilerHostGetConfigImage", configImage, (ConfigImage*))                                                  \
    F("cuptiProfilerHostEvaluateToGpuValues", evaluate, (Evaluate*))                                                   \
    F("cuptiRangeProfilerEnable", enable, (ProfilerEnable*))                                                           \
    F("cuptiRangeProfilerDisable", disable, (ProfilerCall*))                                                           \
    F("cuptiRangeProfilerGetCounterDataSize", counterBytes, (CounterBytes*))                                           \
    F("cuptiRangeProfilerCounterDataImageInitialize", counterImage, (CounterImage*))                                   \
    F("cuptiRangeProfilerSetConfig", setConfig, (SetConfig*))                                                          \
    F("cuptiRangeProfilerStart", start, (ProfilerCall*))                                                               \
    F("cuptiRangeProfilerStop", stop, (ProfilerStop*))                                                                 \
    F("cuptiRangeProfilerDecodeData", decode, (Decode*))                                                               \
    F("cuptiActivityRegisterCallbacks", registerActivityBuffers, (ProvideBuffer, ReadBuffer))                          \
    F("cuptiActivityEnable", enableActivity, (uint32_t kind))                                                          \
    F("cuptiActivityDisable", disableActivity, (uint32_t kind))                                                        \
    F("cuptiActivityFlushAll", flushActivity, (uint32_t flag))                                                         \
    F("cuptiActivityGetNextRecord", nextActivity, (uint8_t* buffer, size_t validBytes, void** record))                 \
    F("cuptiSassMetricsGetProperties", sassMetric, (SassMetricProperties*))                                            \
    F("cuptiSassMetricsSetConfig", sassSetConfig, (SassSetConfig*))                                                    \
    F("cuptiSassMetricsUnsetConfig", sassUnsetConfig, (SassUnsetConfig*))                                              \
    F("cuptiSassMetricsEnable", sassEnable, (SassEnable*))                                                             \
    F("cuptiSassMetricsDisable", sassDisable, (SassDisable*))                                                          \
    F("cuptiSassMetricsGetDataProperties", sassDataProperties, (SassDataProperties*))                                  \
    F("cuptiSassMetricsFlushData", sassFlush, (SassFlush*))

struct Cupti {
#define LS_CUPTI_MEMBER(exported, name, parameters) CuptiStatus(*name) parameters = nullptr;
    LS_CUPTI_FUNCTIONS(LS_CUPTI_MEMBER)
#undef LS_CUPTI_MEMBER

    /// libcupti.so (LANESCOPE_CUPTI: another file), from the loader's path or a toolkit's usual place. To be found
    /// before anything else is asked of the driver. Errors name what is missing.
    static Result<const Cupti*> find();
    [[nodiscard]] Error error(CuptiStatus status, const std::string& what) const;
};

/// CUPTI's library: LANESCOPE_CUPTI, else by its name or in the usual places of \p toolkit (empty: CUDA_HOME's). Null:
/// there is none.
void* openCupti(const std::string& toolkit = {});

}  // namespace lanescope::cuda
