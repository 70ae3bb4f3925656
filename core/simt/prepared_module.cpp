// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/prepared_module.h"

#include <algorithm>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/Error.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

#include "core/simt/lowering.h"

namespace lanescope::simt {

using llvm::dyn_cast;

Result<std::unique_ptr<llvm::Module>> readBitcode(std::span<const std::byte> bitcode, llvm::LLVMContext& context)
{
    llvm::MemoryBufferRef buffer(llvm::StringRef(reinterpret_cast<const char*>(bitcode.data()), bitcode.size()),
                                 "device code");
    auto parsed = llvm::parseBitcodeFile(buffer, context);
    if (!parsed)
        return Error{
            Error::Code::BadInput, "the device code is no LLVM bitcode: " + llvm::toString(parsed.takeError()), {}};
    return std::move(*parsed);
}

FunctionAddresses prepareForLowering(llvm::Module& module)
{
    FunctionAddresses addresses = legalise(module);
    llvm::FunctionAnalysisManager analyses;
    for (llvm::Function& function : module)
        if (!function.isDeclaration())
            llvm::UnifyFunctionExitNodesPass().run(function, analyses);
    return addresses;
}

std::vector<llvm::Function*> kernelsOf(llvm::Module& module)
{
    std::vector<llvm::Function*> found;
    auto add = [&](llvm::Function* function) {
        if (std::find(found.begin(), found.end(), function) == found.end())
            found.push_back(function);
    };
    if (const llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations"))
        for (const llvm::MDNode* node : annotations->operands())
            if (node->getNumOperands() >= 2)
                if (const auto* tag = dyn_cast<llvm::MDString>(node->getOperand(1));
                    tag && tag->getString() == "kernel")
                    if (auto* function = llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)))
                        add(function);
    for (llvm::Function& function : module)
        if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
            add(&function);
    return found;
}

std::vector<llvm::GlobalVariable*> variablesOf(llvm::Module& module)
{
    std::vector<llvm::GlobalVariable*> variables;
    for (llvm::GlobalVariable& global : module.globals())
        if (!global.isDeclaration() && global.getAddressSpace() != 3 && !global.getName().starts_with("llvm."))
            variables.push_back(&global);
    return variables;
}

Result<std::shared_ptr<const Program>> describeKernel(llvm::Function& kernel, const FunctionAddresses& functions,
                                                      const CodeNumbers& numbers)
{
    std::map<const llvm::GlobalVariable*, DeviceAddress> globals;
    DeviceAddress next = DeviceMemory::kFirstSlot << 32;
    for (llvm::GlobalVariable* variable : variablesOf(*kernel.getParent()))
        globals.emplace(variable, next += uint64_t{1} << 32);
    SourceTable sources;
    LoweringOptions options;
    options.record = true;
    options.recordVariables = true;
    options.numbers = &numbers;
    return ProgramBuilder(*kernel.getParent(), sources, globals, functions, options).build(kernel);
}

}  // namespace lanescope::simt
