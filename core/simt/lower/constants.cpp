// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/constants.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

/// Of a scalar that is no number: what an address comes to.
uint64_t addressOf(const llvm::Constant& constant, ProgramBuilder& builder)
{
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(&constant))
        return builder.addressOf(*global);
    if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
        return number->getZExtValue();
    if (constant.isNullValue() || isa<llvm::UndefValue>(constant))
        return 0;
    if (const auto* expression = dyn_cast<llvm::ConstantExpr>(&constant)) {
        if (const auto* gep = dyn_cast<llvm::GEPOperator>(expression)) {
            llvm::APInt offset(64, 0);
            if (gep->accumulateConstantOffset(builder.layout(), offset))
                return addressOf(*cast<llvm::Constant>(gep->getPointerOperand()), builder) + offset.getZExtValue();
        }
        if (expression->isCast())
            return addressOf(*expression->getOperand(0), builder);
        if (expression->getOpcode() == llvm::Instruction::Add || expression->getOpcode() == llvm::Instruction::Sub) {
            uint64_t a = addressOf(*expression->getOperand(0), builder),
                     b = addressOf(*expression->getOperand(1), builder);
            return expression->getOpcode() == llvm::Instruction::Add ? a + b : a - b;
        }
    }
    if (const auto* function = dyn_cast<llvm::Function>(&constant))
        return builder.addressOf(*function);
    std::string text;
    llvm::raw_string_ostream stream(text);
    constant.print(stream);
    throw Unsupported{"the constant " + text, nullptr};
}

}  // namespace

Parts partsOfConstant(const llvm::Constant& constant, ProgramBuilder& builder)
{
    if (isa<llvm::ConstantExpr>(constant))
        if (const llvm::Constant* folded = llvm::ConstantFoldConstant(&constant, builder.layout());
            folded && !isa<llvm::ConstantExpr>(folded))
            return partsOfConstant(*folded, builder);
    RegisterFile& registers = builder.registers();
    llvm::Type* type = constant.getType();
    if (type->isAggregateType() || type->isVectorTy()) {
        Parts all;
        uint64_t count = type->isVectorTy()  ? cast<llvm::FixedVectorType>(type)->getNumElements()
                         : type->isArrayTy() ? type->getArrayNumElements()
                                             : type->getStructNumElements();
        for (uint64_t i = 0; i < count; ++i) {
            const llvm::Constant* element = constant.getAggregateElement(static_cast<unsigned>(i));
            Parts inner = element ? partsOfConstant(*element, builder) : Parts{};
            all.append(inner.begin(), inner.end());
        }
        return all;
    }
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64) {
        const auto* number = dyn_cast<llvm::ConstantInt>(&constant);
        llvm::APInt bits = number ? number->getValue().zextOrTrunc(128) : llvm::APInt(128, 0);
        return {registers.constant(bits.extractBitsAsZExtValue(64, 0)),
                registers.constant(bits.extractBitsAsZExtValue(64, 64))};
    }
    if (isa<llvm::UndefValue>(constant))
        return {registers.constant(0)};
    if (const auto* real = dyn_cast<llvm::ConstantFP>(&constant))
        return {registers.constant(real->getValueAPF().bitcastToAPInt().getZExtValue())};
    laneTypeOf(type, nullptr);
    return {registers.constant(addressOf(constant, builder))};
}

}  // namespace lanescope::simt
