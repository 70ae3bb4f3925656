// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier objects, and the copies in bulk that report to them. An object is a word of 64 bits which its operations
// only add to: pending arrivals in bits 0 to 15, expected ones from 16 on, the phase from 32 on, and on top, from 43
// on, the bytes that are still to come. The phase is over when neither arrivals nor bytes are pending; who makes it so
// begins the next. A state is the word before its arrival.
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "core/simt/ptx/atomic_operation.h"
#include "core/simt/ptx/ptx_translator.h"
#include "core/simt/ptx/shared_window.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::Value;

namespace {

constexpr uint64_t kCountMask = 0xffff;
constexpr unsigned kExpectedShift = 16;
constexpr unsigned kPhaseShift = 32;
constexpr uint64_t kPhaseMask = 0x7ff;
constexpr unsigned kBytesShift = 43;

bool namesShared(const PtxStatement& s)
{
    for (const std::string& part : s.opcode)
        if (part == "shared" || part.starts_with("shared::"))
            return true;
    return false;
}

}  // namespace

void PtxTranslator::fenceBlock()
{
    m_build.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, clusterScope(m_build.getContext()));
}

Value* PtxTranslator::addToBarrier(Value* barrier, Value* delta)
{
    return m_build.CreateAtomicRMW(llvm::AtomicRMWInst::Add, barrier, delta, llvm::Align(8),
                                   llvm::AtomicOrdering::Monotonic, arrivalScope(m_build.getContext()));
}

/// Adds \p delta, which releases and does not acquire, and begins the next phase if nothing is pending then. Returns
/// the word as it was.
Value* PtxTranslator::arriveAtBarrier(Value* barrier, Value* delta)
{
    fenceBlock();
    Value* before = addToBarrier(barrier, delta);
    Value* after = m_build.CreateAdd(before, delta);
    Value* pending = m_build.CreateOr(m_build.CreateAnd(after, kCountMask), m_build.CreateLShr(after, kBytesShift));
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    m_build.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(m_build.CreateIsNull(pending), next, false));
    Value* expected = m_build.CreateAnd(m_build.CreateLShr(after, kExpectedShift), kCountMask);
    Value* phase = m_build.CreateAnd(m_build.CreateLShr(after, kPhaseShift), kPhaseMask);
    Value* following = m_build.CreateAnd(m_build.CreateAdd(phase, m_build.getInt64(1)), kPhaseMask);
    Value* turn = m_build.CreateShl(m_build.CreateSub(following, phase), kPhaseShift);
    addToBarrier(barrier, m_build.CreateAdd(expected, turn));
    m_build.SetInsertPoint(next);
    return before;
}

/// griddepcontrol.wait, which the checks are told of, and .launch_dependents: when dependents begin is not asked, for
/// whoever has not waited comes too early at any time.
void PtxTranslator::controlDependents(const PtxStatement& s)
{
    if (s.opcode.size() != 2 || !s.operands.empty())
        unknown(s);
    if (s.opcode[1] == "wait")
        intrinsic("__ls_grid_wait", m_build.getVoidTy(), {});
    else if (s.opcode[1] != "launch_dependents")
        unknown(s);
}

/// Lets the checks know what will be done to an object at once, or, of waits, was. So they know of each phase that is
/// over before anybody sees it.
void PtxTranslator::noteBarrier(PhaseOperation operation, Value* barrier, Value* amount)
{
    Value* pointer = m_build.CreateAddrSpaceCast(barrier, m_build.getPtrTy());
    intrinsic("__ls_phase_barrier", m_build.getVoidTy(),
              {m_build.getInt32(static_cast<uint32_t>(operation)), pointer, m_build.CreateTrunc(amount, bits(32))});
}

/// mbarrier.init, .inval, .arrive, .arrive_drop, .expect_tx, .complete_tx, .test_wait, .try_wait, .pending_count
void PtxTranslator::memoryBarrier(const PtxStatement& s)
{
    const std::string& operation = s.opcode.at(1);
    const auto number = [&](size_t index) { return m_build.CreateZExt(get(s, index, bits(32)), bits(64)); };
    const auto bytes = [&](size_t index) { return m_build.CreateShl(number(index), kBytesShift); };
    const auto barrier = [&](size_t index) { return address(s.operands.at(index), namesShared(s)); };
    if (operation == "pending_count")
        return set(s, 0, m_build.CreateTrunc(m_build.CreateAnd(get(s, 1, bits(64)), kCountMask), bits(32)));
    if (operation == "inval")
        return noteBarrier(PhaseOperation::Invalidate, barrier(0), m_build.getInt64(0));
    if (operation == "init") {
        Value* count = m_build.CreateAnd(number(1), kCountMask);
        Value* word = m_build.CreateOr(count, m_build.CreateShl(count, kExpectedShift));
        m_build.CreateAlignedStore(word, barrier(0), llvm::Align(8));
        noteBarrier(PhaseOperation::Init, barrier(0), count);
    } else if (operation == "expect_tx") {
        noteBarrier(PhaseOperation::Expect, barrier(0), number(1));
        addToBarrier(barrier(0), bytes(1));
    } else if (operation == "complete_tx") {
        noteBarrier(PhaseOperation::Came, barrier(0), number(1));
        arriveAtBarrier(barrier(0), m_build.CreateNeg(bytes(1)));
    } else if (operation == "arrive" || operation == "arrive_drop") {
        const bool expects = s.has("expect_tx");
        Value* count = !expects && s.operands.size() > 2 ? number(2) : m_build.getInt64(1);
        Value* delta = m_build.CreateNeg(count);
        if (operation == "arrive_drop")
            delta = m_build.CreateSub(delta, m_build.CreateShl(count, kExpectedShift));
        if (expects)
            delta = m_build.CreateAdd(delta, bytes(2));
        if (expects)
            noteBarrier(PhaseOperation::Expect, barrier(1), number(2));
        noteBarrier(operation == "arrive" ? PhaseOperation::Arrive : PhaseOperation::Drop, barrier(1), count);
        set(s, 0, arriveAtBarrier(barrier(1), delta));
    } else if (operation == "test_wait" || operation == "try_wait") {
        llvm::LoadInst* word = m_build.CreateAlignedLoad(bits(64), barrier(1), llvm::Align(8));
        word->setAtomic(llvm::AtomicOrdering::Monotonic, arrivalScope(m_build.getContext()));
        Value* phase = m_build.CreateAnd(m_build.CreateLShr(word, kPhaseShift), kPhaseMask);
        Value* isOver = nullptr;
        if (s.has("parity")) {
            isOver = m_build.CreateICmpNE(m_build.CreateAnd(phase, 1), m_build.CreateAnd(number(2), 1));
        } else {
            Value* awaited = m_build.CreateAnd(m_build.CreateLShr(get(s, 2, bits(64)), kPhaseShift), kPhaseMask);
            isOver = m_build.CreateICmpNE(phase, awaited);
        }
        noteBarrier(PhaseOperation::Wait, barrier(1), m_build.CreateZExt(m_build.CreateNot(isOver), bits(32)));
        fenceBlock();  // whose wait is over has acquired by that note, and now knows
        set(s, 0, isOver);
    } else {
        unknown(s);
    }
}

/// Bytes have been written that the phase of a barrier waits for.
void PtxTranslator::completeBytes(const PtxStatement& s, Value* barrier, Value* size)
{
    if (!s.has("mbarrier::complete_tx::bytes"))
        unknown(s);
    noteBarrier(PhaseOperation::Came, barrier, size);
    arriveAtBarrier(barrier, m_build.CreateNeg(m_build.CreateShl(m_build.CreateZExt(size, bits(64)), kBytesShift)));
}

/// Lets the checks know that an operation has read shared memory which goes on reading until its group is waited for.
void PtxTranslator::noteRead(AsyncStream stream, Value* from, Value* bytes)
{
    intrinsic("__ls_async_read", m_build.getVoidTy(),
              {m_build.getInt32(static_cast<uint32_t>(stream)), m_build.CreateAddrSpaceCast(from, m_build.getPtrTy()),
               m_build.CreateZExtOrTrunc(bytes, bits(32))});
}

/// Lets the simulator know of a copy into shared memory that comes next: it may take it back, to make it at its wait.
void PtxTranslator::noteCopyBegins(Value* to, Value* bytes)
{
    intrinsic("__ls_async_begin", m_build.getVoidTy(), {m_build.CreateAddrSpaceCast(to, m_build.getPtrTy()), bytes});
}

/// And of a copy into shared memory, which goes on until the phase of its barrier is waited for.
void PtxTranslator::noteBulkCopy(Value* to, Value* bytes, Value* barrier)
{
    intrinsic("__ls_async_bulk", m_build.getVoidTy(),
              {m_build.CreateAddrSpaceCast(to, m_build.getPtrTy()), bytes,
               m_build.CreateAddrSpaceCast(barrier, m_build.getPtrTy())});
}

/// .commit_group, and .wait_group n.
void PtxTranslator::endGroup(const PtxStatement& s, AsyncStream stream)
{
    Value* number = m_build.getInt32(static_cast<uint32_t>(stream));
    if (s.has("commit_group"))
        intrinsic("__ls_async_read_commit", m_build.getVoidTy(), {number});
    else
        intrinsic("__ls_async_read_wait", m_build.getVoidTy(), {number, get(s, 0, bits(32))});
}

/// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes[.multicast::cluster] [to], [from], size,
/// [barrier], from one block's shared memory to another's likewise, and cp.async.bulk.global.shared::cta.bulk_group
/// [to], [from], size: all copy at once.
void PtxTranslator::copyBulk(const PtxStatement& s)
{
    if (s.has("prefetch"))
        return;
    if (s.has("commit_group") || s.has("wait_group"))
        return endGroup(s, AsyncStream::Bulk);
    const bool reports = s.has("mbarrier::complete_tx::bytes");
    if (reports == s.has("bulk_group"))
        unknown(s);
    Value* size = get(s, 2, bits(32));
    Value *to = address(s.operands.at(0), reports), *from = address(s.operands.at(1), !s.has("global") || !reports);
    const auto copy = [&](Value* target) {
        m_build.CreateMemCpy(target, llvm::Align(16), from, llvm::Align(16), m_build.CreateZExt(size, bits(64)));
    };
    if (!reports) {
        intrinsic("__ls_async_write", m_build.getVoidTy(),
                  {m_build.CreateAddrSpaceCast(to, m_build.getPtrTy()),
                   m_build.CreateAddrSpaceCast(from, m_build.getPtrTy()), size});
        copy(to);
        return noteRead(AsyncStream::Bulk, from, size);
    }
    Value* barrier = address(s.operands.at(3), true);
    if (s.has("multicast::cluster"))
        return forRanks(get(s, 4, bits(16)), [&](Value* rank) {
            noteCopyBegins(pointerInRank(to, rank), size);
            copy(pointerInRank(to, rank));
            noteBulkCopy(pointerInRank(to, rank), size, pointerInRank(barrier, rank));
            completeBytes(s, pointerInRank(barrier, rank), size);
        });
    noteCopyBegins(to, size);
    copy(to);
    noteBulkCopy(to, size, barrier);
    completeBytes(s, barrier, size);
}

namespace {

/// With which an update leaves what is there; null: there is no such operand.
llvm::Constant* unchangingOperand(llvm::AtomicRMWInst::BinOp operation, llvm::Type* type)
{
    using Rmw = llvm::AtomicRMWInst;
    const auto integer = [&](const llvm::APInt& bits) { return llvm::ConstantInt::get(type, bits); };
    const unsigned width = type->getScalarSizeInBits();
    switch (operation) {
    case Rmw::Add:
    case Rmw::Or:
    case Rmw::Xor:
    case Rmw::UMax:
        return llvm::Constant::getNullValue(type);
    case Rmw::And:
    case Rmw::UMin:
        return llvm::Constant::getAllOnesValue(type);
    case Rmw::Max:
        return integer(llvm::APInt::getSignedMinValue(width));
    case Rmw::Min:
        return integer(llvm::APInt::getSignedMaxValue(width));
    case Rmw::FAdd:
        return llvm::ConstantFP::getNegativeZero(type);
    default:
        return nullptr;
    }
}

}  // namespace

/// Lets the simulator know of a reduction of global memory that comes next: true where it makes it at its wait, so that
/// nothing may change here.
Value* PtxTranslator::noteUpdate(llvm::AtomicRMWInst::BinOp operation, Value* to, Value* from, Value* bytes,
                                 const llvm::Type* type)
{
    const uint32_t code = static_cast<uint32_t>(atomicOperation(operation, *type).value()) |
                          (type->isFPOrFPVectorTy() ? 1u << 8 : 0) | (widthOf(type) / 8) << 16;
    return m_build.CreateIsNotNull(
        intrinsic("__ls_async_update", bits(32),
                  {m_build.getInt32(code), m_build.CreateAddrSpaceCast(to, m_build.getPtrTy()),
                   m_build.CreateAddrSpaceCast(from, m_build.getPtrTy()), bytes}));
}

/// cp.reduce.async.bulk.global.shared::cta.bulk_group.op.type [to], [from], size, and to the shared memory of a
/// cluster's block with a barrier: element by element, atomically.
void PtxTranslator::reduceBulk(const PtxStatement& s)
{
    const bool reports = s.has("mbarrier::complete_tx::bytes");
    llvm::Type* type = lastType(s);
    const bool isFloat = type->isFPOrFPVectorTy();
    const auto operation = atomicOperationOf(s, type);
    if (reports == s.has("bulk_group") || widthOf(type) < 16 || type->isVectorTy() || !operation)
        unknown(s);
    const bool isExtremeOfFloats = isFloat && !s.has("add");
    if (isExtremeOfFloats)
        unknown(s);
    Value* size = get(s, 2, bits(32));
    Value *to = address(s.operands.at(0), reports), *from = address(s.operands.at(1), true);
    const unsigned bytes = widthOf(type) / 8;
    llvm::Constant* unchanging = reports ? nullptr : unchangingOperand(*operation, type);
    Value* isLate = unchanging ? noteUpdate(*operation, to, from, size, type) : nullptr;
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    Value* count = m_build.CreateUDiv(size, m_build.getInt32(bytes));
    // A count of nothing copies nothing; the loop runs at least once.
    m_build.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(m_build.CreateIsNotNull(count), next, false));
    llvm::Instruction* inside = &*m_build.GetInsertPoint();
    const auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(count, inside);
    m_build.SetInsertPoint(body);
    Value* value = m_build.CreateAlignedLoad(type, m_build.CreateGEP(type, from, index), llvm::Align(bytes));
    if (isLate)
        value = m_build.CreateSelect(isLate, unchanging, value);
    m_build.CreateAtomicRMW(*operation, m_build.CreateGEP(type, to, index), value, llvm::MaybeAlign(),
                            llvm::AtomicOrdering::Monotonic);
    m_build.SetInsertPoint(next);
    if (reports)
        return completeBytes(s, address(s.operands.at(3), true), size);
    noteRead(AsyncStream::Bulk, from, size);
}

/// Does \p body for each rank whose bit \p ranks has.
void PtxTranslator::forRanks(Value* ranks, llvm::function_ref<void(Value* rank)> body)
{
    constexpr uint32_t kMostRanks = 16;
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    const auto [inside, rank] = llvm::SplitBlockAndInsertSimpleForLoop(m_build.getInt32(kMostRanks), next);
    m_build.SetInsertPoint(inside);
    Value* bit = m_build.CreateAnd(m_build.CreateLShr(m_build.CreateZExt(ranks, bits(32)), rank), 1);
    m_build.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(m_build.CreateIsNotNull(bit), inside, false));
    body(rank);
    m_build.SetInsertPoint(next);
}

/// The same place in the shared memory of the block of that rank.
Value* PtxTranslator::pointerInRank(Value* pointer, Value* rank)
{
    Value* mapped = mapToRank(m_build, m_build.CreatePtrToInt(pointer, bits(64)), rank);
    return m_build.CreateIntToPtr(mapped, m_build.getPtrTy());
}

}  // namespace lanescope::simt
