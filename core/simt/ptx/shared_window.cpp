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
    return build.CreateAnd(sum, adds ? kOffsetBits : uint64_t{kOffsetInBlock});
}

/// Says which conversion \p result is, for who runs the code where shared memory has other addresses.
llvm::Value* named(llvm::IRBuilder<>& build, llvm::Value* result, const char* conversion)
{
    if (auto* instr = llvm::dyn_cast<llvm::Instruction>(result))
        instr->setMetadata(kWindowConversion,
                           llvm::MDNode::get(build.getContext(), llvm::MDString::get(build.getContext(), conversion)));
    return result;
}

}  // namespace

void countFromSharedMemory(llvm::Module& module)
{
    module.getOrInsertNamedMetadata(kCountsFromSharedMemory);
}

llvm::Value* toSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* slot = build.CreateSub(build.CreateLShr(address, 32), build.getInt64(kSharedSlot));
    llvm::Value* offset = moved(build, build.CreateAnd(address, kOffsetBits), slot, /*adds=*/true);
    llvm::Value* place = build.CreateOr(offset, build.CreateAnd(address, kRankBits));
    return named(build, build.CreateOr(build.CreateShl(slot, kWindowOffsetBits), place), kToSharedWindow);
}

llvm::Value* fromSharedWindow(llvm::IRBuilder<>& build, llvm::Value* address)
{
    llvm::Value* number = build.CreateLShr(build.CreateAnd(address, kOffsetInBlock), kWindowOffsetBits);
    llvm::Value* slot = build.CreateAdd(number, build.getInt64(kSharedSlot));
    llvm::Value* offset = moved(build, build.CreateAnd(address, kOffsetBits), number, /*adds=*/false);
    llvm::Value* place = build.CreateOr(offset, build.CreateAnd(address, kRankBits));
    llvm::Value* generic = build.CreateOr(build.CreateShl(slot, 32), place);
    return named(build, build.CreateSelect(build.CreateIsNull(build.CreateLShr(address, 32)), generic, address),
                 kFromSharedWindow);
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
    llvm::Value* inAddress = build.CreateTrunc(
        build.CreateAnd(build.CreateLShr(address, kRankShift), UINT32_MAX >> kRankShift), build.getInt32Ty());
    llvm::Value* own = build.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank, {}, {});
    return named(build,
                 build.CreateSelect(build.CreateIsNull(inAddress), own, build.CreateSub(inAddress, build.getInt32(1))),
                 kRankOfAddress);
}

llvm::Value* windowAddressOf(const llvm::Instruction& converted, llvm::StringRef conversion)
{
    const auto operand = [](const llvm::Value* of, unsigned index) {
        return llvm::cast<llvm::Instruction>(of)->getOperand(index);
    };
    if (conversion == kFromSharedWindow)
        return converted.getOperand(2);
    // or(shl(sub(lshr(address, …), …), …), …), and select(icmp(trunc(and(lshr(address, …), …)), …), …).
    const bool isRank = conversion == kRankOfAddress;
    const llvm::Value* shifted = &converted;
    for (int depth = isRank ? 4 : 3; depth > 0; --depth)
        shifted = operand(shifted, 0);
    return operand(shifted, 0);
}

}  // namespace lanescope::simt
