// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/warp_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>

#include "core/simt/code/program.h"
#include "core/simt/native/register_uses.h"

namespace lanescope::simt::native {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
/// Members of a warp that no handler of a stretch changes, and what they are then known to be.
struct Member {
    uint64_t offset;
    std::optional<int64_t> value = {};
    bool ownsMemory = false;  ///< what it points to nothing else leads to
    llvm::WeakTrackingVH WarpFiles::* file = nullptr;
};
constexpr uint64_t kRecorderOffset = offsetof(Warp, recorder);
constexpr Member kMembers[] = {
    {.offset = offsetof(Warp, regs), .ownsMemory = true, .file = &WarpFiles::registers},
    {.offset = offsetof(Warp, scalars), .ownsMemory = true, .file = &WarpFiles::scalars},
    {.offset = offsetof(Warp, patterns), .ownsMemory = true, .file = &WarpFiles::patterns},
    {.offset = offsetof(Warp, objects)},
    {.offset = offsetof(Warp, block)},
    {.offset = kRecorderOffset, .value = 0},  // or one that stays
    {.offset = kMaskOffset, .value = -1, .file = &WarpFiles::mask},
    {.offset = offsetof(Warp, full), .value = 1},
    {.offset = offsetof(Warp, tracked), .value = 0},
};
#pragma GCC diagnostic pop

/// Loads of what stays as it is (settled() in lane_loops.h) are marked in a way that compilers keep.
void markSettled(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::instructions(function))
        if (llvm::isa<llvm::LoadInst>(instr) && instr.hasMetadata(llvm::LLVMContext::MD_nontemporal)) {
            instr.setMetadata(llvm::LLVMContext::MD_nontemporal, nullptr);
            instr.setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(function.getContext(), {}));
        }
}

/// Memory that only one member leads to, as alias scopes.
class OwnMemory {
public:
    explicit OwnMemory(llvm::LLVMContext& context) : m_context(context), m_builder(context)
    {
        llvm::MDNode* const domain = m_builder.createAnonymousAliasScopeDomain();
        for (llvm::Metadata*& scope : m_scopes)
            scope = m_builder.createAnonymousAliasScope(domain);
    }
    void add(llvm::Value* pointer) { m_pointers.push_back(pointer); }

    /// Says of a load or store which it goes to, where that is seen.
    void describe(llvm::Instruction& instr) const
    {
        const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instr);
        if (!pointer)
            return;
        const llvm::Value* const object = llvm::getUnderlyingObject(pointer, 0);
        if (llvm::isa<llvm::PHINode, llvm::SelectInst>(object))
            return;
        const auto owner = static_cast<size_t>(std::ranges::find(m_pointers, object) - m_pointers.begin());
        std::vector<llvm::Metadata*> others;
        for (size_t i = 0; i < m_scopes.size(); ++i)
            if (i != owner)
                others.push_back(m_scopes[i]);
        instr.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::get(m_context, others));
        if (owner < m_pointers.size())
            instr.setMetadata(llvm::LLVMContext::MD_alias_scope,
                              llvm::MDNode::get(m_context, llvm::ArrayRef(m_scopes[owner])));
    }

private:
    llvm::LLVMContext& m_context;
    llvm::MDBuilder m_builder;
    std::array<llvm::Metadata*, std::ranges::count(kMembers, true, &Member::ownsMemory)> m_scopes{};
    std::vector<const llvm::Value*> m_pointers;
};

/// The index in its row of a warp's threads, which are neighbours: that of the first, and the lane.
void countThreads(llvm::Function& function, llvm::Value* registers)
{
    const llvm::DataLayout& layout = function.getDataLayout();
    std::vector<std::pair<llvm::LoadInst*, int64_t>> loads;
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instr);
        int64_t offset = 0;
        if (load && load->getType()->getScalarType()->isIntegerTy(32) &&
            llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout) == registers &&
            offset >= kThreadIdxReg && offset < int64_t{kThreadIdxReg} + 4 * kWarpSize)
            loads.emplace_back(load, (offset - kThreadIdxReg) / 4);
    }
    for (const auto& [load, lane] : loads) {
        llvm::IRBuilder<> builder(load);
        llvm::Type* const word = builder.getInt32Ty();
        llvm::LoadInst* const first =
            builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), registers, kThreadIdxReg));
        const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(load->getType());
        const auto count = vector ? vector->getNumElements() : 1;
        std::vector<llvm::Constant*> lanes;
        for (unsigned i = 0; i < count; ++i)
            lanes.push_back(llvm::ConstantInt::get(word, static_cast<uint64_t>(lane) + i));
        llvm::Value* const counted =
            vector ? builder.CreateAdd(builder.CreateVectorSplat(count, first), llvm::ConstantVector::get(lanes))
                   : builder.CreateAdd(first, lanes.front());
        load->replaceAllUsesWith(counted);
        load->eraseFromParent();
    }
}

/// Loads of scalars that hold the same number in all launches become that number.
void placeConstantScalars(llvm::Function& function, const llvm::Value* scalars, const NativeJob& job)
{
    const llvm::DataLayout& layout = function.getDataLayout();
    for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function))) {
        auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instr);
        int64_t offset = 0;
        if (!load || llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout) != scalars)
            continue;
        llvm::Type* const type = load->getType();
        const uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
        const auto index = static_cast<uint32_t>(offset / int64_t{kScalarPieceBytes});
        if (offset % kScalarPieceBytes != 0 || bits > kScalarPieceBytes * 8 ||
            !(type->isIntegerTy() || type->isFloatingPointTy()) ||
            !std::ranges::binary_search(job.constantScalars, index))
            continue;
        llvm::Constant* const number =
            llvm::ConstantInt::get(function.getContext(), llvm::APInt(64, job.scalars[index]).trunc(bits));
        load->replaceAllUsesWith(type->isIntegerTy() ? number : llvm::ConstantExpr::getBitCast(number, type));
        load->eraseFromParent();
    }
}

}  // namespace

WarpFiles assumeWarp(llvm::Function& function, const NativeJob& job)
{
    const bool lacksLanes = job.lacksLanes();
    WarpFiles files;
    markSettled(function);
    const llvm::DataLayout& layout = function.getDataLayout();
    llvm::BasicBlock& entry = function.getEntryBlock();
    llvm::Value* const warp = function.getArg(1);
    llvm::IRBuilder<> builder(&entry, entry.getFirstInsertionPt());
    OwnMemory own(function.getContext());
    for (const Member& member : kMembers) {
        std::vector<llvm::LoadInst*> loads;
        for (llvm::Instruction& instr : llvm::instructions(function)) {
            auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instr);
            int64_t offset = 0;
            if (load && !load->isVolatile() &&
                llvm::GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout) == warp &&
                static_cast<uint64_t>(offset) == member.offset)
                loads.push_back(load);
        }
        const bool isMaskOfPart = lacksLanes && member.offset == kMaskOffset;
        if (loads.empty() && !isMaskOfPart)
            continue;
        llvm::Type* const type = isMaskOfPart ? builder.getInt32Ty() : loads.front()->getType();
        llvm::Value* value = nullptr;
        const bool isRecorder = job.isRecorded() && member.offset == kRecorderOffset;
        if (!member.value || isMaskOfPart || isRecorder)
            value =
                builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), warp, member.offset));
        else if (type->isPointerTy())
            value = llvm::Constant::getNullValue(type);
        else
            value = llvm::ConstantInt::getSigned(type, *member.value);
        for (llvm::LoadInst* load : loads)
            if (load->getType() == type)
                load->replaceAllUsesWith(value);
        if (isRecorder)
            builder.CreateAssumption(builder.CreateIsNotNull(value));
        if (member.ownsMemory)
            own.add(value);
        if (member.file)
            files.*member.file = value;
    }
    if (lacksLanes && files.mask)
        builder.CreateAssumption(builder.CreateICmpNE(files.mask, builder.getInt32(~LaneMask{0})));
    if (job.wholeRows && files.registers)
        countThreads(function, files.registers);
    if (files.scalars)
        placeConstantScalars(function, files.scalars, job);
    for (llvm::Instruction& instr : llvm::instructions(function))
        own.describe(instr);
    return files;
}

}  // namespace lanescope::simt::native
