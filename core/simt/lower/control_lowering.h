// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Basic blocks: where they begin, how they end, and the moves that phis make on the way from one to the next.
#pragma once

#include <optional>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Instructions.h>

#include "core/simt/lower/branch_recording.h"
#include "core/simt/lower/function_context.h"
#include "core/simt/lower/local_storage.h"
#include "core/simt/lower/passed_marks.h"

namespace lanescope::simt {

/// Owns where blocks begin, and the edges between them that need code of their own.
class ControlLowering {
public:
    /// \p result: the registers that callers find the function's result in.
    ControlLowering(FunctionContext& context, LocalStorage& storage, const PassedMarks& marks, Parts result);

    /// Before any code is written: gives blocks their labels, phis their registers.
    void placeBlocks();
    void beginBlock(const llvm::BasicBlock& block);
    void lowerBranch(llvm::BranchInst& instr);
    void lowerSwitch(llvm::SwitchInst& instr);
    void lowerReturn(llvm::ReturnInst& instr);
    /// When all blocks are written: what lies between them, and the code as a whole. Returns the function's entry.
    const Instr* finish();

private:
    using Label = CodeWriter::Label;
    struct Edge {
        Label label;
        const llvm::BasicBlock* from;
        const llvm::BasicBlock* to;
    };

    Label labelOf(const llvm::BasicBlock& block) const { return m_labels.at(&block); }
    /// Where a branch from \p from to \p to goes: there, or where phis are moved first.
    Label edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    std::optional<Label> joinLabel(const llvm::BasicBlock& block) const;
    void emitPhiMoves(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
    void lowerExit(llvm::ReturnInst& instr);

    ProgramBuilder& m_builder;
    const FunctionAnalysis& m_analysis;
    CodeWriter& m_code;
    RegisterPool& m_registers;
    OperationWriter& m_operations;
    ValueMap& m_values;
    SiteWriter& m_sites;
    LocalStorage& m_storage;
    const PassedMarks& m_marks;
    BranchRecording m_recording;
    Parts m_result;
    llvm::DenseMap<const llvm::BasicBlock*, Label> m_labels;
    std::vector<Edge> m_edges;  ///< with phi moves still to be emitted
};

}  // namespace lanescope::simt
