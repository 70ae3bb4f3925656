// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "instrumented/instrument/calls.h"

namespace lanescope::instrument {

using llvm::cast;
using llvm::dyn_cast;

PlainCode::PlainCode(DeviceCode& code) : m_code(code)
{
    copyFunctions();
    for (const auto& [kernel, program] : code.programs)
        copyKernel(*kernel);
}

void PlainCode::copyFunctions()
{
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : *m_code.module)
        if (!function.isDeclaration() && !m_code.programs.contains(&function))
            functions.push_back(&function);
    for (llvm::Function* function : functions) {
        llvm::ValueToValueMapTy map;
        llvm::Function* copy = llvm::CloneFunction(function, map);
        copy->setLinkage(llvm::GlobalValue::InternalLinkage);
        copy->setComdat(nullptr);
        m_plain[function] = copy;
    }
    for (auto [function, copy] : m_plain)
        for (llvm::Instruction& instr : llvm::instructions(*copy))
            callPlain(instr);
}

/// In the same function, so that arguments and debug information stay what they are.
void PlainCode::copyKernel(llvm::Function& kernel)
{
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& block : kernel)
        blocks.push_back(&block);
    llvm::ValueToValueMapTy map;
    llvm::SmallVector<llvm::BasicBlock*> copies;
    for (llvm::BasicBlock* block : blocks) {
        llvm::BasicBlock* copy = llvm::CloneBasicBlock(block, map, ".plain", &kernel);
        map[block] = copy;
        copies.push_back(copy);
    }
    llvm::remapInstructionsInBlocks(copies, map);
    for (llvm::BasicBlock* copy : copies)
        for (llvm::Instruction& instr : *copy)
            callPlain(instr);
    m_kernels.push_back({&kernel, copies.front()});
}

/// Addresses of functions stay those of the instrumented ones: they are numbers that kernels of both kinds exchange.
void PlainCode::callPlain(llvm::Instruction& instr)
{
    if (auto* call = dyn_cast<llvm::CallBase>(&instr))
        if (const auto plain = m_plain.find(call->getCalledFunction()); plain != m_plain.end())
            call->setCalledFunction(plain->second);
}

void PlainCode::connect()
{
    llvm::FunctionCallee asks = m_code.module->getOrInsertFunction(
        "__lanescope_records", llvm::FunctionType::get(llvm::Type::getInt1Ty(m_code.context), false));
    for (const Kernel& kernel : m_kernels) {
        llvm::BasicBlock& logged = kernel.function->getEntryBlock();
        auto* first = llvm::BasicBlock::Create(m_code.context, "", kernel.function, &logged);
        llvm::IRBuilder<> build(first);
        if (const llvm::DISubprogram* subprogram = kernel.function->getSubprogram())
            build.SetCurrentDebugLocation(
                llvm::DILocation::get(m_code.context, 0, 0, const_cast<llvm::DISubprogram*>(subprogram)));
        llvm::Value* records = build.CreateCall(asks);
        build.CreateCondBr(records, &logged, kernel.plain);
        // Only in the first block do they take no instructions.
        for (llvm::BasicBlock* block : {&logged, kernel.plain})
            for (llvm::Instruction& instr : llvm::make_early_inc_range(*block))
                if (auto* local = dyn_cast<llvm::AllocaInst>(&instr);
                    local && llvm::isa<llvm::Constant>(local->getArraySize()))
                    local->moveBefore(*first, first->getFirstInsertionPt());
    }
}

}  // namespace lanescope::instrument
