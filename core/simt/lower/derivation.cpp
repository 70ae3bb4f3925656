// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/derivation.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using Op = trace::DerivationStep::Op;

namespace {

std::optional<Op> operationOf(const llvm::Instruction& instr)
{
    switch (instr.getOpcode()) {
    case llvm::Instruction::FAdd:
        return Op::Add;
    case llvm::Instruction::FSub:
        return Op::Subtract;
    case llvm::Instruction::FMul:
        return Op::Multiply;
    case llvm::Instruction::FDiv:
        return Op::Divide;
    case llvm::Instruction::FNeg:
        return Op::Negate;
    default:
        break;
    }
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&instr);
    const bool fused = intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::fma ||
                                     intrinsic->getIntrinsicID() == llvm::Intrinsic::fmuladd);
    return fused ? std::optional(Op::MultiplyAdd) : std::nullopt;
}

}  // namespace

bool isOverwritten(const llvm::Value& variable, const llvm::Instruction& from, const llvm::Instruction& to)
{
    for (const llvm::Instruction* at = &from; at != &to; at = at->getNextNode())
        if (const auto* store = dyn_cast<llvm::StoreInst>(at); store && store->getPointerOperand() == &variable)
            return true;
    return false;
}

bool Derivations::deriveLoad(const llvm::LoadInst& load, const llvm::Instruction& use, trace::Derivation& out)
{
    if (const llvm::AllocaInst* variable = m_analysis.promoted(load.getPointerOperand())) {
        const FunctionAnalysis::Declaration declaration = m_analysis.declarationOf(*variable);
        if (!declaration.isShown() || isOverwritten(*variable, load, use))
            return false;
        out.push_back({Op::Variable, m_builder.variableFor(*declaration.variable, declaration.where).value});
        return true;
    }
    const auto known = m_loads.find(&load);
    if (known == m_loads.end() || !load.isSimple())
        return false;
    m_asksOthers |= !known->second.isOwn;
    out.push_back({Op::Load, known->second.site.value});
    return true;
}

bool Derivations::derive(const llvm::Value& value, const llvm::Instruction& use, const RecordedValues& recorded,
                         trace::Derivation& out)
{
    if (out.size() >= trace::kMaxDerivationSteps)
        return false;
    if (const auto* constant = dyn_cast<llvm::ConstantFP>(&value)) {
        out.push_back({Op::Constant, constant->getValueAPF().bitcastToAPInt().getZExtValue()});
        return true;
    }
    const auto held = std::ranges::find(recorded, &value, &std::pair<VariableId, const llvm::Value*>::second);
    if (held != recorded.end()) {
        out.push_back({Op::Variable, held->first.value});
        return true;
    }
    const auto* instr = dyn_cast<llvm::Instruction>(&value);
    if (!instr || instr->getParent() != use.getParent())
        return false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(instr))
        return deriveLoad(*load, use, out);
    const std::optional<Op> op = operationOf(*instr);
    if (!op)
        return false;
    const unsigned operands = *op == Op::MultiplyAdd ? 3 : instr->getNumOperands();
    for (unsigned i = 0; i < operands; ++i)
        if (!derive(*instr->getOperand(i), use, recorded, out))
            return false;
    if (out.size() >= trace::kMaxDerivationSteps)
        return false;
    out.push_back({*op, 0});
    return true;
}

trace::Derivation Derivations::of(const llvm::Value& written, const llvm::Instruction& write,
                                  const RecordedValues& recorded)
{
    const llvm::Type* type = written.getType();
    trace::Derivation derivation;
    m_asksOthers = false;
    if ((!type->isFloatTy() && !type->isDoubleTy()) || !derive(written, write, recorded, derivation))
        return {};
    return derivation;
}

}  // namespace lanescope::simt
