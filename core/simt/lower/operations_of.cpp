// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/operations_of.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt {

namespace {

using trace::OperationKind;

OperationKind ofType(const llvm::Type& type)
{
    return type.isFPOrFPVectorTy() ? OperationKind::Float : OperationKind::Integer;
}

std::optional<OperationKind> ofCall(const llvm::CallInst& call)
{
    const llvm::Function* const callee = call.getCalledFunction();
    if (!callee || !callee->isIntrinsic())
        return std::nullopt;
    const llvm::StringRef name = callee->getName();
    constexpr std::pair<llvm::StringLiteral, OperationKind> kOfWarps[] = {
        {"llvm.nvvm.shfl.", OperationKind::Shuffle}, {"llvm.nvvm.vote.", OperationKind::Vote},
        {"llvm.nvvm.match.", OperationKind::Match},  {"llvm.nvvm.redux.", OperationKind::Reduction},
        {"llvm.nvvm.mma.", OperationKind::Matrix},   {"llvm.nvvm.wmma.", OperationKind::Matrix}};
    for (const auto& [prefix, kind] : kOfWarps)
        if (name.starts_with(prefix))
            return kind;
    // What reads memory, or a special register (which has no operands), is no operation.
    if (!callee->doesNotAccessMemory() || call.arg_size() == 0 || call.getType()->isVoidTy())
        return std::nullopt;
    return ofType(*call.getType());
}

std::optional<OperationKind> kindOf(const llvm::Instruction& instr)
{
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instr))
        return ofCall(*call);
    if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instr))
        return address->hasAllZeroIndices() ? std::nullopt : std::optional(OperationKind::Integer);
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instr))
        return cast->isNoopCast(instr.getDataLayout()) || llvm::isa<llvm::AddrSpaceCastInst>(cast)
                   ? std::nullopt
                   : std::optional(OperationKind::Integer);
    if (llvm::isa<llvm::CmpInst>(instr))
        return ofType(*instr.getOperand(0)->getType());
    const bool computes = instr.isBinaryOp() || instr.isUnaryOp() || llvm::isa<llvm::SelectInst>(instr);
    return computes ? std::optional(ofType(*instr.getType())) : std::nullopt;
}

}  // namespace

std::vector<CountedOperations> operationsOf(const llvm::BasicBlock& block, const SiteWriter& sites)
{
    std::vector<CountedOperations> all;
    for (const llvm::Instruction& instr : block) {
        const std::optional<OperationKind> kind = kindOf(instr);
        if (!kind)
            continue;
        auto [where, function] = sites.whereIs(instr);
        if (where.line == 0)
            continue;
        if (*kind == OperationKind::Integer || *kind == OperationKind::Float)
            where.column = 0;
        const auto known = std::ranges::find_if(all, [&](const CountedOperations& other) {
            return other.kind == *kind && other.where == where && other.function == function;
        });
        if (known != all.end())
            ++known->count;
        else
            all.push_back({where, std::move(function), *kind, 1});
    }
    return all;
}

}  // namespace lanescope::simt
