// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The register bytecode that kernels are lowered to: instructions and their side tables.
//
// A vector register holds 32 lanes of 4 or 8 bytes; a scalar register holds one value that is the same in all
// lanes of a split (proved when lowering). Registers live at fixed offsets: every device function has its own
// region of the warp's register file, so a call moves arguments and jumps. i1, i8, i16 and i32 values and floats
// take 4-byte lanes, kept zero-extended; i64, double and pointers take 8-byte lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/code/flow.h"
#include "core/simt/code/product_row.h"

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
    bool even = true;                            ///< in each half the values go up in equal steps
    LaneMask part = 0;       ///< where not: lanes of which what is below says so; of the others it says nothing
    uint32_t low = 0;        ///< every bit that is set in a first value or a step: what all lanes are aligned to
    uint32_t first[2] = {};  ///< of each half; the lower bits
    int32_t step[2] = {};    ///< from one lane to the next; the lower bits
    int64_t lowest = 0;
    int64_t highest = 0;
};

inline constexpr uint32_t kNoPattern = UINT32_MAX;

/// What notePattern's c says where it is known how much further on each lane is than the one before; 0: it is not. Odd,
/// so that it is no register.
constexpr uint32_t knownRowStep(int32_t step)
{
    return static_cast<uint32_t>(step) << 1 | 1;
}
constexpr int32_t rowStepOf(uint32_t known)
{
    return static_cast<int32_t>(known) >> 1;
}
/// Of accesses whose place is not known before a block runs.
inline constexpr uint32_t kNotForeseen = UINT32_MAX;

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
    bool wide = false;          ///< component registers have 8-byte lanes
    bool isVolatile = false;    ///< a load or store that may race with other strong ones; an atomic that tests a flag
    bool isAtomic = false;      ///< an atomic load or store
    bool isPlain = true;        ///< neither volatile nor atomic: a cache may answer it, a compiler may move it
    bool blockScope = false;    ///< an atomic that other blocks need not see
    bool clusterScope = false;  ///< with blockScope: but other blocks of its cluster need
    bool isArrival = false;     ///< of a barrier object: an atomic that acquires nothing (sync_scope.h)
    bool keptInCache = false;   ///< a load of what the kernel has promised not to write: __ldg
    bool forHost = false;       ///< a write that the host may look at while the kernel runs: volatile, of system scope
    uint32_t staticSite = 0;    ///< index in Program::sites, for findings
    uint32_t raceSite = 0;      ///< the first such that is of the same place in the source, as in an unrolled loop
    uint32_t pattern = kNoPattern;  ///< of the only vector register in the address, times its scale
    SiteId site = kNoSite;
    Operand values[kMaxComponents];  ///< one per component: loads write them, stores read them
    AddressTerm scalarTerms[kMaxTerms];
    AddressTerm vectorTerms[kMaxTerms];
    const ProductRow* row = nullptr;   ///< that begins with this load
    uint32_t foreseen = kNotForeseen;  ///< index in ForeseenBlock::places
    uint32_t foreseenGroup = 0;        ///< which of the ways from a block's first thread to its warps
    bool isForeseenRow = false;        ///< each lane's part is behind that of the lane before; else all have the same
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

/// What each time is compared.
struct SubscriptLimits {
    static constexpr unsigned kMost = 6;
    struct Limit {
        AddressTerm index;  ///< a register
        uint64_t extent;
    };
    Limit limits[kMost];
    unsigned count = 0;
    bool isFull = true;  ///< nothing else is limited, and no constant is outside
};

/// Side table of a check that subscripts are inside the declared extents of the array they are written for.
struct ShapeCheck {
    SubscriptLimits limits;      ///< of dims that are limited; first, for machine code
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
    HalfMax,    ///< these of one
    HalfMin,
    BFloatMax,
    BFloatMin,
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

/// Side table of runTensorCopy: a box of a tensor (core/device/tensor_map.h) goes between global and shared memory.
struct TensorCopy {
    enum class Way : uint8_t { Load, Store, Reduce, Prefetch };
    enum class Reduction : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };
    Way way = Way::Load;
    Reduction reduction = Reduction::Add;
    bool isIm2col = false;
    uint8_t rank = 0;
    MemoryInfo map;           ///< where the tensor is described
    MemoryInfo global;        ///< the tensor
    MemoryInfo shared;        ///< the box
    uint32_t mapAddress = 0;  ///< registers, as those that follow
    uint32_t sharedAddress = 0;
    uint32_t coordinates[5] = {};
    uint32_t offsets[3] = {};
    uint32_t bytes = 0;  ///< result: how many a barrier counts
    uint32_t span = 0;   ///< result: from the box's beginning to its end in shared memory
};

/// Side table of a conditional branch.
struct BranchInfo {
    const Instr* ifTrue = nullptr;
    const Instr* ifFalse = nullptr;
    const Instr* reconverge = nullptr;  ///< join point of the immediate post-dominator; null: at the function's end
    SiteId site = kNoSite;
    uint32_t instructions = 0;  ///< IR instructions of the block that ends here
    uint32_t flops = 0;         ///< floating-point operations of that block, per lane
    /// Which way all threads go of a block that is foreseen (state/foreseen_block.h).
    enum class Way : uint8_t { Unknown, True, False };
    Way foreseen = Way::Unknown;
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

/// Of a shuffle's WarpCall::imm: a second result says whether the source lane was in range.
inline constexpr uint64_t kShuffleTellsRange = 4;

/// Side table of a call that leaves the kernel: printf, malloc, a failed assertion. All operands are vectors.
struct SystemCall {
    static constexpr unsigned kMaxOperands = 6;
    uint32_t in[kMaxOperands] = {};
    uint32_t out = UINT32_MAX;
    uint32_t staticSite = 0;
};

/// What is done to an mbarrier object (phase_barriers.h); operand of __ls_phase_barrier.
enum class PhaseOperation : uint8_t { Init, Arrive, Drop, Expect, Came, Wait, Invalidate };

/// Asynchronous operations that read shared memory and have groups of their own: copies in bulk, products of a
/// warpgroup.
enum class AsyncStream : uint8_t { Bulk, Products };
inline constexpr size_t kAsyncStreams = 2;

/// What a function that may call itself keeps across such a call: its registers, by lane.
struct SpillList {
    std::vector<std::pair<uint32_t, bool>> registers;  ///< register, wide
};

}  // namespace lanescope::simt
