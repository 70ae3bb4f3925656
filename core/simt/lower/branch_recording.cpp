// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which branches get events of their own. Those that lanes may take differently always; uniform ones only where a step
// by source line would otherwise pass over their line. A counting loop needs none: its counter's writes are on the
// line.
#include <algorithm>

#include <llvm/IR/CFG.h>

#include "core/simt/lower/function_lowering.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

bool FunctionLowering::isRecorded(const llvm::Instruction& instr) const
{
    const llvm::Value* pointer = nullptr;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instr))
        pointer = load->getPointerOperand();
    else if (const auto* store = dyn_cast<llvm::StoreInst>(&instr))
        pointer = store->getPointerOperand();
    else
        return isa<llvm::AtomicRMWInst>(instr) || isa<llvm::AtomicCmpXchgInst>(instr);
    const llvm::AllocaInst* variable = m_analysis.promoted(pointer);
    return !variable || (isa<llvm::StoreInst>(instr) && m_builder.options().recordVariables &&
                         m_analysis.declarationOf(*variable).isShown());
}

/// Line of the last instruction that gives an event; none when there is no such instruction.
std::optional<unsigned> FunctionLowering::lastRecordedLine(const llvm::BasicBlock& block) const
{
    std::optional<unsigned> line;
    for (const llvm::Instruction& instr : block)
        if (isRecorded(instr) && instr.getDebugLoc())
            line = instr.getDebugLoc().getLine();
    return line;
}

bool FunctionLowering::recordsBranch(const llvm::BranchInst& branch, bool diverges) const
{
    if (!m_builder.options().record || diverges || !branch.getDebugLoc())
        return m_builder.options().record && diverges;
    const llvm::BasicBlock& block = *branch.getParent();
    const unsigned line = branch.getDebugLoc().getLine();
    const auto isShown = [&](const llvm::BasicBlock* at) { return lastRecordedLine(*at) == line; };
    if (lastRecordedLine(block))
        return !isShown(&block);
    return !std::all_of(llvm::pred_begin(&block), llvm::pred_end(&block), isShown) || llvm::pred_empty(&block);
}

}  // namespace lanescope::simt
