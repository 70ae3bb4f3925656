// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulator asks of liblanescope_native.so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

/// Handlers that are compiled once, where the simulator has them: the library has others of these names.
struct CommonHandlers {
    Handler exit = runExit;
    Handler joinPoint = runJoinPoint;
    Handler passedMark = runPassedMark;
    Handler barrier = runBarrier;
    Handler laneCall = runLaneCall;
    Handler atomic = runAtomic;
    Handler anySwitch = runSwitch;
    Handler scalarSwitch = runSwitchScalar;
};

/// The code of one function, of a program that lives as long as the process wants to run it.
struct NativeJob {
    /// What is made: functions for whole warps, which count what others run; or, after that, functions for those; and
    /// likewise of warps that are recorded.
    enum class For : uint8_t { WholeWarps, Parts, Recorded, RecordedParts };
    For what;
    std::atomic<uint64_t>* partlyExecuted;  ///< NativeState::Kind::executed of such parts
    const HandlerSet* handlers;
    const Instr* code;
    const Handler* own;  ///< by instruction: what the code was lowered to
    size_t count;
    const Instr* entry;                         ///< of the program; null: it does not begin in this code
    uint32_t registerBytes;                     ///< of a warp's register file
    std::span<const uint64_t> scalars;          ///< what a split's scalar file begins with, as of Program
    std::span<const uint32_t> constantScalars;  ///< as of Program
    uint32_t patterns;                          ///< that a warp keeps
    bool wholeRows;                             ///< as of Program
    bool hasLongTurns;                          ///< warps mostly go on where a basic block ends
    std::span<const uint32_t> wideRegisters;    ///< as of Program
    std::atomic<bool>* foresees;                ///< to be set once there is code for blocks that are foreseen; or null
    CommonHandlers common;

    [[nodiscard]] bool lacksLanes() const { return what == For::Parts || what == For::RecordedParts; }
    [[nodiscard]] bool isRecorded() const { return what == For::Recorded || what == For::RecordedParts; }
    [[nodiscard]] Handler handlerOf(const Instr& instr) const { return own[&instr - code]; }
};

/// An ELF object file (job_symbols.h).
struct MadeCode {
    std::vector<std::byte> object;  ///< empty: there is nothing to be made
    bool foresees = false;          ///< NativeJob::foresees
    bool mayBeKept = false;         ///< it is the same in another process
};

/// Makes code for a job. Null, or why there is none; that text stays.
using MakeCode = const char* (*)(const NativeJob& job, MadeCode& made);

inline constexpr char kMakeCodeSymbol[] = "lanescope_make_code";

}  // namespace lanescope::simt
