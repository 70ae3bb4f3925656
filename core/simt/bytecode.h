// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register bytecode that kernels are lowered to, and the state of a warp that runs it.
//
// A vector register holds 32 lanes of 4 or 8 bytes; a scalar register holds one value that is the same in all
// lanes of a split (proved when lowering). Registers live at fixed offsets: every device function has its own
// region of the warp's register file, so a call moves arguments and jumps. i1, i8, i16 and i32 values and floats
// take 4-byte lanes, kept zero-extended; i64, double and pointers take 8-byte lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/simt/async_copies.h"
#include "core/simt/device_memory.h"
#include "core/simt/flow.h"
#include "core/simt/product_row.h"
#include "core/simt/quiet_reads.h"
#include "core/simt/race_cells.h"
#include "core/trace/writer.h"

namespace lanescope::simt {

struct Instr;
struct Warp;

/// Runs one instruction for the active lanes; returns the next one, or null when the scheduler must decide.
using Handler = const Instr* (*)(const Instr* instr, Warp& warp);

struct Instr {
    Handler run = nullptr;
    uint32_t dst = 0;  ///< vector: byte offset in the register file; scalar: index in the scalar file
    uint32_t a = 0;
    uint32_t b = 0;
    uint32_t c = 0;
    uint64_t imm = 0;  ///< immediate, or pointer to the instruction's side table
};

enum class LaneType : uint8_t { I32, I64, F32, F64 };

/// One summand of an address: register × scale. Narrow operands are sign-extended from 32 bits.
struct AddressTerm {
    Operand operand;
    bool wide = false;  ///< 8-byte lanes
    int64_t scale = 1;
};

/// How the 32 values of a register, times a scale, follow each other. Noted wherever the register is written, for those
/// that many addresses are made of; so a description of what is in it now, whichever lanes wrote it.
struct alignas(64) LanePattern {
    static constexpr int kHalf = kWarpSize / 2;  ///< blocks are often 16 wide: two rows to a warp
    bool even = true;        ///< in each half the values go up in equal steps; else nothing below says anything
    uint32_t low = 0;        ///< every bit that is set in a first value or a step: what all lanes are aligned to
    uint32_t first[2] = {};  ///< of each half; the lower bits
    int32_t step[2] = {};    ///< from one lane to the next; the lower bits
    int64_t lowest = 0;
    int64_t highest = 0;
};

inline constexpr uint32_t kNoPattern = UINT32_MAX;
/// Of addresses that are the same in all lanes.
inline constexpr uint32_t kUniformPattern = 0;

/// Side table of loads, stores and atomics: address = base + offset + Σ terms.
struct alignas(64) MemoryInfo {
    static constexpr unsigned kMaxTerms = 4;
    static constexpr unsigned kMaxComponents = 16;
    // What every access reads lies together, and first.
    Operand base;  ///< 8 bytes wide
    int64_t offset = 0;
    uint8_t scalarTermCount = 0;
    uint8_t vectorTermCount = 0;
    uint8_t bytes = 4;       ///< of one component in memory
    uint8_t components = 1;  ///< consecutive registers, consecutive in memory
    uint32_t alignment = 1;
    bool wide = false;        ///< component registers have 8-byte lanes
    bool isVolatile = false;  ///< a load or store that may race with other strong ones; an atomic that tests a flag
    bool isAtomic = false;    ///< an atomic load or store
    bool isPlain = true;      ///< neither volatile nor atomic: a cache may answer it, a compiler may move it
    bool blockScope = false;  ///< an atomic that other blocks need not see
    uint32_t staticSite = 0;  ///< index in Program::sites, for findings
    uint32_t pattern = kNoPattern;  ///< of the only vector register in the address, times its scale
    SiteId site = kNoSite;
    Operand values[kMaxComponents];  ///< one per component: loads write them, stores read them
    AddressTerm scalarTerms[kMaxTerms];
    AddressTerm vectorTerms[kMaxTerms];
    const ProductRow* row = nullptr;  ///< that begins with this load
};

/// One subscript of an accessed array: a[3][5] has two.
struct ShapeDim {
    enum class Value : uint8_t { Constant, Register, Unknown };
    Value value = Value::Unknown;
    bool limited =
        false;  ///< to be checked here; an outermost dimension of an object is checked as the object's bounds
    int64_t constant = 0;
    AddressTerm index;    ///< of a Register; its scale is of no interest
    uint64_t extent = 0;  ///< declared; 0: none (a pointer's subscript)
};

/// Side table of a check that subscripts are inside the declared extents of the array they are written for.
struct ShapeCheck {
    std::vector<ShapeDim> dims;  ///< outermost first
    size_t shown = 0;            ///< the first that belongs to the accessed array itself, not to what it is a member of
    uint32_t staticSite = 0;     ///< of the access
    bool isWrite = false;
};

enum class AtomicOp : uint8_t {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    Inc,
    Dec,
    FAdd,
    HalfAdd,    ///< of one half, or of both of a word
    BFloatAdd,  ///< likewise of bfloat16
    CompareExchange
};

struct AtomicInfo {
    MemoryInfo memory;
    AtomicOp op = AtomicOp::Add;
    bool isFloat = false;
    Operand operand;
    Operand compare;
    uint32_t successDst = UINT32_MAX;  ///< cmpxchg: register of the i1 result
    uint32_t dst = UINT32_MAX;
};

/// Side table of a conditional branch.
struct BranchInfo {
    const Instr* ifTrue = nullptr;
    const Instr* ifFalse = nullptr;
    const Instr* reconverge = nullptr;  ///< join point of the immediate post-dominator; null: at the function's end
    SiteId site = kNoSite;
    uint32_t instructions = 0;  ///< IR instructions of the block that ends here
    uint32_t flops = 0;         ///< floating-point operations of that block, per lane
};

struct SwitchInfo {
    std::vector<std::pair<uint64_t, const Instr*>> cases;
    const Instr* fallback = nullptr;
    const Instr* reconverge = nullptr;
    SiteId site = kNoSite;
    bool wide = false;
    uint32_t instructions = 0;
    uint32_t flops = 0;
};

struct CallFrame {
    const Instr* returnTo = nullptr;
};

/// An operation on each lane by itself. Values are the lane's bits, zero-extended to 64; \p imm is the operation's own.
using LaneFunction = void (*)(const uint64_t* in, uint64_t* out, uint64_t imm);

/// Side table of runLaneCall. Results are all vectors or all scalars; scalar results need scalar arguments.
struct LaneCall {
    static constexpr unsigned kMaxOperands = 8;
    LaneFunction function = nullptr;
    uint64_t imm = 0;
    Operand in[kMaxOperands];
    Operand out[kMaxOperands];
    bool wideIn[kMaxOperands] = {};
    bool wideOut[kMaxOperands] = {};
    uint8_t inCount = 0;
    uint8_t outCount = 0;
};

struct WarpCall;
/// Does the work of a warp-wide operation for \p lanes, which have all arrived and name the same members.
using WarpFunction = void (*)(const WarpCall& call, Warp& warp, LaneMask lanes);

/// Side table of runWarpCall: an operation that the lanes of a member mask do together. All operands are vectors.
struct WarpCall {
    static constexpr unsigned kMaxOperands = 32;
    WarpFunction function = nullptr;
    uint64_t imm = 0;
    uint32_t members = 0;  ///< register of the member mask
    uint32_t in[kMaxOperands] = {};
    uint32_t out[kMaxOperands] = {};
    bool wideIn[kMaxOperands] = {};
    bool wideOut[kMaxOperands] = {};
    SiteId site = kNoSite;
    uint32_t staticSite = 0;
    const char* name = "";
};

/// Side table of a call that leaves the kernel: printf, malloc, a failed assertion. All operands are vectors.
struct SystemCall {
    static constexpr unsigned kMaxOperands = 6;
    uint32_t in[kMaxOperands] = {};
    uint32_t out = UINT32_MAX;
    uint32_t staticSite = 0;
};

/// What a function that may call itself keeps across such a call: its registers, by lane.
struct SpillList {
    std::vector<std::pair<uint32_t, bool>> registers;  ///< register, wide
};

class DeviceHeap;

/// Where one object (buffer, shared array, local array, parameter) lies; indexed by address slot.
struct ObjectEntry {
    std::byte* host = nullptr;
    uint64_t bytes = 0;              ///< 0: nothing to be accessed
    uint64_t laneStride = 0;         ///< local memory: host bytes from one lane's copy to the next
    uint8_t* initialised = nullptr;  ///< global memory: bit per byte
    std::byte* defined =
        nullptr;  ///< shared and local memory: laid out as `host`, 1 = a defined bit; null: not tracked
    bool partlyUndefined = false;    ///< global memory: loads must look at `initialised`
    RaceCells* races = nullptr;      ///< null: no race is possible or looked for
    RaceArena* raceArena = nullptr;  ///< of shared memory: owner of `races`, for finer cells on demand
    BufferId buffer = kNoBuffer;
    bool valuesDerivable = true;  ///< nobody else writes it during this launch
    bool readOnly = false;
    bool freed = false;
    bool placed = false;  ///< in the table: something is there, or was
    /// Of the kernels' heap, where only what malloc and new gave may be accessed: `bytes` is 0, so that every access is
    /// looked at by itself.
    const DeviceHeap* heap = nullptr;
};

// Address slots (upper 32 bits of an address). Chosen below the addresses at which Linux maps programs.
inline constexpr uint64_t kSharedSlot = 0x4000;
inline constexpr uint64_t kParameterSlot = 0x4400;
inline constexpr uint64_t kLocalSlot = 0x4800;
inline constexpr uint64_t kEndSlot = 0x5400;
inline constexpr uint64_t kCodeSlot = 0x5401;  ///< function addresses; nothing can be read there
inline constexpr uint64_t kSlotBase = DeviceMemory::kFirstSlot;

constexpr uint64_t slotAddress(uint64_t slot)
{
    return slot << 32;
}

struct Block;
struct Program;
class Tracker;

/// Lanes of a warp that share a program counter.
struct Split {
    enum class State : uint8_t { Ready, AtBarrier, AtWarpCall, AtGridBarrier };

    const Instr* ip = nullptr;
    LaneMask mask = 0;
    int join = -1;  ///< innermost join these lanes head for; -1 = none
    State state = State::Ready;
    std::vector<CallFrame> calls;
    std::vector<uint64_t> scalars;
    SiteId barrierSite = kNoSite;
    uint32_t passedMark = 0;          ///< of the barrier it waits at
    uint8_t barrier = 0;              ///< which of the block's barriers it waits at
    LaneMask served = 0;              ///< at a warp call: lanes whose operation is done
    uint64_t quanta = 0;              ///< scheduling turns since it last made way, for forward progress
    const Instr* polledBy = nullptr;  ///< the last atomic that tried for a lock in vain, and where
    uint64_t polled = 0;
    uint32_t lastRead = UINT32_MAX;  ///< static site of what it read last while it was watched (livelock.h)
};

/// A place where diverged lanes wait for each other.
struct Join {
    const Instr* at = nullptr;
    LaneMask expected = 0;
    LaneMask arrived = 0;
    int parent = -1;
    uint32_t depth = 0;  ///< call depth at which it was made
    bool used = false;
    // Kept from an arrival, for when the missing lanes exit instead of arriving.
    std::vector<CallFrame> calls;
    std::vector<uint64_t> scalars;
};

/// Shifts by the lane would be done one by one where vectors cannot be shifted by a vector.
inline constexpr std::array<LaneMask, kWarpSize> kLaneBits = [] {
    std::array<LaneMask, kWarpSize> bits{};
    for (size_t i = 0; i < bits.size(); ++i)
        bits[i] = LaneMask{1} << i;
    return bits;
}();

/// As popcount, which without an instruction for it is a call.
constexpr uint32_t laneCount(LaneMask lanes)
{
    lanes -= lanes >> 1 & 0x55555555u;
    lanes = (lanes & 0x33333333u) + (lanes >> 2 & 0x33333333u);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

struct Warp {
    // What handlers read on every instruction.
    std::byte* regs = nullptr;
    uint64_t* scalars = nullptr;
    const ObjectEntry* objects = nullptr;  ///< indexed by slot − kSlotBase
    LanePattern* patterns = nullptr;       ///< indexed by MemoryInfo::pattern
    trace::BlockRecorder* recorder = nullptr;
    LaneMask mask = 0;
    bool full = false;  ///< all lanes that are still alive are active: dead lanes may be written
    uint16_t id = 0;
    int32_t quantum = 1;
    LaneMask live = 0;
    uint64_t instructions = 0;
    uint64_t flops = 0;
    alignas(64) int32_t lanes[kWarpSize] = {};  ///< −1 where active, else 0
    Block* block = nullptr;

    // Order among lanes, for the race check.
    uint32_t syncTime = 0;                     ///< block time at which all its lanes last met
    std::unique_ptr<LaneOrder> laneOrder;      ///< only when lanes met in smaller groups
    std::unique_ptr<AsyncCopies> asyncCopies;  ///< only when it has issued any

    /// Accesses of \p other before this time are ordered before what \p lane does now.
    [[nodiscard]] uint32_t metSince(int lane, uint32_t other) const
    {
        return laneOrder && laneOrder->met[lane][other] > syncTime ? laneOrder->met[lane][other] : syncTime;
    }

    // The last mark behind a conditional barrier that each lane passed, and in which epoch.
    std::array<uint32_t, kWarpSize> passedMark{};
    std::array<uint32_t, kWarpSize> passedEpoch{};
    LaneMask launched = 0;  ///< lanes there were at the start

    // Definedness (definedness.h).
    bool tracked = false;
    std::shared_ptr<Tracker> tracker;
    const Instr* resumeAt = nullptr;  ///< where a warp that has just become tracked goes on

    // Divergence.
    size_t current = 0;
    std::vector<Split> splits;
    std::vector<Join> joins;
    std::vector<std::vector<uint64_t>> spareScalars;  ///< of splits that are gone: diverging allocates nothing

    // Registers that recursive functions keep: a stack for each lane.
    std::vector<std::vector<uint64_t>> spilled;
    uint64_t slept = 0;  ///< instructions' worth of time spent in __nanosleep

    template <typename T>
    [[nodiscard, gnu::always_inline]] T* vector(uint32_t reg)
    {
        return reinterpret_cast<T*>(regs + reg);
    }
    template <typename T>
    [[nodiscard, gnu::always_inline]] T scalar(uint32_t reg) const
    {
        T value;
        __builtin_memcpy(&value, scalars + reg, sizeof(T));
        return value;
    }
    template <typename T>
    [[gnu::always_inline]] void setScalar(uint32_t reg, T value)
    {
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof(T));
        scalars[reg] = bits;
    }
    static constexpr size_t kNoSplit = ~size_t{0};

    /// Makes splits[index] the running one.
    void activate(size_t index)
    {
        current = index;
        scalars = splits[index].scalars.data();
        setMask(splits[index].mask);
    }
    void setMask(LaneMask newMask)
    {
        full = newMask == live;
        if (newMask == mask)
            return;
        mask = newMask;
        for (int i = 0; i < kWarpSize; ++i)
            lanes[i] = newMask & kLaneBits[i] ? -1 : 0;
    }
    /// Room for the scalars of a split: what another has left, if any.
    std::vector<uint64_t> takeScalars()
    {
        std::vector<uint64_t> room;
        if (!spareScalars.empty()) {
            room.swap(spareScalars.back());
            spareScalars.pop_back();
        }
        return room;
    }
};

/// What a handler found wrong with the debuggee; kept per access site and merged in block order.
struct AccessFault {
    enum class Kind : uint8_t { OutOfBounds, OutOfShape, Misaligned, UseAfterFree, ReadOnly, NotDeviceMemory };
    Kind kind = Kind::OutOfBounds;
    uint32_t staticSite = 0;
    bool isWrite = false;
    bool inHeap = false;  ///< of the kernels' malloc and new
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint64_t block = 0;
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
    Instances instances;
    const ShapeCheck* shape = nullptr;  ///< OutOfShape: what was checked,
    std::vector<int64_t> subscripts;    ///< and the subscripts tried, by dimension; of an Unknown one: 0
};

/// A barrier at which not all threads of the block met.
struct BarrierReport {
    /// The last two: of the grid's barrier.
    enum class Kind : uint8_t { WaitsElsewhere, RanPast, Exited, Deadlock, BlocksEnded, NotCooperative };
    Kind kind = Kind::Exited;
    SiteId sites[2] = {kNoSite, kNoSite};  ///< where one thread waits; where the other does, if it waits
    uint32_t threads[2] = {};
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
};

/// An undefined value that mattered.
struct UninitialisedUse {
    enum How : uint8_t { Branch, Address, Stored, Atomic, CopiedOut };
    How how = Branch;
    uint32_t site = UINT32_MAX;      ///< static site of the load; none for a variable
    const Flow* variable = nullptr;  ///< the variable's beginning
    trace::SourceLocation readAt;
    uint32_t useSite = UINT32_MAX;  ///< static site of the store or access; none for a branch
    trace::SourceLocation usedAt;
    uint64_t address = 0;  ///< of the load; of a shuffle: the lane that was read
    bool named = true;     ///< of a shuffle: its mask names that lane
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
    Instances instances;
};

/// Another thing the debuggee did wrong, with the place and the first thread.
struct ProgramFault {
    const char* kind = "";
    uint32_t staticSite = 0;
    std::string message;
    uint64_t block = 0;
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
    uint64_t count = 1;
};

/// A warp that has come to a barrier without waiting there (bar.arrive), and what it did before this time.
struct BarrierArrival {
    uint16_t warp = 0;
    uint32_t time = 0;
};

/// One of a block's sixteen named barriers (bar.sync id).
struct NamedBarrier {
    uint32_t waiting = 0;   ///< lanes that wait
    uint32_t arrived = 0;   ///< lanes that have arrived and went on (bar.arrive)
    uint32_t expected = 0;  ///< lanes it is for; 0: all that live
    uint32_t count = 0;     ///< of predicates that are true, so far
    uint32_t result = 0;    ///< the count when it was last released
    uint32_t votes = 0;     ///< lanes that have brought a predicate, so far
    uint32_t allVoted = 0;  ///< votes when it was last released
    std::vector<BarrierArrival> arrivals;
};

class GridState;

/// The state of one block; reused for one block after another by a host thread.
/// How much of a shared array is known to be defined, from its beginning on. Once it is all of it, loads need not look.
struct SharedDefinedness {
    ObjectEntry* object = nullptr;
    std::byte* bits = nullptr;  ///< what object->defined is while not all is defined
    uint64_t bytes = 0;
    uint64_t known = 0;

    void begin()
    {
        object->defined = bits;
        known = 0;
    }
    /// To be called now and then; each byte is looked at once.
    void settle();
    /// Something undefined is about to be stored at \p offset.
    void doubt(uint64_t offset);
};

class SyncOrder;

struct Block {
    static constexpr unsigned kBarriers = 16;
    uint64_t index = 0;
    Dim3 position;
    std::vector<Warp> warps;
    std::byte* shared = nullptr;
    uint32_t liveLanes = 0;
    uint32_t waitingLanes = 0;
    uint32_t epoch = 0;
    // Times of the race check; they move on at every synchronisation and never go back.
    uint32_t time = 1;
    uint32_t epochStart = 1;               ///< when the current epoch began
    uint32_t launchStart = 1;              ///< older times are of other launches
    std::unique_ptr<WarpOrder> warpOrder;  ///< only when warps met in smaller groups
    SyncOrder* order = nullptr;            ///< what fences and flags order; null: the kernel has no fences
    bool acrossBlocks = false;             ///< an unordered pair of accesses of two blocks was seen
    QuietReads quietReads;                 ///< before anything else is done to cells of shared memory: enterReads
    std::vector<RaceReport> races;
    std::unique_ptr<SameValueWrites> sameValueWrites;  ///< only when there were any
    std::vector<BarrierReport> barriers;
    const Program* program = nullptr;
    bool tracksDefinedness = false;
    std::vector<SharedDefinedness> sharedDefined;  ///< empty when not tracked
    bool copiedUndefined = false;                  ///< undefined bytes were stored in global memory
    std::vector<UninitialisedUse> uninitialised;
    /// Undefined values copied to global memory, by where: a mistake once the host copies them.
    std::vector<std::pair<uint64_t, UninitialisedUse>> undefinedCopies;
    /// What was computed from undefined values and stored in shared memory, by address: a mistake if it is used.
    std::unordered_map<uint64_t, UninitialisedUse> undefinedShared;
    bool checks = true;
    bool stop = false;     ///< a trap or fault that ends the launch
    bool trapped = false;  ///< what stopped it was the program's own doing; the launch fails as on a GPU
    std::string stopReason;
    std::vector<AccessFault> faults;
    std::vector<ProgramFault> programFaults;
    NamedBarrier namedBarriers[kBarriers];
    uint32_t waitedAt = 0;       ///< bit for each of them at which lanes wait
    uint64_t clock = 0;          ///< of earlier turns, in warp instructions
    GridState* grid = nullptr;   ///< what all blocks of the launch share
    uint32_t atGridBarrier = 0;  ///< lanes that wait for all blocks
    bool yields = false;         ///< waits for another block: the rest of its turn is of no use

    [[gnu::always_inline]] void enterReads()
    {
        if (quietReads.count)
            quietReads.enter(*this);
    }
};

/// Reports a bad access of one lane; merges with an earlier one of the same site and kind.
void reportFault(Warp& warp, const MemoryInfo& info, int lane, uint64_t address, bool isWrite);

}  // namespace lanescope::simt
