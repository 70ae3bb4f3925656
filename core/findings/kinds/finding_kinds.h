// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of findings: what each is called, means and asks for. One table; to add a kind, add it here and to the
// table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope {

/// Worst first.
enum class Severity : uint8_t { Error, Warning, Advice };

/// In the order of the table.
enum class FindingKind : uint8_t {
    OutOfBounds,
    IndexOutOfShape,
    Misaligned,
    UninitialisedRead,
    SharedRace,
    GlobalRace,
    DivergentBarrier,
    BarrierDeadlock,
    Livelock,
    WarpSyncMisuse,
    AsyncCopyNotAwaited,
    AssertFailed,
    HostAccessOfDeviceMemory,
    NoPeerAccess,
    UseAfterFree,
    InvalidFree,
    IgnoredError,
    ResultDependsOnSchedule,
    Leak,
    BankConflict,
    Uncoalesced,
    DivergentBranch,
    DeadSharedStore,
    UnusedShared,
    RedundantStore,
    RedundantBarrier,
    StepLimit,
    TimeLimit,
    MemoryLimit,
    Unknown,  ///< of a trace that a newer Lanescope wrote
};

/// What kinds have in common.
enum class Family : uint8_t {
    Bounds,   ///< an access of one thread that memory does not allow
    Value,    ///< a value that nobody set
    Race,     ///< two sides that nothing orders
    Barrier,  ///< who meets whom
    Hang,     ///< no thread can go on
    Program,  ///< what the program says itself, or its result
    Host,     ///< calls and accesses of the host
    Limit,    ///< one of ours stopped the run
    Advice,   ///< right, but slow or of no use
};

struct FindingKindInfo {
    FindingKind kind;
    const char* name;   ///< of the command's contract, "shared-race"
    Severity severity;  ///< usual one
    Family family;
    const char* title;  ///< a few words
    const char* why;    ///< one sentence: why it is a defect
    const char* help;   ///< one sentence: what to do; "" when the message itself says it
};

/// Texts are empty for Unknown.
const FindingKindInfo& infoOf(FindingKind kind);
std::optional<FindingKind> kindNamed(std::string_view name);
const char* nameOf(FindingKind kind);
const char* nameOf(Severity severity);
std::optional<Severity> severityNamed(std::string_view name);

inline Family familyOf(FindingKind kind)
{
    return infoOf(kind).family;
}
/// Two accesses of one cell that nothing orders. An asynchronous copy that nobody awaited is of the same family, but
/// its first side is no access of a thread.
inline bool isRace(FindingKind kind)
{
    return kind == FindingKind::SharedRace || kind == FindingKind::GlobalRace;
}
/// What can end a run.
inline bool endsRun(FindingKind kind)
{
    return familyOf(kind) == Family::Limit || familyOf(kind) == Family::Hang;
}

}  // namespace lanescope
