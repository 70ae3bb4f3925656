// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel lowered to bytecode, with everything that a launch needs to know about it.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/device/place_numbers.h"
#include "core/simt/code/instruction.h"
#include "core/trace/model.h"

namespace lanescope::simt {

// Registers that exist in every program.
inline constexpr uint32_t kThreadIdxReg = 0;  ///< vectors x, y, z
inline constexpr uint32_t kLaneIdReg = 3 * 128;
inline constexpr uint32_t kStackReg = 4 * 128;  ///< 64-bit: where the next frame of a lane's stack starts
inline constexpr uint32_t kFirstFreeReg = kStackReg + 256;
inline constexpr uint32_t kBlockIdxScalar = 0;  ///< x, y, z
inline constexpr uint32_t kBlockDimScalar = 3;
inline constexpr uint32_t kGridDimScalar = 6;
inline constexpr uint32_t kWarpIdScalar = 9;
inline constexpr uint32_t kSharedBytesScalar = 10;      ///< dynamic, then all
inline constexpr uint32_t kClusterDimScalar = 12;       ///< x, y, z: blocks of a cluster
inline constexpr uint32_t kExplicitClusterScalar = 15;  ///< 1: the launch has clusters
inline constexpr uint32_t kThreadRowScalar = 16;        ///< threadIdx.y and z of the warp, of Program::wholeRows
inline constexpr uint32_t kFirstFreeScalar = 18;

/// A member of a struct, "full[1]", by its offset in the struct.
struct ObjectPart {
    uint64_t offset = 0;
    std::string name;
};

/// A part of shared memory that has a name and shape of its own: a member of the struct that lies there, or what a
/// pointer into dynamic shared memory points to.
struct MemoryRegion {
    uint64_t offset = 0;  ///< in the object
    uint64_t bytes = 0;   ///< 0: up to the next region, or to the object's end
    std::string name;
    trace::ValueType element;
    std::vector<uint64_t> dims;  ///< elements, outermost first; where `bytes` is 0 those of one of as many as fit
    std::string declaredAt;
};

/// A shared array, or a local one of each thread.
struct MemoryObject {
    std::string name;
    trace::ValueType element;
    std::vector<uint64_t> dims;
    uint64_t bytes = 0;
    uint64_t offset = 0;  ///< in the block's shared memory, or in the lane's local memory
    uint64_t slot = 0;
    bool dynamic = false;               ///< extern __shared__: sized by the launch
    std::vector<ObjectPart> parts;      ///< of an element that is a struct, ascending; of small arrays each element
    std::vector<MemoryRegion> regions;  ///< ascending, apart; empty: it is one whole
    std::string declaredAt;
    device::ObjectKey key;
};

/// Where a kernel parameter's bytes go at launch.
struct ParameterPlace {
    uint64_t bytes = 0;
    std::vector<std::pair<uint32_t, uint32_t>>
        scalars;  ///< (scalar register, byte offset in the parameter), of `width` below
    std::vector<uint8_t> widths;
    uint64_t parameterSlot = 0;  ///< struct passed by value, only read: its address slot; 0 = none
    device::ObjectKey key;       ///< of a struct passed by value
    int localObject = -1;        ///< struct passed by value and written: index in Program::locals
};

/// The code of one function, and what each of its instructions does to definedness.
struct CodeSpan {
    const Instr* begin = nullptr;
    const Instr* end = nullptr;
    const FlowSlots* slots = nullptr;  ///< by instruction

    [[nodiscard]] bool holds(const Instr* instr) const { return instr >= begin && instr < end; }
    [[nodiscard]] const FlowSlots& slotsOf(const Instr* instr) const { return slots[instr - begin]; }
};

/// Operations of one kind on one line, in one basic block.
struct CountedOperations {
    trace::SourceLocation where;
    std::string function;
    trace::OperationKind kind = trace::OperationKind::Integer;
    uint32_t count = 0;
};

/// How often a basic block was run.
struct RunCount {
    uint64_t warps = 0;
    uint64_t lanes = 0;
};

struct ForeseenAccesses;

/// What is known for making machine code of a program (native/README.md).
struct NativeState {
    /// Code of one kind (NativeJob::For).
    struct Kind {
        std::atomic<uint64_t> executed = 0;  ///< warp instructions that it would have run, or has
        std::atomic<bool> isMade = false;    ///< or about to be
        std::atomic<bool> isAsked = false;   ///< whether an earlier run has kept it
    };
    Kind whole;
    Kind parts;          ///< for warps that lack lanes; executed: since code for whole ones is there
    Kind recorded;       ///< for blocks that are recorded
    Kind recordedParts;  ///< likewise, as parts

    std::atomic<bool> leavesProcessors = false;  ///< while it runs, some have nothing to do
    std::atomic<bool> foresees = false;          ///< there is code for blocks that are foreseen
    std::once_flag begun;                        ///< by the first launch, which notes
    std::vector<std::vector<Handler>> own;       ///< by code, by instruction: what it was lowered to
};

struct Program : std::enable_shared_from_this<Program> {
    // Owners of code and side tables; addresses are stable.
    std::deque<std::vector<Instr>> code;
    std::deque<std::vector<FlowSlots>> flowSlots;  ///< by code, by instruction
    std::deque<Flow> flows;
    std::deque<MemoryInfo> memory;
    std::deque<std::array<MemoryInfo, 2>> copies;
    std::deque<ProductRow> productRows;
    std::deque<ShapeCheck> shapes;
    std::deque<BranchInfo> branches;
    std::deque<SwitchInfo> switches;
    std::deque<AtomicInfo> atomics;
    std::deque<LaneCall> laneCalls;
    std::deque<WarpCall> warpCalls;
    std::deque<SystemCall> systemCalls;
    std::deque<TensorCopy> tensorCopies;
    std::deque<SpillList> spills;
    std::deque<std::vector<uint64_t>> frames;  ///< address slots of local objects that come and go together

    std::deque<const Instr*> entries;  ///< of the functions it calls
    const Instr* entry = nullptr;
    uint32_t registerBytes = kFirstFreeReg;
    std::vector<uint32_t> wideRegisters{kStackReg};  ///< vectors of 64-bit lanes, ascending
    uint32_t carryRegister = 0;               ///< of the carry flags that inline PTX sets and uses; 0: nothing does
    uint32_t patterns = kUniformPattern + 1;  ///< that a warp keeps
    std::vector<uint32_t> variablePatterns;   ///< of variables, which may be read before anything is written
    std::vector<std::pair<uint32_t, uint32_t>> variableVectors;  ///< likewise: register, bytes
    std::vector<uint32_t> variableScalars;                       ///< likewise: index in the scalar file
    std::vector<uint64_t> scalars;          ///< initial scalar file: constants in place, the rest zero
    std::vector<uint32_t> constantScalars;  ///< indexes of those, ascending: nothing writes them
    std::vector<ParameterPlace> parameters;
    std::vector<MemoryObject> shared;
    std::vector<MemoryObject> locals;
    uint64_t staticSharedBytes = 0;
    uint64_t dynamicSharedAlignment = 16;  ///< of what the launch adds to them
    uint64_t localBytesPerLane = 0;
    int stackObject = -1;        ///< index in locals of the stack, always the last; −1: nothing needs one
    bool wholeRows = false;      ///< for blocks that are a multiple of a warp wide: threadIdx.y and z are the warp's
    bool warpsAreApart = false;  ///< no instruction of a warp has to do with another, but by memory
    /// None has but barriers, and none expects others' writes between two of them: whose turn it is makes no
    /// difference.
    bool warpsMeetAtBarriers = false;
    bool usesHeap = false;
    bool flushesSubnormals = false;  ///< floats that are subnormal count as 0, as operands and as results (-ftz=true)
    bool computesInDouble = false;   ///< whose subnormals stay
    bool syncsGrid = false;
    bool readsMissingLanes = false;  ///< products of matrices: of all of a warp's registers, whoever is there
    bool waitsForChildren = false;   ///< other kernels may run, and write anything, while it does

    /// Notes that blocks \p may learn from each other.
    void noteHandingOver(bool may)
    {
        needsOneHostThread |= may;
        handsOver |= may;
    }

    /// Whether no register but those of variables can be read before it is written: what comes of values is dominated
    /// by them. Not so where registers of lanes are looked at that are not there, or registers are kept across calls.
    [[nodiscard]] bool onlyReadsWhatIsWritten() const
    {
        return !readsMissingLanes && tensorCopies.empty() && spills.empty() && carryRegister == 0;
    }

    /// Where the memory that the launch adds begins, behind the arrays of the program.
    [[nodiscard]] uint64_t dynamicSharedOffset() const
    {
        return (staticSharedBytes + dynamicSharedAlignment - 1) / dynamicSharedAlignment * dynamicSharedAlignment;
    }

    SiteId firstSite;  ///< sites[i].id == firstSite + i
    std::vector<trace::Site> sites;
    std::vector<device::SitePlace> places;  ///< of the sites that an access, branch, barrier or return gives events of
    std::vector<trace::Variable> variables;

    /// What is in the basic blocks whose runs are counted, by number; of programs that are recorded.
    std::vector<std::vector<CountedOperations>> operations;

    uint32_t passedMarks = 0;         ///< places behind conditional barriers; marks are 1 to this
    bool addsGlobally = false;        ///< global atomics whose order only shows to loads of the same memory
    bool needsOneHostThread = false;  ///< blocks talk to each other: global atomics, volatile accesses, fences
    bool handsOver = false;           ///< likewise, for more than sums that no other block looks at
    bool hasPhaseBarriers = false;    ///< mbarrier objects
    bool hasFences = false;           ///< of whatever scope: threads may hand data over with flags
    bool hasNarrowGlobal = false;     ///< accesses of less than 4 bytes that may be of global memory
    size_t instructionCount = 0;
    std::shared_ptr<const ForeseenAccesses> foreseen;  ///< null: there are none

    mutable NativeState native;
    /// Nanoseconds of a processor that a block of the latest launch took; 0: there was none.
    mutable std::atomic<uint64_t> blockTime = 0;

    /// The function that \p instr belongs to; an empty span for an instruction of none.
    [[nodiscard]] CodeSpan spanOf(const Instr* instr) const
    {
        for (size_t i = 0; i < code.size(); ++i) {
            const CodeSpan span{code[i].data(), code[i].data() + code[i].size(), flowSlots[i].data()};
            if (span.holds(instr))
                return span;
        }
        return {};
    }
};

}  // namespace lanescope::simt
