// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/memory_lowering.h"

#include <algorithm>
#include <array>
#include <bit>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/base/assert.h"
#include "core/simt/lower/access_analysis.h"
#include "core/simt/lower/fusion.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

using llvm::dyn_cast;

namespace {

constexpr uint64_t kMostAccessed = 16;  ///< bytes of the largest single access

}  // namespace

MemoryLowering::MemoryLowering(FunctionContext& context, ShapeChecks& shapes, AccessDescriptions& accesses,
                               PatternWriter& patterns, FlowDescriptions& flows, VariableRecorder& recorder,
                               MatrixRegisters& matrices)
    : m_builder(context.builder), m_analysis(context.analysis), m_code(context.code), m_operations(context.operations),
      m_values(context.values), m_addresses(context, shapes), m_shapes(shapes), m_accesses(accesses),
      m_patterns(patterns), m_flows(flows), m_recorder(recorder), m_matrices(matrices)
{
}

void MemoryLowering::lowerAddress(llvm::GetElementPtrInst& instr)
{
    if (instr.getType()->isVectorTy())
        throw Unsupported{"vectors of pointers: '" + describe(instr) + "'", &instr};
    const MemoryInfo info = m_addresses.addressOf(instr);
    m_shapes.checkKept(instr);
    Operand out = m_values.destination(instr);
    if (out.form == Form::Scalar)
        LS_ASSERT(info.base.form == Form::Scalar && info.vectorTermCount == 0);
    m_builder.program().memory.push_back(info);
    Instr& emitted = m_code.emit(
        out.form == Form::Scalar ? m_builder.handlers().addressScalar() : m_builder.handlers().address(), &instr);
    emitted.dst = out.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
}

namespace {

/// How many of \p leaves from \p first on, neighbours of one size, go together as one access of up to 16 bytes.
size_t countTogether(const std::vector<Leaf>& leaves, size_t first)
{
    const Leaf& begin = leaves[first];
    size_t count = 1;
    while (first + count < leaves.size() && leaves[first + count].bytes == begin.bytes &&
           isWide(leaves[first + count].lane) == isWide(begin.lane) &&
           leaves[first + count].byteOffset == begin.byteOffset + count * begin.bytes &&
           (count + 1) * begin.bytes <= kMostAccessed)
        ++count;
    while (count > 1 && !std::has_single_bit(count * begin.bytes))
        --count;
    return count;
}

}  // namespace

/// Loads or stores all leaves of a type.
void MemoryLowering::accessLeaves(Access access, const llvm::Instruction& instr, const llvm::Value* pointer,
                                  llvm::Type* type, const Parts& values, unsigned alignment)
{
    const std::vector<Leaf> all = leavesOf(m_builder.layout(), type, &instr);
    const bool isStore = access == Access::Store;
    MemoryInfo base = m_addresses.addressOf(*pointer);
    m_accesses.describe(base, instr, pointer, isStore ? trace::SiteKind::Store : trace::SiteKind::Load, type);
    m_shapes.checkAccess(instr, *pointer, base.staticSite, isStore);
    const trace::Space space = spaceOf(pointer);
    if (!isStore && all.size() == 1)
        m_recorder.noteLoad(instr, base.site, space == trace::Space::Shared || space == trace::Space::Local);
    if (isStore)
        m_matrices.noteWritten(*instr.getOperand(0), base.site);
    else
        m_matrices.noteLoad(instr, base.site);
    for (size_t first = 0; first < all.size();) {
        const size_t count = countTogether(all, first);
        const unsigned bytes = all[first].bytes;
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            throw Unsupported{"an access of " + std::to_string(bytes) + " bytes: '" + describe(instr) + "'", &instr};
        MemoryInfo info = base;
        info.offset += static_cast<int64_t>(all[first].byteOffset);
        info.bytes = static_cast<uint8_t>(bytes);
        info.components = static_cast<uint8_t>(count);
        info.wide = isWide(all[first].lane);
        info.alignment =
            all.size() == count
                ? static_cast<unsigned>(demandedAlignment(instr, count * bytes, kMostAccessed, m_builder.layout()))
                : std::min(alignment, static_cast<unsigned>(count * bytes));
        if (all[first].byteOffset % info.alignment)
            info.alignment = 1;
        for (size_t i = 0; i < count; ++i)
            info.values[i] = values[first + i];
        if (all.size() == 1)
            foresee(instr, info);
        emitAccess(access, instr, pointer, info);
        first += count;
    }
}

/// Whether that is certainly a struct that was handed to the kernel and is only read: the host has written it.
bool MemoryLowering::isInParameter(const llvm::Value& pointer) const
{
    const auto* argument = dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(&pointer));
    return m_analysis.isKernel() && argument && argument->hasByValAttr() &&
           m_builder.program().parameters[argument->getArgNo()].parameterSlot != 0;
}

/// Notes where it lies in blocks that are foreseen, if that is known.
void MemoryLowering::foresee(const llvm::Instruction& instr, MemoryInfo& info) const
{
    const ForeseenReader* const reader = m_builder.foreseen();
    const auto place = reader ? reader->placeOf(instr) : std::nullopt;
    const bool isScalar = info.values[0].form == Form::Scalar && llvm::isa<llvm::LoadInst>(instr);
    if (!place || !info.isPlain || info.alignment > info.bytes || (isScalar && place->isRow))
        return;
    info.foreseen = place->index;
    info.foreseenGroup = place->group;
    info.isForeseenRow = place->isRow;
}

void MemoryLowering::emitAccess(Access access, const llvm::Instruction& instr, const llvm::Value* pointer,
                                MemoryInfo info)
{
    const bool isStore = access == Access::Store;
    if (isStore || info.values[0].form == Form::Vector)
        m_patterns.use(info, *pointer);
    m_builder.program().memory.push_back(info);
    const MemoryInfo& kept = m_builder.program().memory.back();
    const trace::Space space = spaceOf(pointer);
    if (!isStore && instr.getType()->isPointerTy() &&
        (space == trace::Space::Shared || space == trace::Space::Global) && !isInParameter(*pointer))
        m_code.emit(runCheckPointers, &instr).imm = reinterpret_cast<uint64_t>(&kept);
    Instr& emitted = m_code.emit(isStore ? m_builder.handlers().store(kept) : m_builder.handlers().load(kept), &instr);
    emitted.imm = reinterpret_cast<uint64_t>(&kept);
    emitted.a = !isStore && onlyMultiplyAddReads(instr);
    m_flows.describeMemory(isStore ? FlowKind::Store : FlowKind::Load, instr);
}

void MemoryLowering::lowerLoad(llvm::LoadInst& instr)
{
    if (const llvm::AllocaInst* variable = m_analysis.promoted(instr.getPointerOperand()))
        return m_values.loadVariable(instr, *variable);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().noteHandingOver(mayReachOtherBlocks(instr, instr.getPointerOperand()));
    Parts out = m_values.destinations(instr);
    accessLeaves(Access::Load, instr, instr.getPointerOperand(), instr.getType(), out,
                 static_cast<unsigned>(instr.getAlign().value()));
}

void MemoryLowering::lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& variable)
{
    m_values.storeVariable(instr, variable);
    m_patterns.note(variable);
    m_recorder.recordStore(instr, variable);
}

void MemoryLowering::lowerStore(llvm::StoreInst& instr)
{
    if (const llvm::AllocaInst* variable = m_analysis.promoted(instr.getPointerOperand()))
        return lowerVariableStore(instr, *variable);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().noteHandingOver(mayReachOtherBlocks(instr, instr.getPointerOperand()));
    Parts values = m_values.parts(instr.getValueOperand());
    accessLeaves(Access::Store, instr, instr.getPointerOperand(), instr.getValueOperand()->getType(), values,
                 static_cast<unsigned>(instr.getAlign().value()));
}

namespace {

/// What a copy demands of its addresses: of a struct that is copied whole, its own alignment.
uint32_t alignmentOfCopy(llvm::MaybeAlign declared, const llvm::Value* length)
{
    const auto* bytes = dyn_cast<llvm::ConstantInt>(length);
    const auto alignment = static_cast<uint32_t>(std::min<uint64_t>(declared.valueOrOne().value(), kMostAccessed));
    // Pieces are as large as the length allows, so that none is less aligned than the whole.
    return bytes && bytes->getZExtValue() % alignment == 0 ? alignment : 1;
}

}  // namespace

void MemoryLowering::copyBytes(const llvm::Instruction& instr, uint32_t to, uint32_t from, uint32_t length,
                               const llvm::Value* toPointer, const llvm::Value* fromPointer)
{
    std::array<MemoryInfo, 2> infos;
    if (const auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
        infos[0].alignment = alignmentOfCopy(copy->getSourceAlign(), copy->getLength());
        infos[1].alignment = alignmentOfCopy(copy->getDestAlign(), copy->getLength());
    }
    llvm::Type* byte = llvm::Type::getInt8Ty(instr.getContext());
    m_accesses.describe(infos[0], instr, fromPointer, trace::SiteKind::Load, byte);
    m_accesses.describe(infos[1], instr, toPointer, trace::SiteKind::Store, byte);
    m_builder.program().copies.push_back(infos);
    Instr& emitted = m_code.emit(runMemoryCopy, &instr);
    emitted.dst = to;
    emitted.a = from;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(m_builder.program().copies.back().data());
}

bool MemoryLowering::lowerIntrinsic(llvm::CallInst& instr)
{
    if (auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
        uint32_t to = m_operations.asVector(m_values.operand(copy->getRawDest()), LaneType::I64);
        uint32_t from = m_operations.asVector(m_values.operand(copy->getRawSource()), LaneType::I64);
        uint32_t length = m_operations.asVector(m_values.operand(copy->getLength()), LaneType::I64);
        copyBytes(instr, to, from, length, copy->getRawDest(), copy->getRawSource());
        return true;
    }
    auto* set = dyn_cast<llvm::MemSetInst>(&instr);
    if (!set)
        return false;
    uint32_t to = m_operations.asVector(m_values.operand(set->getRawDest()), LaneType::I64);
    uint32_t value = m_operations.asVector(m_values.operand(set->getValue()), LaneType::I32);
    uint32_t length = m_operations.asVector(m_values.operand(set->getLength()), LaneType::I64);
    MemoryInfo info;
    m_accesses.describe(info, instr, set->getRawDest(), trace::SiteKind::Store,
                        llvm::Type::getInt8Ty(instr.getContext()));
    m_builder.program().memory.push_back(info);
    Instr& emitted = m_code.emit(runMemorySet, &instr);
    emitted.dst = to;
    emitted.a = value;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
    return true;
}

}  // namespace lanescope::simt
