// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instruction handlers, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/simt/code/operations.h"
#include "core/simt/machine/shuffle_source.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Handlers of several instructions in place of the first one's (fusion.h); null where there are none.
struct FusedHandlers {
    static constexpr std::ptrdiff_t kLength = 3;  ///< instructions: two loads and a multiply-add
    // What they stand for.
    Handler load = nullptr;
    Handler multiplyAdd = nullptr;
    // What may be recorded in between.
    Handler recordDerived = nullptr;
    Handler recordConstant = nullptr;
    // Those of all three; as often as that comes in a row.
    Handler loaded = nullptr;
    Handler row = nullptr;  ///< of a ProductRow
};

/// Two instructions that end a basic block, run by one handler: what a loop counts and asks each time round.
struct FusedPair {
    Handler first;
    Handler second;
    Handler both;
};

/// Handlers that machine code (native/README.md) is made of, and what these call. The bitcode has the same lists in the
/// same order.
struct HandlerLists {
    std::span<const Handler> plain;  ///< that only read and write registers or record them, and go on behind themselves
    size_t plainOfWhole;             ///< the last so many of those are machine code of whole warps alone
    std::span<const Handler> accesses;     ///< imm: MemoryInfo; they go on behind themselves unless something is wrong
    std::span<const Handler> checks;       ///< imm: ShapeCheck; they only look at registers
    std::span<const Handler> terminators;  ///< of basic blocks
    const void* callees;                   ///< pointers to functions that stay outside, one behind the other
    size_t calleeBytes;
};

/// A variable's value that goes into the trace.
enum class RecordedValue : uint8_t {
    Lanes,    ///< imm: kWideRecord or 0
    Derived,  ///< the same, or kAsksOthers or kNeverNan too, where replay can compute it: only the fact is recorded
    Uniform,  ///< of a scalar
    Constant  ///< imm: the value
};

/// The register is of 64-bit lanes.
inline constexpr uint64_t kWideRecord = 1;
/// Replay computes it from what loads from global or constant memory gave (Derives::FromAll).
inline constexpr uint64_t kAsksOthers = 2;
inline constexpr uint64_t kNeverNan = 4;  ///< it is an integer

/// The race check of \p lanes that access \p object, which has cells, at \p offsets, soundly, \p info's bytes each;
/// before anything is stored. Returns those that are still to be looked at one by one.
using EnterLanes = LaneMask (*)(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, const uint32_t* offsets,
                                LaneMask lanes);

/// One instruction set's handlers. Every function returns null for a combination that does not exist.
struct HandlerSet {
    const char* name;
    Handler (*binary)(BinaryOp op, LaneType type, Form a, Form b);
    Handler (*compare)(CompareOp op, LaneType type, Form a, Form b);
    Handler (*unary)(UnaryOp op, LaneType type, Form a);
    Handler (*cast)(CastOp op, LaneType from, LaneType to, Form a);
    Handler (*ternary)(TernaryOp op, LaneType type, bool scalar);
    /// select dst = a ? b : c; condition form, value form (scalar values are broadcast by the caller)
    Handler (*select)(LaneType type, Form condition, bool scalarResult);
    Handler (*broadcast)(LaneType type);  ///< vector dst = scalar a
    Handler (*firstLane)(LaneType type);  ///< scalar dst = vector a's first active lane
    Handler (*address)();                 ///< dst (64-bit) = MemoryInfo's address, vector
    Handler (*addressScalar)();
    Handler (*notePattern)(bool wide);  ///< of vector a times b, as pattern imm
    /// dst = vector a of the lanes that vectors b and c tell; imm: WarpCall, in which all lanes are members, or may be
    Handler (*shuffle)(ShuffleMode mode, bool asksMembers);
    Handler (*checkShape)();  ///< imm: ShapeCheck
    Handler (*load)(const MemoryInfo& info);
    Handler (*store)(const MemoryInfo& info);
    Handler (*record)(RecordedValue value);  ///< a: register; b: bytes; c: site
    Handler (*branch)(Form condition, bool recording);
    Handler (*jump)(bool recording);
    Handler switchLanes;  ///< imm: SwitchInfo
    FusedHandlers fused;
    std::span<const FusedPair> pairs;
    EnterLanes enterReads;
    EnterLanes enterWrites;
    HandlerLists lists;
};

const HandlerSet& handlersBase();
const HandlerSet& handlersAvx2();
const HandlerSet& handlersAvx512();
/// The best set this processor runs; LANESCOPE_ISA=base|avx2|avx512 chooses another.
const HandlerSet& bestHandlers();

/// What an instruction has to do with other warps of the block.
enum class Concern : uint8_t {
    None,
    Barrier,  ///< all meet there
    Any       ///< it waits for some, tells them, counts them, or leaves something under way that they may wait for
};
/// Of one with this handler. Whoever adds a handler that has to do with others says so there.
Concern concernOf(Handler handler);

// Handlers that gain nothing from vector instructions, compiled once.
const Instr* runAtomic(const Instr* instr, Warp& warp);
const Instr* runDiverge(const Instr* instr, Warp& warp, LaneMask taken);  ///< after a branch whose lanes differ
/// Lanes of a switch by where they go.
struct SwitchGroups {
    struct Group {
        const Instr* target;
        LaneMask lanes;
    };
    Group groups[kWarpSize];  // never more than lanes; filled as far as `count`
    unsigned count = 0;

    void add(const Instr* target, LaneMask lanes)
    {
        if (lanes == 0)
            return;
        for (unsigned i = 0; i < count; ++i)
            if (groups[i].target == target) {
                groups[i].lanes |= lanes;
                return;
            }
        groups[count++] = {target, lanes};
    }
};
const Instr* runSwitch(const Instr* instr, Warp& warp);
const Instr* runSwitchGroups(const Instr* instr, Warp& warp, SwitchGroups& groups);
const Instr* runSwitchScalar(const Instr* instr, Warp& warp);
/// a: whether lanes that meet here only exit.
const Instr* runJoinPoint(const Instr* instr, Warp& warp);
const Instr* runCall(const Instr* instr, Warp& warp);
const Instr* runReturn(const Instr* instr, Warp& warp);
const Instr* runExit(const Instr* instr, Warp& warp);
const Instr* runBarrier(const Instr* instr, Warp& warp);
const Instr* runPassedMark(const Instr* instr, Warp& warp);
const Instr* runCountRun(const Instr* instr, Warp& warp);
/// imm: SyncScope
const Instr* runFence(const Instr* instr, Warp& warp);
const Instr* runBeginVariable(const Instr* instr, Warp& warp);
const Instr* runBarrierVote(const Instr* instr, Warp& warp);
const Instr* runBarrierResult(const Instr* instr, Warp& warp);
const Instr* runBarrierArrive(const Instr* instr, Warp& warp);
const Instr* runGridBarrier(const Instr* instr, Warp& warp);
const Instr* runClusterArrive(const Instr* instr, Warp& warp);
const Instr* runClusterWait(const Instr* instr, Warp& warp);
const Instr* runLaneCall(const Instr* instr, Warp& warp);
const Instr* runWarpCall(const Instr* instr, Warp& warp);
const Instr* runActiveMask(const Instr* instr, Warp& warp);
const Instr* runClock(const Instr* instr, Warp& warp);
const Instr* runNanosleep(const Instr* instr, Warp& warp);
const Instr* runSpill(const Instr* instr, Warp& warp);
const Instr* runUnspill(const Instr* instr, Warp& warp);
const Instr* runEnterFrame(const Instr* instr, Warp& warp);
const Instr* runForgetObjects(const Instr* instr, Warp& warp);
const Instr* runBeginObjects(const Instr* instr, Warp& warp);
/// imm: MemoryInfo of the load of pointers that comes next.
const Instr* runCheckPointers(const Instr* instr, Warp& warp);
const Instr* runPrint(const Instr* instr, Warp& warp);
const Instr* runAssertFail(const Instr* instr, Warp& warp);
const Instr* runDeviceMalloc(const Instr* instr, Warp& warp);
const Instr* runDeviceFree(const Instr* instr, Warp& warp);
const Instr* runLaunch(const Instr* instr, Warp& warp);
const Instr* runWaitForChildren(const Instr* instr, Warp& warp);
const Instr* runAsyncBegin(const Instr* instr, Warp& warp);
const Instr* runAsyncWrite(const Instr* instr, Warp& warp);
/// Gives 1 where the lane's reduction is made at its wait, and must change nothing here.
const Instr* runAsyncUpdate(const Instr* instr, Warp& warp);
const Instr* runAsyncCopied(const Instr* instr, Warp& warp);
const Instr* runPhaseBarrier(const Instr* instr, Warp& warp);
const Instr* runAsyncCommit(const Instr* instr, Warp& warp);
const Instr* runAsyncWait(const Instr* instr, Warp& warp);
const Instr* runAsyncBulk(const Instr* instr, Warp& warp);
const Instr* runAsyncRead(const Instr* instr, Warp& warp);
const Instr* runAsyncReadCommit(const Instr* instr, Warp& warp);
const Instr* runAsyncReadWait(const Instr* instr, Warp& warp);
const Instr* runProxyFence(const Instr* instr, Warp& warp);
const Instr* runProductsFence(const Instr* instr, Warp& warp);
const Instr* runMatrixDescriptor(const Instr* instr, Warp& warp);
const Instr* runGridWait(const Instr* instr, Warp& warp);
/// What ends a kernel, besides a failed assertion.
struct Trap {
    FindingKind kind;
    const char* message;
};
const Instr* runTrap(const Instr* instr, Warp& warp);
const Instr* runMemoryCopy(const Instr* instr, Warp& warp);
const Instr* runMemorySet(const Instr* instr, Warp& warp);
/// imm: TensorCopy
const Instr* runTensorCopy(const Instr* instr, Warp& warp);
/// One lane's atomic. Gives what was there, and \p after what is there now; none where nothing may be changed, which is
/// reported then.
std::optional<uint64_t> updateAt(Warp& warp, const AtomicInfo& info, int lane, uint64_t address, uint64_t operand,
                                 uint64_t compare, uint64_t& after);
/// What an atomic does to host memory, and nothing else.
void updateMemory(const AtomicInfo& info, std::byte* at, uint64_t operand);
/// Slow ways through memory: any mask, any mix of objects, every check; values are packed in `data`.
/// \p next: where to go on; returns it, or null when the warp has become tracked and the scheduler must decide.
const Instr* slowLoad(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const Instr* next);
void slowStore(Warp& warp, const MemoryInfo& info, const uint64_t* addresses);
void recordAccess(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const void* values, unsigned stride);

}  // namespace lanescope::simt
