// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/file_values.h"

#include <algorithm>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace lanescope::simt::native {
namespace {

/// Whether a call may look at memory that its arguments do not say.
bool mayTouchAnything(const llvm::CallBase& call)
{
    return !llvm::isa<llvm::IntrinsicInst>(call) && !call.doesNotAccessMemory();
}

}  // namespace

bool isToldOfWarp(const llvm::CallBase& call)
{
    const llvm::Value* const warp = call.getFunction()->getArg(1);
    return std::any_of(call.arg_begin(), call.arg_end(), [&](const llvm::Use& use) { return use.get() == warp; });
}

bool isExitMark(const llvm::Instruction& instr)
{
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr);
    return call && call->getCalledFunction() && call->getCalledFunction()->getName() == kExitMark;
}

void eraseExitMarks(llvm::Function& function)
{
    for (llvm::Instruction& instr : llvm::make_early_inc_range(llvm::instructions(function)))
        if (isExitMark(instr))
            instr.eraseFromParent();
}

FileValues::FileValues(llvm::Function& function, WarpFile file, TouchedBy touchedBy)
    : m_function(function), m_file(file), m_touchedBy(std::move(touchedBy))
{
    if (file.start)
        find(file.start, 0);
    for (llvm::Instruction& instr : llvm::instructions(function)) {
        auto* const call = llvm::dyn_cast<llvm::CallBase>(&instr);
        if (!call)
            continue;
        if (isExitMark(instr)) {
            m_marks.push_back(call);
        } else if (mayTouchAnything(*call)) {
            m_calls[call] = m_touchedBy(*call);
            m_callsInOrder.push_back(call);
        }
    }
}

/// The pieces of [offset, offset + bytes); \p whole: those that all of them are in it.
Pieces FileValues::covered(uint64_t offset, uint64_t bytes, bool whole) const
{
    const uint64_t each = m_file.bytesPerPiece, end = offset + bytes;
    const uint64_t first = whole ? (offset + each - 1) / each : offset / each;
    const uint64_t last = whole ? end / each : (end + each - 1) / each;
    Pieces pieces(m_file.pieces);
    if (first < last)
        pieces.set(static_cast<unsigned>(first), static_cast<unsigned>(std::min<uint64_t>(last, m_file.pieces)));
    return pieces;
}

void FileValues::find(llvm::Value* pointer, uint64_t offset)
{
    const llvm::DataLayout& layout = m_function.getDataLayout();
    for (llvm::Use& use : pointer->uses()) {
        auto* const gep = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
        llvm::APInt distance(64, 0);
        if (gep && use.getOperandNo() == 0 && gep->accumulateConstantOffset(layout, distance))
            find(gep, offset + distance.getZExtValue());
        else
            m_areKnown = m_areKnown && addAccess(use, offset);
    }
}

bool FileValues::addAccess(llvm::Use& use, uint64_t offset)
{
    auto* const instr = llvm::cast<llvm::Instruction>(use.getUser());
    const llvm::DataLayout& layout = m_function.getDataLayout();
    Access access{instr, use.getOperandNo(), offset, 0, false, false};
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instr)) {
        access.bytes = layout.getTypeStoreSize(load->getType()).getFixedValue();
        access.reads = true;
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(instr)) {
        if (use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex())
            return false;
        access.bytes = layout.getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
        access.writes = true;
    } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(instr)) {
        const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
        if (!length)
            return false;
        access.bytes = length->getZExtValue();
        access.writes = use.getOperandNo() == 0;
        access.reads = !access.writes;
    } else {
        // Of calls that are told of the warp it is known what they look at.
        const auto* call = llvm::dyn_cast<llvm::CallBase>(instr);
        return call && call->isArgOperand(&use) && isToldOfWarp(*call);
    }
    if (offset + access.bytes > uint64_t{m_file.pieces} * m_file.bytesPerPiece)
        return false;
    m_byInstruction[instr].push_back(m_accesses.size());
    m_accesses.push_back(access);
    return true;
}

/// What is written behind \p block's instructions, \p written being so before. Calls \p visit of each before it runs.
/// \p mayBe: on any way, and not in the register file yet.
void FileValues::passBlock(const llvm::BasicBlock& block, Pieces& written, bool mayBe,
                           const std::function<void(const llvm::Instruction&, const Pieces&)>& visit) const
{
    for (const llvm::Instruction& instr : block) {
        if (visit)
            visit(instr, written);
        if (const auto found = m_byInstruction.find(&instr); found != m_byInstruction.end())
            for (const size_t i : found->second)
                if (m_accesses[i].writes)
                    written |= covered(m_accesses[i].offset, m_accesses[i].bytes, !mayBe);
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr); call && mayBe)
            if (const auto found = m_calls.find(call); found != m_calls.end())
                written.reset(found->second.reads).reset(found->second.writes);
    }
}

FileValues::AtBegin FileValues::writtenAtBegin(bool onAnyWay) const
{
    AtBegin at;
    for (const llvm::BasicBlock& block : m_function)
        at[&block] = Pieces(m_file.pieces, !onAnyWay && !block.isEntryBlock());
    const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&m_function);
    for (bool changes = true; changes;) {
        changes = false;
        for (const llvm::BasicBlock* block : order) {
            Pieces written = at[block];
            passBlock(*block, written, onAnyWay, {});
            for (const llvm::BasicBlock* next : llvm::successors(block)) {
                Pieces& there = at[next];
                Pieces before = there;
                if (onAnyWay)
                    there |= written;
                else
                    there &= written;
                changes |= there != before;
            }
        }
    }
    return at;
}

Pieces FileValues::exposed() const
{
    Pieces found(m_file.pieces);
    const auto addMissing = [&](Pieces read, const Pieces& written) {
        read.reset(written);
        found |= read;
    };
    const AtBegin at = writtenAtBegin(/*onAnyWay=*/false);
    for (const llvm::BasicBlock& block : m_function) {
        Pieces written = at.lookup(&block);
        passBlock(block, written, false, [&](const llvm::Instruction& instr, const Pieces& before) {
            if (const auto known = m_byInstruction.find(&instr); known != m_byInstruction.end())
                for (const size_t i : known->second)
                    if (m_accesses[i].reads)
                        addMissing(covered(m_accesses[i].offset, m_accesses[i].bytes, false), before);
            if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instr))
                if (const auto known = m_calls.find(call); known != m_calls.end())
                    addMissing(known->second.reads, before);
        });
    }
    return found;
}

/// What is not written as long as the function runs is read but once.
void FileValues::markUnwritten() const
{
    Pieces written(m_file.pieces);
    for (const auto& [call, touched] : m_calls)
        written |= touched.writes;
    for (const Access& access : m_accesses)
        if (access.writes)
            written |= covered(access.offset, access.bytes, false);
    llvm::LLVMContext& context = m_function.getContext();
    for (const Access& access : m_accesses)
        if (llvm::isa<llvm::LoadInst>(access.instr) && !written.anyCommon(covered(access.offset, access.bytes, false)))
            access.instr->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context, {}));
}

/// Pieces that one access touches are one group. What is only read stays where it is.
void FileValues::placeGroups()
{
    Pieces starts(m_file.pieces + 1, true), used(m_file.pieces), written(m_file.pieces);
    for (const Access& access : m_accesses) {
        const Pieces pieces = covered(access.offset, access.bytes, false);
        used |= pieces;
        if (access.writes)
            written |= pieces;
        for (int piece = pieces.find_first(), i = 0; piece >= 0; piece = pieces.find_next(static_cast<unsigned>(piece)))
            if (i++ > 0)
                starts.reset(static_cast<unsigned>(piece));
    }
    llvm::IRBuilder<> builder(&m_function.getEntryBlock(), m_function.getEntryBlock().begin());
    llvm::Type* const word = builder.getInt32Ty();
    for (int piece = used.find_first(); piece >= 0;) {
        Group group;
        group.first = static_cast<unsigned>(piece);
        group.end = group.first + 1;
        while (group.end < m_file.pieces && !starts[group.end])
            ++group.end;
        piece = used.find_next(group.end - 1);
        if (written.find_first_in(group.first, group.end) < 0)
            continue;
        const unsigned bytes = (group.end - group.first) * m_file.bytesPerPiece;
        llvm::Type* const type = bytes <= sizeof(uint64_t) ? static_cast<llvm::Type*>(builder.getIntNTy(bytes * 8))
                                                           : llvm::FixedVectorType::get(word, bytes / 4);
        group.values = builder.CreateAlloca(type);
        group.values->setAlignment(llvm::Align(std::min(bytes, kPieceBytes)));
        m_groups.push_back(group);
    }
}

/// \p value, of \p group, where lanes are active; else what is in the file already.
llvm::Value* FileValues::blended(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* inFile,
                                 const Group& group) const
{
    auto* const type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (!m_file.mask || !type)
        return value;
    std::vector<uint32_t> lanes;
    for (unsigned i = 0; i < type->getNumElements(); ++i)
        lanes.push_back(m_file.laneAt(uint64_t{group.first} * m_file.bytesPerPiece + i * sizeof(uint32_t)));
    llvm::Value* const active =
        builder.CreateAnd(builder.CreateVectorSplat(type->getNumElements(), m_file.mask),
                          llvm::ConstantDataVector::get(builder.getContext(), llvm::ArrayRef(lanes)));
    return builder.CreateSelect(
        builder.CreateICmpNE(active, llvm::Constant::getNullValue(type)), value,
        builder.CreateAlignedLoad(type, inFile, llvm::Align(std::min(m_file.bytesPerPiece, kPieceBytes))));
}

/// Where the file is before \p before is executed.
llvm::Value* FileValues::startAt(llvm::Instruction& before) const
{
    if (!m_file.mayMove)
        return m_file.start;
    llvm::Instruction* const again = llvm::cast<llvm::LoadInst>(m_file.start)->clone();
    again->insertBefore(before.getIterator());
    return again;
}

/// Copies the groups of which \p pieces has any between values and register file.
void FileValues::copy(llvm::Instruction& before, const Pieces& pieces, bool toFile)
{
    llvm::Value* start = nullptr;
    llvm::IRBuilder<> builder(&before);
    for (const Group& group : m_groups) {
        bool isWanted = false;
        for (unsigned piece = group.first; piece < group.end; ++piece)
            isWanted |= pieces[piece];
        if (!isWanted)
            continue;
        if (!start)
            start = startAt(before);
        llvm::Type* const type = group.values->getAllocatedType();
        const llvm::Align align(std::min(m_file.bytesPerPiece, kPieceBytes));
        llvm::Value* const inFile = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), start,
                                                                       uint64_t{group.first} * m_file.bytesPerPiece);
        if (toFile)
            builder.CreateAlignedStore(
                blended(builder, builder.CreateAlignedLoad(type, group.values, align), inFile, group), inFile, align);
        else
            builder.CreateAlignedStore(builder.CreateAlignedLoad(type, inFile, align), group.values, align);
    }
}

void FileValues::make(const WantedBehind& wantedBehind)
{
    if (m_file.start && m_areKnown) {
        // Where they are written back is found out while accesses are still those of the register file.
        llvm::DenseMap<const llvm::Instruction*, Pieces> writtenBefore;
        const AtBegin at = writtenAtBegin(/*onAnyWay=*/true);
        for (const llvm::BasicBlock& block : m_function) {
            Pieces written = at.lookup(&block);
            passBlock(block, written, true, [&](const llvm::Instruction& instr, const Pieces& before) {
                if (llvm::isa<llvm::CallBase>(instr))
                    writtenBefore[&instr] = before;
            });
        }
        markUnwritten();
        placeGroups();
        for (const Access& access : m_accesses)
            for (const Group& group : m_groups)
                if (access.offset / m_file.bytesPerPiece >= group.first &&
                    access.offset / m_file.bytesPerPiece < group.end) {
                    llvm::IRBuilder<> builder(access.instr);
                    access.instr->setOperand(access.operand,
                                             builder.CreateConstInBoundsGEP1_64(
                                                 builder.getInt8Ty(), group.values,
                                                 access.offset - uint64_t{group.first} * m_file.bytesPerPiece));
                }
        for (const llvm::CallBase* known : m_callsInOrder) {
            auto& call = const_cast<llvm::CallBase&>(*known);
            const Touched& touched = m_calls[known];
            Pieces reads = touched.reads;
            reads &= writtenBefore[known];
            copy(call, reads, /*toFile=*/true);
            copy(*call.getNextNode(), touched.writes, /*toFile=*/false);
        }
        for (llvm::CallBase* mark : m_marks) {
            Pieces wanted = wantedBehind(*mark);
            wanted &= writtenBefore[mark];
            copy(*mark, wanted, /*toFile=*/true);
        }
        // What is read before it is written comes from the register file; what is not goes away again.
        if (auto* const load = llvm::dyn_cast<llvm::Instruction>(m_file.start))
            copy(*load->getNextNode(), Pieces(m_file.pieces, true), /*toFile=*/false);
        else
            copy(*m_function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca(), Pieces(m_file.pieces, true),
                 /*toFile=*/false);
    }
}

}  // namespace lanescope::simt::native
