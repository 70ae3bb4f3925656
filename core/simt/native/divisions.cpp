// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/divisions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

namespace lanescope::simt::native {
namespace {

bool isSigned(const llvm::BinaryOperator& division)
{
    return division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem;
}

bool isRemainder(const llvm::BinaryOperator& division)
{
    return division.getOpcode() == llvm::Instruction::SRem || division.getOpcode() == llvm::Instruction::URem;
}

bool takesEachLaneAlone(const llvm::BinaryOperator& operation)
{
    return operation.isIntDivRem() && operation.getType()->isVectorTy() &&
           operation.getType()->getScalarType()->isIntegerTy(32) && !llvm::isa<llvm::Constant>(operation.getOperand(1));
}

llvm::Value* byDoubles(llvm::BinaryOperator& division)
{
    llvm::IRBuilder<> builder(&division);
    auto* const type = llvm::cast<llvm::VectorType>(division.getType());
    auto* const doubles = llvm::VectorType::get(builder.getDoubleTy(), type->getElementCount());
    llvm::Value *const a = division.getOperand(0), *const b = division.getOperand(1);
    const auto asDoubles = [&](llvm::Value* value) {
        return isSigned(division) ? builder.CreateSIToFP(value, doubles) : builder.CreateUIToFP(value, doubles);
    };
    llvm::Value* const exact = builder.CreateFDiv(asDoubles(a), asDoubles(b));
    llvm::Value* const quotient =
        isSigned(division) ? builder.CreateFPToSI(exact, type) : builder.CreateFPToUI(exact, type);
    return isRemainder(division) ? builder.CreateSub(a, builder.CreateMul(quotient, b)) : quotient;
}

}  // namespace

void divideByDoubles(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function)))
        if (auto* const operation = llvm::dyn_cast<llvm::BinaryOperator>(&instr);
            operation && takesEachLaneAlone(*operation)) {
            operation->replaceAllUsesWith(byDoubles(*operation));
            operation->eraseFromParent();
        }
}

}  // namespace lanescope::simt::native
