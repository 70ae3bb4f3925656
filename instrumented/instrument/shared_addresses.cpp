// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of shared memory, of this block and of others of its cluster, as the GPU has them: prepared code has the
// simulator's arithmetic, which is a conversion of the GPU's here. And fences.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Transforms/Utils/Local.h>

#include "core/simt/ptx/shared_window.h"
#include "core/simt/ptx/sync_scope.h"
#include "instrumented/instrument/device_code.h"
#include "instrumented/instrument/pieces.h"

namespace lanescope::instrument {

using llvm::Value;

namespace {

Value* callOf(llvm::IRBuilder<>& build, const char* name, llvm::Type* result, llvm::ArrayRef<Value*> arguments)
{
    llvm::SmallVector<llvm::Type*> types;
    for (const Value* argument : arguments)
        types.push_back(argument->getType());
    llvm::Module& module = *build.GetInsertBlock()->getModule();
    return build.CreateCall(module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
}

Value* toWindow(llvm::IRBuilder<>& build, Value* address)
{
    Value* pointer = build.CreateIntToPtr(address, build.getPtrTy());
    return build.CreatePtrToInt(build.CreateAddrSpaceCast(pointer, build.getPtrTy(kSharedSpace)), build.getInt64Ty());
}

/// Generic addresses stay as they are: their upper half is not zero.
Value* fromWindow(llvm::IRBuilder<>& build, Value* address)
{
    Value* pointer = build.CreateIntToPtr(address, build.getPtrTy(kSharedSpace));
    Value* generic = build.CreatePtrToInt(build.CreateAddrSpaceCast(pointer, build.getPtrTy()), build.getInt64Ty());
    return build.CreateSelect(build.CreateIsNull(build.CreateLShr(address, 32)), generic, address);
}

void convert(llvm::Instruction& instr, llvm::StringRef conversion)
{
    llvm::IRBuilder<> build(&instr);
    Value* address = simt::windowAddressOf(instr, conversion);
    Value* converted = conversion == simt::kToSharedWindow ? toWindow(build, address)
                       : conversion == simt::kFromSharedWindow
                           ? fromWindow(build, address)
                           : callOf(build, "__lanescope_rank_of", build.getInt32Ty(), {address});
    instr.replaceAllUsesWith(converted);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&instr);
}

llvm::StringRef conversionOf(const llvm::Instruction& instr)
{
    const llvm::MDNode* node = instr.getMetadata(simt::kWindowConversion);
    return node ? llvm::cast<llvm::MDString>(node->getOperand(0))->getString() : "";
}

/// LLVM's back end has no fences.
void replaceFence(llvm::FenceInst& fence)
{
    const llvm::SyncScope::ID scope = fence.getSyncScopeID();
    llvm::IRBuilder<> build(&fence);
    build.CreateIntrinsic(scope == llvm::SyncScope::System                ? llvm::Intrinsic::nvvm_membar_sys
                          : scope == simt::blockScope(fence.getContext()) ? llvm::Intrinsic::nvvm_membar_cta
                                                                          : llvm::Intrinsic::nvvm_membar_gl,
                          {}, {});
    fence.eraseFromParent();
}

}  // namespace

void placeSharedAddresses(DeviceCode& code)
{
    constexpr std::pair<const char*, const char*> kOnDevice[] = {
        {"__ls_map_rank", "__lanescope_map_rank"},
        {"__ls_matrix_row.k", "__lanescope_matrix_row_k"},
        {"__ls_matrix_row.mn", "__lanescope_matrix_row_mn"},
        {"__ls_explicit_cluster", "__lanescope_explicit_cluster"}};
    std::vector<std::pair<llvm::WeakTrackingVH, std::string>> conversions;
    for (llvm::Function& function : *code.module)
        for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
            if (const llvm::StringRef conversion = conversionOf(instr); !conversion.empty())
                conversions.emplace_back(&instr, conversion.str());
            if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instr))
                replaceFence(*fence);
        }
    for (auto& [instr, conversion] : conversions)
        if (instr)
            convert(*llvm::cast<llvm::Instruction>(&*instr), conversion);
    for (const auto& [name, onDevice] : kOnDevice)
        if (llvm::Function* function = code.module->getFunction(name))
            function->setName(onDevice);
}

}  // namespace lanescope::instrument
