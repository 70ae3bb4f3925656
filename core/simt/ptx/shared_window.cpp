// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/shared_window.h"

#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

llvm::Value* toSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* slot = build.CreateSub(build.CreateLShr(address, 32), build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, (uint64_t{1} << kWindowOffsetBits) - 1);
    return build.CreateOr(build.CreateShl(slot, kWindowOffsetBits), offset);
}

llvm::Value* fromSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* slot = build.CreateAdd(build.CreateLShr(address, kWindowOffsetBits), build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, (uint64_t{1} << kWindowOffsetBits) - 1);
    llvm::Value* generic = build.CreateOr(build.CreateShl(slot, 32), offset);
    return build.CreateSelect(build.CreateIsNull(build.CreateLShr(address, 32)), generic, address);
}

}  // namespace lanescope::simt
