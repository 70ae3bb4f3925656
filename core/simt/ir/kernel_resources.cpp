// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/kernel_resources.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace lanescope::simt {
namespace {

/// The kernel, the functions it calls and the variables these use.
struct Reached {
    llvm::SetVector<const llvm::Function*> functions;
    llvm::SetVector<const llvm::GlobalVariable*> variables;

    void add(const llvm::Value* value)
    {
        if (const auto* function = llvm::dyn_cast<llvm::Function>(value))
            functions.insert(function);
        else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value))
            variables.insert(variable);
        else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value))
            for (const llvm::Use& operand : constant->operands())
                add(operand.get());
    }
};

Reached reachedFrom(const llvm::Function& kernel)
{
    Reached reached;
    reached.functions.insert(&kernel);
    for (size_t i = 0; i < reached.functions.size(); ++i)
        for (const llvm::BasicBlock& block : *reached.functions[i])
            for (const llvm::Instruction& instruction : block)
                for (const llvm::Use& operand : instruction.operands())
                    if (llvm::isa<llvm::Constant>(operand.get()))
                        reached.add(operand.get());
    return reached;
}

/// The value of an nvvm annotation; \p otherwise when the kernel has none of that name.
uint64_t annotation(const llvm::Function& kernel, llvm::StringRef name, uint64_t otherwise)
{
    const llvm::NamedMDNode* all = kernel.getParent()->getNamedMetadata("nvvm.annotations");
    if (!all)
        return otherwise;
    for (const llvm::MDNode* node : all->operands()) {
        if (node->getNumOperands() < 3 ||
            llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)) != &kernel)
            continue;
        for (unsigned i = 1; i + 1 < node->getNumOperands(); i += 2)
            if (const auto* tag = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(i).get());
                tag && tag->getString() == name)
                if (const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(i + 1)))
                    return value->getZExtValue();
    }
    return otherwise;
}

}  // namespace

device::KernelResources resourcesOf(const llvm::Function& kernel)
{
    constexpr unsigned kSharedSpace = 3;
    constexpr unsigned kConstantSpace = 4;
    device::KernelResources resources;
    const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
    for (const llvm::GlobalVariable* variable : reachedFrom(kernel).variables) {
        const uint64_t bytes = layout.getTypeAllocSize(variable->getValueType());
        const uint64_t alignment = variable->getAlign().valueOrOne().value();
        if (variable->getAddressSpace() == kSharedSpace && !variable->isDeclaration())
            resources.staticSharedBytes = (resources.staticSharedBytes + alignment - 1) / alignment * alignment + bytes;
        if (variable->getAddressSpace() == kConstantSpace)
            resources.constantBytes += bytes;
    }
    resources.maxThreads = uint32_t(annotation(kernel, "maxntidx", resources.maxThreads) *
                                    annotation(kernel, "maxntidy", 1) * annotation(kernel, "maxntidz", 1));
    resources.minBlocks = uint32_t(annotation(kernel, "minctasm", 0));
    return resources;
}

}  // namespace lanescope::simt
