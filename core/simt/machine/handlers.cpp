// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the handlers for this processor.
#include "core/simt/machine/handlers.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace lanescope::simt {

const HandlerSet& bestHandlers()
{
#ifdef LS_X86_HANDLERS
    const char* wish = std::getenv("LANESCOPE_ISA");
    std::string_view name = wish ? wish : "";
    if (name == "base")
        return handlersBase();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (avx512 && name != "avx2")
        return handlersAvx512();
    if (avx2)
        return handlersAvx2();
#endif
    return handlersBase();
}

namespace {

bool isBarrier(Handler handler)
{
    return handler == runBarrier || handler == runBarrierVote || handler == runBarrierResult ||
           handler == runPassedMark;
}

}  // namespace

Concern concernOf(Handler handler)
{
    constexpr Handler kHandlers[] = {
        runAtomic,        runBarrierArrive,   runGridBarrier,
        runClusterArrive, runClusterWait,     runFence,
        runClock,         runNanosleep,       runSpill,
        runUnspill,       runDeviceMalloc,    runDeviceFree,
        runLaunch,        runAsyncBegin,      runWaitForChildren,
        runAsyncCopied,   runPhaseBarrier,    runAsyncCommit,
        runAsyncWait,     runAsyncBulk,       runAsyncWrite,
        runAsyncRead,     runAsyncReadCommit, runAsyncReadWait,
        runProxyFence,    runProductsFence,   runMatrixDescriptor,
        runGridWait,      runTensorCopy,      runAsyncUpdate,
    };
    if (isBarrier(handler))
        return Concern::Barrier;
    return std::ranges::find(kHandlers, handler) != std::end(kHandlers) ? Concern::Any : Concern::None;
}

}  // namespace lanescope::simt
