// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings about what host code does with the CUDA API: copies past a buffer, invalid frees, failed calls whose result
// nobody looked at, memory that is never freed. A mistake is reported when it happens; that nobody looked, or freed,
// shows when the program ends. All are called under the runtime's lock.
#pragma once

#include <optional>
#include <string>

#include "instrumented/runtime/host_frames.h"
#include "instrumented/runtime/host_heap.h"
#include "instrumented/runtime/runtime.h"

namespace lanescope::runtime {

struct CopyWork;

/// An allocation has been made; \p number: of Runtime::takeMallocNumber.
void noteAllocation(uint64_t number);
/// A call has failed. Forgotten when somebody asks for the last error, or when the caller used the result.
void noteFailure(const Runtime& runtime, cudaError_t error);
void forgetFailures();
/// What of the call that is going to fail with \p error is out of which limit: "2048 threads per block, at most 1024".
void explainFailure(cudaError_t error, std::string why);
/// This thread's next launch is written at \p frames; clang's stub of the kernel, which calls us, is not in the source.
void setLaunchPlace(const HostFrames& frames);
/// While it lives, a launch is under way; then its place is forgotten.
struct LaunchPlaceScope {
    LaunchPlaceScope() = default;
    ~LaunchPlaceScope();
    LaunchPlaceScope(const LaunchPlaceScope&) = delete;
    LaunchPlaceScope& operator=(const LaunchPlaceScope&) = delete;
};
/// While it lives, a call that was made at \p frames is performed.
class CallPlaceScope {
public:
    explicit CallPlaceScope(const HostFrames& frames);
    ~CallPlaceScope();
    CallPlaceScope(const CallPlaceScope&) = delete;
    CallPlaceScope& operator=(const CallPlaceScope&) = delete;

private:
    std::optional<HostFrames> m_before;
};
/// Where in the program the launch or call that is being performed is written.
HostFrames callFrames();
/// A copy or fill wants \p bytes at \p pointer, which are not all inside one live buffer.
void reportBadRange(Runtime& runtime, const void* pointer, uint64_t bytes, bool isWrite);
/// A copy wants \p bytes from byte \p offset of a block of the host's heap on, which is shorter.
void reportHostOverrun(const HostBlock& block, uint64_t offset, uint64_t bytes, bool isWrite);
/// A copy has given the host \p bytes at \p pointer, of which nobody had written a single one.
void reportNeverWritten(Runtime& runtime, const void* pointer, uint64_t bytes);
/// A copy has given the host \p bytes from \p pointer on: a whole buffer, of which a launch has left out what a grid
/// that was rounded down leaves out? Then that grid was too small.
void reportLeftOut(Runtime& runtime, const void* pointer, uint64_t bytes);
/// A copy within the device whose source and target overlap.
void reportOverlap(Runtime& runtime, const CopyWork& work);
/// cudaFree of what is no live allocation.
void reportInvalidFree(Runtime& runtime, const void* pointer);

/// The call that made \p allocation; null when not known.
const HostFrames* framesOf(const device::Allocation& allocation);
/// Hands to the trace what only shows at the end.
void addApiFindings(Runtime& runtime, const trace::ProgramEnd& end);

}  // namespace lanescope::runtime
