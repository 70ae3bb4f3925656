// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/prepared_module.h"

#include <algorithm>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/Error.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

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

std::vector<llvm::GlobalVariable*> variablesOf(llvm::Module& module)
{
    std::vector<llvm::GlobalVariable*> variables;
    for (llvm::GlobalVariable& global : module.globals())
        if (!global.isDeclaration() && global.getAddressSpace() != 3 && !global.getName().starts_with("llvm."))
            variables.push_back(&global);
    return variables;
}

}  // namespace lanescope::simt
