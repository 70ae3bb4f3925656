// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/shared_window.h"

#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {
namespace {

/// Of an address: what both forms of it have in the same bits.
constexpr uint64_t kOffsetBits = (uint64_t{1} << kWindowOffsetBits) - 1;
constexpr uint64_t kRankBits = uint64_t{UINT32_MAX} & ~uint64_t{kOffsetInBlock};
static_assert(kMostSharedArrays << kWindowOffsetBits == uint64_t{1} << kRankShift);

}  // namespace

llvm::Value* toSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* slot = build.CreateSub(build.CreateLShr(address, 32), build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, kOffsetBits | kRankBits);
    return build.CreateOr(build.CreateShl(slot, kWindowOffsetBits), offset);
}

llvm::Value* fromSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* array = build.CreateAnd(address, kOffsetInBlock);
    llvm::Value* slot = build.CreateAdd(build.CreateLShr(array, kWindowOffsetBits), build.getInt64(kSharedSlot));
    llvm::Value* offset = build.CreateAnd(address, kOffsetBits | kRankBits);
    llvm::Value* generic = build.CreateOr(build.CreateShl(slot, 32), offset);
    return build.CreateSelect(build.CreateIsNull(build.CreateLShr(address, 32)), generic, address);
}

llvm::Value* mapToRank(llvm::IRBuilder<>& build, llvm::Value* address, llvm::Value* rank)
{
    auto* type = llvm::FunctionType::get(build.getInt64Ty(), {build.getInt64Ty(), build.getInt32Ty()}, false);
    llvm::CallInst* call = build.CreateCall(
        build.GetInsertBlock()->getModule()->getOrInsertFunction("__ls_map_rank", type), {address, rank});
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    return call;
}

llvm::Value* clusterRankOf(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* named = build.CreateTrunc(
        build.CreateAnd(build.CreateLShr(address, kRankShift), UINT32_MAX >> kRankShift), build.getInt32Ty());
    llvm::Value* own = build.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {}, {});
    return build.CreateSelect(build.CreateIsNull(named), own, build.CreateSub(named, build.getInt32(1)));
}

}  // namespace lanescope::simt
