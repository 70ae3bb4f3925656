// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir_text.h"

#include <vector>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace lanescope::test {

std::unique_ptr<llvm::Module> moduleOf(llvm::LLVMContext& context, const std::string& text)
{
    llvm::SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
    if (!module)
        problem.print("module", llvm::errs());
    return module;
}

std::string verifierProblem(const llvm::Module& module)
{
    std::string problem;
    llvm::raw_string_ostream stream(problem);
    const bool isBroken = llvm::verifyModule(module, &stream);
    return isBroken && problem.empty() ? "broken" : problem;
}

llvm::Instruction* instructionNamed(llvm::Function& function, llvm::StringRef name)
{
    for (llvm::Instruction& instr : llvm::instructions(function))
        if (instr.getName() == name)
            return &instr;
    return nullptr;
}

namespace {

void fold(llvm::Function& function)
{
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    std::vector<llvm::Instruction*> all;
    for (llvm::Instruction& instr : llvm::instructions(function))
        all.push_back(&instr);
    for (llvm::Instruction* instr : all)
        if (llvm::Constant* value = llvm::ConstantFoldInstruction(instr, layout))
            instr->replaceAllUsesWith(value);
}

std::optional<uint64_t> bitsOf(const llvm::Constant* value)
{
    if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value))
        return number->getZExtValue();
    if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(value))
        return number->getValueAPF().bitcastToAPInt().getZExtValue();
    const auto* vector = value ? llvm::dyn_cast<llvm::FixedVectorType>(value->getType()) : nullptr;
    if (!vector)
        return std::nullopt;
    uint64_t all = 0;
    for (unsigned i = vector->getNumElements(); i-- > 0;) {
        const std::optional<uint64_t> element = bitsOf(value->getAggregateElement(i));
        if (!element)
            return std::nullopt;
        all = all << vector->getScalarSizeInBits() | *element;
    }
    return all;
}

}  // namespace

std::optional<uint64_t> returnedBits(llvm::Function& function)
{
    fold(function);
    const auto* end = llvm::dyn_cast<llvm::ReturnInst>(function.back().getTerminator());
    return end && end->getReturnValue() ? bitsOf(llvm::dyn_cast<llvm::Constant>(end->getReturnValue())) : std::nullopt;
}

}  // namespace lanescope::test
