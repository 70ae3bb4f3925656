// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/prepared_module.h"

#include <algorithm>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
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

namespace {

/// clang keeps what a host uses of relocatable code in a variable that is nobody's.
void removeClangsList(llvm::Module& module)
{
    llvm::GlobalVariable* list = module.getNamedGlobal("__clang_gpu_used_external");
    if (!list)
        return;
    llvm::removeFromUsedLists(module, [&](llvm::Constant* used) { return used == list; });
    list->eraseFromParent();
}

/// clang gives a file's own variable that the host uses a name of the file's ("x__static__1234") when it sees that use,
/// and calls it by the plain name in what it wrote before.
void joinStaticVariables(llvm::Module& module)
{
    std::vector<llvm::GlobalVariable*> joined;
    for (llvm::GlobalVariable& variable : module.globals()) {
        const auto [plain, file] = variable.getName().split("__static__");
        llvm::GlobalVariable* before = file.empty() ? nullptr : module.getNamedGlobal(plain);
        if (!before || !before->isDeclaration() || before->getType() != variable.getType())
            continue;
        before->replaceAllUsesWith(&variable);
        joined.push_back(before);
    }
    for (llvm::GlobalVariable* variable : joined)
        variable->eraseFromParent();
}

}  // namespace

Result<std::unique_ptr<llvm::Module>> linkBitcode(std::span<const std::vector<std::byte>> parts,
                                                  llvm::LLVMContext& context)
{
    std::string problem;
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* text) {
            llvm::raw_string_ostream out(*static_cast<std::string*>(text));
            llvm::DiagnosticPrinterRawOStream printer(out);
            if (info->getSeverity() == llvm::DS_Error)
                info->print(printer);
        },
        &problem);
    auto linked = std::make_unique<llvm::Module>("linked device code", context);
    llvm::Linker linker(*linked);
    for (const std::vector<std::byte>& part : parts) {
        Result<std::unique_ptr<llvm::Module>> parsed = readBitcode(part, context);
        if (!parsed)
            return parsed.error();
        const std::string source = parsed.value()->getSourceFileName();
        removeClangsList(*parsed.value());
        joinStaticVariables(*parsed.value());
        if (linker.linkInModule(std::move(parsed).value()))
            return Error{Error::Code::BadInput, "the device code cannot be linked: " + problem, source};
    }
    context.setDiagnosticHandlerCallBack(nullptr);
    return linked;
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
