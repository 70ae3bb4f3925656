// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp keeps in memory of its own, as values of a function while a stretch runs: its registers, the scalars of
// its split, the patterns of its registers. They are read when they are first wanted, and written back where somebody
// else may look.
#pragma once

#include <functional>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/native/register_uses.h"

namespace lanescope::simt::native {

/// One of these memories.
struct WarpFile {
    llvm::Value* start;      ///< in the function; null when it has none
    unsigned pieces;         ///< of all
    unsigned bytesPerPiece;  ///< what is accessed together
    /// Of each 4 bytes, the lanes whose they are; null: they are nobody's.
    std::function<LaneMask(uint64_t offset)> laneAt = {};
    llvm::Value* mask = nullptr;  ///< of the lanes whose values get into the file; null: all
    bool mayMove = false;         ///< a call may put it elsewhere: start is a load to be done again
};

/// The accesses of an inlined and simplified function to one of a warp's files.
class FileValues {
public:
    /// What of the file a call may look at or change.
    struct Touched {
        Pieces reads;
        Pieces writes;
    };
    using TouchedBy = std::function<Touched(const llvm::CallBase& call)>;

    FileValues(llvm::Function& function, WarpFile file, TouchedBy touchedBy);

    /// Whether all accesses are seen; if not, they stay as they are, also those of lanes that are not active.
    [[nodiscard]] bool areKnown() const { return m_areKnown; }
    /// Pieces that are read before they are written.
    [[nodiscard]] Pieces exposed() const;
    /// Makes them values. \p wantedBehind: what must be in the file at a call of an exit's mark.
    using WantedBehind = std::function<Pieces(const llvm::CallBase& mark)>;
    void make(const WantedBehind& wantedBehind);

private:
    struct Access {
        llvm::Instruction* instr;
        unsigned operand;  ///< the pointer's number
        uint64_t offset;
        uint64_t bytes;
        bool reads;
        bool writes;
    };
    struct Group {
        unsigned first = 0, end = 0;  ///< pieces
        llvm::AllocaInst* values = nullptr;
    };
    /// By basic block: pieces written, at its beginning, on all ways, or on any and not in the register file.
    using AtBegin = llvm::DenseMap<const llvm::BasicBlock*, Pieces>;

    void find(llvm::Value* pointer, uint64_t offset);
    bool addAccess(llvm::Use& use, uint64_t offset);
    void passBlock(const llvm::BasicBlock& block, Pieces& written, bool mayBe,
                   const std::function<void(const llvm::Instruction&, const Pieces&)>& visit) const;
    [[nodiscard]] AtBegin writtenAtBegin(bool onAnyWay) const;
    [[nodiscard]] Pieces covered(uint64_t offset, uint64_t bytes, bool whole) const;
    void markUnwritten() const;
    void placeGroups();
    [[nodiscard]] llvm::Value* startAt(llvm::Instruction& before) const;
    void copy(llvm::Instruction& before, const Pieces& pieces, bool toFile);
    llvm::Value* blended(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* inFile, const Group& group) const;

    llvm::Function& m_function;
    WarpFile m_file;
    TouchedBy m_touchedBy;
    bool m_areKnown = true;
    std::vector<Access> m_accesses;
    llvm::DenseMap<const llvm::Instruction*, std::vector<size_t>> m_byInstruction;
    llvm::DenseMap<const llvm::CallBase*, Touched> m_calls;
    std::vector<const llvm::CallBase*> m_callsInOrder;
    std::vector<llvm::CallBase*> m_marks;
    std::vector<Group> m_groups;
};

/// Marks of a function's exits: calls that say by their argument behind which instruction that is.
inline constexpr char kExitMark[] = "lanescope_exit";
bool isExitMark(const llvm::Instruction& instr);
/// Whether \p call is given the warp, and so may look at all that is its.
bool isToldOfWarp(const llvm::CallBase& call);
void eraseExitMarks(llvm::Function& function);

}  // namespace lanescope::simt::native
