// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uninitialised reads. Memory knows which of its bits are defined. A warp that loads an undefined value, or declares a
// variable without a value that some path reads, is tracked while its registers have undefined bits: every instruction
// also says which bits of its result are undefined (flow.h). Copying undefined bits is no error (structs have padding);
// a branch, an address, an atomic or the store of something computed from them is; in shared and local memory only once
// that is used in turn.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/device/reports.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/code/program.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {

/// Per lane: undefined bits, and where they come from (0: nowhere).
struct UndefinedBits {
    std::array<uint64_t, kWarpSize> bits{};
    std::array<uint32_t, kWarpSize> origin{};
};

/// Registers' definedness of one tracked warp.
class Tracker {
public:
    explicit Tracker(const Program& program);

    /// Runs one instruction and follows the undefined bits.
    const Instr* step(const Instr* instr, Warp& warp);
    /// The values that a load has just put into registers, as memory knows them.
    void setLoaded(Warp& warp, const MemoryInfo& info, const std::array<uint64_t, kWarpSize>& addresses);
    void setUndefined(Warp& warp, const Flow& flow);
    /// As noteShuffle.
    void setShuffled(Warp& warp, const WarpCall& call, LaneMask lanes, const uint32_t* sources);
    /// As noteGathered.
    void setGathered(Warp& warp, const WarpCall& call, LaneMask lanes, LaneMask from, uint32_t bits);
    /// Lanes of \p lanes whose first input has an undefined bit.
    [[nodiscard]] LaneMask undefinedInputs(const Warp& warp, const WarpCall& call, LaneMask lanes) const;
    /// As undefinedOperands and noteResults.
    [[nodiscard]] std::vector<UndefinedBits> undefinedOperands(const Warp& warp, const WarpCall& call,
                                                               unsigned count) const;
    void setResults(Warp& warp, const WarpCall& call, LaneMask lanes, std::span<const UndefinedBits> results);
    /// Makes room beside the scalar registers of a warp's splits and joins.
    void adopt(Warp& warp) const;
    /// Whether \p warp, at the end of a turn, needs no tracker before it loads or declares something undefined again.
    [[nodiscard]] bool isIdle(const Warp& warp) const;

private:
    struct Origin {
        uint32_t staticSite = UINT32_MAX;  ///< a load; else a variable
        const device::DeclaredVariable* variable = nullptr;
        trace::SourceLocation where;  ///< of a variable: its first use
        uint64_t address = 0;
        uint32_t epoch = 0;
        StepIndex step = 0;
        bool named = true;  ///< as in device::UninitialisedUse
        /// The value was computed from another one, which was the undefined one, and has been in memory since.
        std::optional<device::UninitialisedUse> earlier;
        bool ended = false;  ///< as in device::UninitialisedUse
    };
    struct Result {
        FlowOperand to;
        UndefinedBits undefined;
    };
    struct Pending {
        const Instr* end = nullptr;
        LaneMask mask = 0;
        const Flow* flow = nullptr;
        const MemoryInfo* loaded = nullptr;  ///< of a load
        bool isDefined = false;              ///< nothing that it reads has an undefined bit: nor have its results
        std::vector<Result> results;         ///< when not isDefined
    };

    void begin(const Flow& flow, const Instr* instr, Warp& warp, Pending& pending);
    void commit(Warp& warp, Pending& pending);
    /// False where every bit of every lane is defined.
    [[nodiscard]] bool isUndefined(const Warp& warp, const FlowOperand& operand) const;
    [[nodiscard]] bool isAddressUndefined(const Warp& warp, const MemoryInfo& info) const;
    [[nodiscard]] bool readsUndefined(const Warp& warp, const Flow& flow, const MemoryInfo* info) const;
    UndefinedBits read(const Warp& warp, const FlowOperand& operand) const;
    void write(Warp& warp, const FlowOperand& operand, LaneMask mask, const UndefinedBits& undefined);
    /// As write, of lanes that are defined.
    void setDefined(Warp& warp, const FlowOperand& operand, LaneMask mask);
    UndefinedBits evaluate(Warp& warp, const FlowAssign& assign, const Flow& flow);
    void beginLoad(Warp& warp, const MemoryInfo& info, Pending& pending);
    void beginStore(Warp& warp, const MemoryInfo& info, const Flow& flow);
    void finishStore(Warp& warp, const MemoryInfo& info);
    void checkAddress(Warp& warp, const MemoryInfo& info);
    void use(Warp& warp, const UndefinedBits& undefined, LaneMask mask, device::UninitialisedUse::How how,
             uint32_t staticSite, const trace::SourceLocation& where);
    device::UninitialisedUse describe(const Warp& warp, uint32_t origin, size_t lane, device::UninitialisedUse::How how,
                                      uint32_t staticSite, const trace::SourceLocation& where) const;
    using Results = std::unordered_map<uint64_t, device::UninitialisedUse>;
    /// Where it is kept what undefined value the one at a lane's address was computed from, and under which key;
    /// nowhere for global memory, and for memory whose definedness is not known.
    std::pair<Results*, uint64_t> resultsAt(Warp& warp, size_t lane, uint64_t address);
    uint32_t originOf(Warp& warp, const MemoryInfo& info, int lane, uint64_t address);
    void consume(uint32_t origin, const Flow& flow);

    const Program& m_program;
    // Most registers of a tracked warp are defined, and cost no more than a look at their mark.
    std::vector<uint8_t> m_marks;           ///< by register: 1 where some lane has an undefined bit
    size_t m_marked = 0;                    ///< registers whose mark is 1
    std::unique_ptr<std::byte[]> m_bits;    ///< as the register file, of marked registers; 1 = undefined
    std::unique_ptr<uint32_t[]> m_origins;  ///< one per 4 bytes of the register file
    std::vector<Origin> m_table;            ///< origin − 1
    std::unordered_map<uint64_t, uint32_t> m_known;
    Results m_undefinedLocals;  ///< as BlockChecks::undefinedShared, by address and lane
    Pending m_outer, m_inner;
    std::array<UndefinedBits, MemoryInfo::kMaxComponents> m_stored;  ///< of the store being run
    std::array<uint64_t, kWarpSize> m_storedAt{};
    // Operands of the instruction being evaluated: of all lanes, of one of them.
    std::vector<UndefinedBits> m_read;
    std::vector<PartlyDefined> m_operands;
    std::vector<uint32_t> m_operandOrigins;
    CodeSpan m_span;  ///< of the latest instruction
};

/// Starts tracking \p warp if it is not, and gives it what was loaded; true when the caller must hand back to the
/// scheduler with nullptr, to go on at \p next under the tracker.
bool noteUndefinedLoad(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const Instr* next);
/// Each of \p lanes has got the value of lane sources[lane]: undefined where that one is, or does not take part.
/// Tracks \p warp from then on where it has to; as of runWarpCall, see resumeTracked.
void noteShuffle(Warp& warp, const WarpCall& call, LaneMask lanes, const uint32_t* sources);
/// Lanes of \p lanes that bring an undefined value to a vote or the like.
LaneMask undefinedInputs(const Warp& warp, const WarpCall& call, LaneMask lanes);
/// What \p lanes have computed together: \p bits of each result are undefined, because of the lanes \p from.
void noteGathered(Warp& warp, const WarpCall& call, LaneMask lanes, LaneMask from, uint32_t bits);
/// Of the first \p count operands of a call; empty: all of them are defined.
std::vector<UndefinedBits> undefinedOperands(const Warp& warp, const WarpCall& call, unsigned count);
/// What of each result of a call is undefined.
void noteResults(Warp& warp, const WarpCall& call, LaneMask lanes, std::span<const UndefinedBits> results);
/// At the beginning of a turn: a warp whose registers are all defined is not tracked any more.
void rest(Warp& warp);
/// An atomic that reads undefined memory.
void reportUndefinedAtomic(Warp& warp, const MemoryInfo& info, int lane, uint64_t address);

/// The local object at \p slot is no more for the active lanes, until it begins again: nothing of it is defined.
void forgetLocal(Warp& warp, uint64_t slot);
void beginLocal(Warp& warp, uint64_t slot);
/// Whether the local object that \p address is in is no more for \p lane.
bool isLocalEnded(const Warp& warp, int lane, uint64_t address);

/// Undefined bits of [address, address + bytes) of a lane; 0 for memory whose definedness is not known.
uint64_t undefinedBits(const Warp& warp, int lane, uint64_t address, unsigned bytes);
void setDefinedBits(Warp& warp, int lane, uint64_t address, unsigned bytes, uint64_t undefined);

}  // namespace lanescope::simt
