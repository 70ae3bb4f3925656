// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_to_ir.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::Type;
using llvm::Value;

namespace {

bool isNumber(const std::string& code)
{
    return !code.empty() && std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Outputs and inputs of an inline statement as registers; returns the names of the outputs.
std::vector<std::string> declareOperands(PtxTranslator& translator, llvm::CallInst& call)
{
    std::vector<std::string> outputs;
    size_t argument = 0, number = 0;
    for (const llvm::InlineAsm::ConstraintInfo& constraint :
         cast<llvm::InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
        if (constraint.Type == llvm::InlineAsm::isClobber)
            continue;
        if (constraint.isIndirect || constraint.Type == llvm::InlineAsm::isLabel)
            throw UnknownPtx{"operand in memory"};
        std::string name = "$" + std::to_string(number++);
        if (constraint.Type == llvm::InlineAsm::isOutput) {
            auto* structure = dyn_cast<llvm::StructType>(call.getType());
            Type* type = structure ? structure->getElementType(static_cast<unsigned>(outputs.size())) : call.getType();
            translator.declare(name, type, llvm::PoisonValue::get(type));
            outputs.push_back(name);
            continue;
        }
        Value* value = call.getArgOperand(static_cast<unsigned>(argument++));
        translator.declare(name, value->getType(), value);
        // "+r" is an output and an input tied to it: the output starts with that value.
        if (!constraint.Codes.empty() && isNumber(constraint.Codes.front()))
            translator.tie("$" + constraint.Codes.front(), value);
    }
    return outputs;
}

void replaceCall(llvm::CallInst& call, PtxTranslator& translator, const std::vector<std::string>& outputs)
{
    if (!call.getType()->isVoidTy()) {
        Value* result = nullptr;
        if (call.getType()->isStructTy()) {
            llvm::IRBuilder<> build(&call);
            result = llvm::PoisonValue::get(call.getType());
            for (unsigned i = 0; i < outputs.size(); ++i)
                result = build.CreateInsertValue(result, translator.valueOf(outputs[i]), i);
        } else {
            result = translator.valueOf(outputs.front());
        }
        call.replaceAllUsesWith(result);
    }
    call.eraseFromParent();
}

/// What of the call is not known; empty: it has been replaced.
std::string translate(llvm::CallInst& call)
{
    try {
        std::string problem;
        const std::optional<PtxText> text =
            parsePtx(cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString(), problem);
        if (!text)
            throw UnknownPtx{problem};
        PtxTranslator translator(call, *text, nullptr);
        const std::vector<std::string> outputs = declareOperands(translator, call);
        translator.declareRegisters();
        translator.run();
        llvm::BasicBlock& end = *call.getParent();
        replaceCall(call, translator, outputs);
        translator.connectBranches(end);
    } catch (const UnknownPtx& problem) {
        return "the inline assembly " + problem.what;
    } catch (const std::out_of_range&) {
        return "inline assembly with too few operands";
    }
    return {};
}

}  // namespace

void rewriteInlinePtx(llvm::CallInst& call)
{
    // What is not known stays as it is; lowering asks ptxProblem when it meets it.
    static_cast<void>(translate(call));
}

std::string ptxProblem(const llvm::CallInst& call)
{
    if (const llvm::MDNode* node = call.getMetadata(kPtxProblem))
        return cast<llvm::MDString>(node->getOperand(0))->getString().str();
    if (!call.isInlineAsm())
        return {};
    std::string problem = translate(const_cast<llvm::CallInst&>(call));
    return problem.empty() ? "inline assembly" : problem;
}

}  // namespace lanescope::simt
