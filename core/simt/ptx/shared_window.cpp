// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/shared_window.h"

#include <llvm/IR/Module.h>

#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

namespace {

constexpr const char* kCountsFromSharedMemory = "lanescope.counts_from_shared_memory";

/// \p offset, with where array \p number begins added or taken away, where the module asks for that.
llvm::Value* moved(llvm::IRBuilder<>& build, llvm::Value* offset, llvm::Value* number, bool adds)
{
    llvm::Module& module = *build.GetInsertBlock()->getModule();
    if (!module.getNamedMetadata(kCountsFromSharedMemory))
        return offset;
    llvm::FunctionCallee base = module.getOrInsertFunction(kSharedBase, build.getInt64Ty(), build.getInt64Ty());
    llvm::CallInst* begin = build.CreateCall(base, {number});
    begin->setDoesNotAccessMemory();
    begin->setDoesNotThrow();
    begin->addFnAttr(llvm::Attribute::WillReturn);
    llvm::Value* sum = adds ? build.CreateAdd(offset, begin) : build.CreateSub(offset, begin);
    return build.CreateAnd(sum, adds ? (uint64_t{1} << kWindowOffsetBits) - 1 : UINT32_MAX);
}

}  // namespace

void countFromSharedMemory(llvm::Module& module)
{
    module.getOrInsertNamedMetadata(kCountsFromSharedMemory);
}

llvm::Value* toSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* slot = build.CreateSub(build.CreateLShr(address, 32), build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, (uint64_t{1} << kWindowOffsetBits) - 1);
    return build.CreateOr(build.CreateShl(slot, kWindowOffsetBits), moved(build, offset, slot, /*adds=*/true));
}

llvm::Value* fromSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* number = build.CreateLShr(address, kWindowOffsetBits);
    llvm::Value* slot = build.CreateAdd(number, build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, (uint64_t{1} << kWindowOffsetBits) - 1);
    llvm::Value* generic = build.CreateOr(build.CreateShl(slot, 32), moved(build, offset, number, /*adds=*/false));
    return build.CreateSelect(build.CreateIsNull(build.CreateLShr(address, 32)), generic, address);
}

}  // namespace lanescope::simt
