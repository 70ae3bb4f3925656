// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/branch_recording.h"

#include <algorithm>

#include <llvm/IR/CFG.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

bool BranchRecording::isRecorded(const llvm::Instruction& instr) const
{
    const llvm::Value* pointer = nullptr;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instr))
        pointer = load->getPointerOperand();
    else if (const auto* store = dyn_cast<llvm::StoreInst>(&instr))
        pointer = store->getPointerOperand();
    else
        return isa<llvm::AtomicRMWInst>(instr) || isa<llvm::AtomicCmpXchgInst>(instr);
    const llvm::AllocaInst* variable = m_analysis.promoted(pointer);
    return !variable ||
           (isa<llvm::StoreInst>(instr) && m_options.recordVariables && m_analysis.declarationOf(*variable).isShown());
}

/// Line of the last instruction that gives an event; none when there is no such instruction.
std::optional<unsigned> BranchRecording::lastRecordedLine(const llvm::BasicBlock& block) const
{
    std::optional<unsigned> line;
    for (const llvm::Instruction& instr : block)
        if (isRecorded(instr) && instr.getDebugLoc())
            line = instr.getDebugLoc().getLine();
    return line;
}

bool BranchRecording::records(const llvm::BranchInst& branch) const
{
    const bool diverges = m_analysis.mayDiverge(branch);
    if (!m_options.record || diverges || !branch.getDebugLoc())
        return m_options.record && diverges;
    const llvm::BasicBlock& block = *branch.getParent();
    const unsigned line = branch.getDebugLoc().getLine();
    const auto isShown = [&](const llvm::BasicBlock* at) { return lastRecordedLine(*at) == line; };
    if (lastRecordedLine(block))
        return !isShown(&block);
    return !std::all_of(llvm::pred_begin(&block), llvm::pred_end(&block), isShown) || llvm::pred_empty(&block);
}

}  // namespace lanescope::simt
