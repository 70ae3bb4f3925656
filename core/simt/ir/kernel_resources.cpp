// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/kernel_resources.h"

#include <vector>

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

/// The numbers that go with an annotation of the source, __attribute__((annotate("name", 2, 1, 1))); empty: it has
/// none.
std::vector<uint64_t> sourceAnnotation(const llvm::Function& kernel, llvm::StringRef wanted)
{
    const llvm::GlobalVariable* all = kernel.getParent()->getGlobalVariable("llvm.global.annotations");
    const auto* entries =
        all && all->hasInitializer() ? llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; entries && i < entries->getNumOperands(); ++i) {
        const auto* entry = llvm::dyn_cast<llvm::ConstantStruct>(entries->getOperand(i));
        if (!entry || entry->getNumOperands() < 5 || entry->getOperand(0)->stripPointerCasts() != &kernel)
            continue;
        const auto* name = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
        const auto* text = name ? llvm::dyn_cast<llvm::ConstantDataSequential>(name->getInitializer()) : nullptr;
        const auto* list = llvm::dyn_cast<llvm::GlobalVariable>(entry->getOperand(4)->stripPointerCasts());
        if (!text || !text->isCString() || text->getAsCString() != wanted || !list)
            continue;
        std::vector<uint64_t> numbers;
        for (const llvm::Use& number : list->getInitializer()->operands())
            if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(number.get()))
                numbers.push_back(constant->getZExtValue());
        return numbers;
    }
    return {};
}

Dim3 clusterOf(const llvm::Function& kernel)
{
    std::vector<uint64_t> size = sourceAnnotation(kernel, "lanescope.cluster_dims");
    constexpr const char* kNames[] = {"cluster_dim_x", "cluster_dim_y", "cluster_dim_z"};
    for (const char* name : kNames)
        if (const uint64_t count = annotation(kernel, name, 0); size.size() < 3 && count != 0)
            size.push_back(count);
    if (size.empty())
        return {0, 0, 0};
    size.resize(3, 1);
    return {static_cast<uint32_t>(size[0]), static_cast<uint32_t>(size[1]), static_cast<uint32_t>(size[2])};
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
    resources.cluster = clusterOf(kernel);
    resources.minBlocks = uint32_t(annotation(kernel, "minctasm", 0));
    return resources;
}

}  // namespace lanescope::simt
