// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the translation of inline PTX. What it accepts becomes IR that LLVM's verifier accepts and the call is
// gone; what it does not stays in a module that is still sound, and is named. Outputs are $0 to $4, of 32 and 64 bits,
// a float, a double and 16 bits; $5 to $9 are inputs of the same types, $10 is a pointer.
#include <string>
#include <string_view>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

#include "core/base/assert.h"
#include "core/simt/ptx/ptx_to_ir.h"
#include "tests/simt/ir_text.h"

using namespace lanescope;

namespace {

constexpr const char* kConstraints = "=r,=l,=f,=d,=h,r,l,f,d,h,l";

/// A function of nothing but the statement.
llvm::CallInst& addCall(llvm::Module& module, std::string_view text)
{
    llvm::IRBuilder<> build(module.getContext());
    const std::vector<llvm::Type*> types = {build.getInt32Ty(), build.getInt64Ty(), build.getFloatTy(),
                                            build.getDoubleTy(), build.getInt16Ty()};
    std::vector<llvm::Type*> inputs = types;
    inputs.push_back(build.getPtrTy());
    auto* results = llvm::StructType::get(module.getContext(), types);
    auto* function = llvm::Function::Create(llvm::FunctionType::get(results, inputs, false),
                                            llvm::GlobalValue::ExternalLinkage, "f", module);
    build.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
    auto* assembly = llvm::InlineAsm::get(function->getFunctionType(), text, kConstraints, /*hasSideEffects=*/true);
    std::vector<llvm::Value*> arguments;
    for (llvm::Argument& argument : function->args())
        arguments.push_back(&argument);
    llvm::CallInst* call = build.CreateCall(function->getFunctionType(), assembly, arguments);
    build.CreateRet(call);
    return *call;
}

llvm::CallInst* callLeft(llvm::Module& module)
{
    for (llvm::Instruction& instr : llvm::instructions(*module.getFunction("f")))
        if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instr); call && call->isInlineAsm())
            return call;
    return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    llvm::LLVMContext context;
    llvm::Module module("fuzz", context);
    simt::rewriteInlinePtx(addCall(module, {reinterpret_cast<const char*>(data), size}));
    LS_ASSERT(test::verifierProblem(module).empty());
    if (const llvm::CallInst* left = callLeft(module))
        LS_ASSERT(!simt::ptxProblem(*left).empty());
    return 0;
}
