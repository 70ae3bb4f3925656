// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX instructions that touch memory or other lanes.
#include <algorithm>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "core/simt/ptx/kernel_functions.h"
#include "core/simt/ptx/ptx_translator.h"
#include "core/simt/ptx/shared_window.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

namespace {

bool isShared(const PtxStatement& s)
{
    return std::any_of(s.opcode.begin(), s.opcode.end(),
                       [](const std::string& part) { return part == "shared" || part.starts_with("shared::"); });
}

unsigned vectorLength(const PtxStatement& s)
{
    return s.has("v2") ? 2 : s.has("v4") ? 4 : s.has("v8") ? 8 : 1;
}

/// Of the memory model's strong accesses; `volatile` is one too, but says nothing of races.
bool isAtomic(const PtxStatement& s)
{
    return s.has("relaxed") || s.has("acquire") || s.has("release") || s.has("mmio");
}

llvm::SyncScope::ID scopeOf(const PtxStatement& s, llvm::IRBuilder<>& build)
{
    return s.has("cta")       ? blockScope(build.getContext())
           : s.has("cluster") ? clusterScope(build.getContext())
                              : llvm::SyncScope::ID{llvm::SyncScope::System};
}

}  // namespace

/// membar.level, fence.order.scope; fences of proxies are taken for the device's. The checks know of that for copies.
void PtxTranslator::fence(const PtxStatement& s)
{
    if (s.has("proxy") &&
        std::ranges::any_of(s.opcode, [](const std::string& part) { return part.starts_with("async"); }))
        intrinsic("__ls_async_proxy_fence", m_build.getVoidTy(), {});
    m_build.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, scopeOf(s, m_build));
}

Value* PtxTranslator::toSharedWindow(Value* address)
{
    return simt::toSharedWindow(m_build, address);
}

Value* PtxTranslator::fromSharedWindow(Value* address)
{
    return simt::fromSharedWindow(m_build, address);
}

Value* PtxTranslator::address(const PtxOperand& operand, bool shared)
{
    if (operand.kind == PtxOperand::Kind::Tensor)
        throw UnknownPtx{"address with coordinates"};
    Value* base = m_build.getInt64(0);
    if (!operand.name.empty()) {
        Value* found = read(operand.name);
        if (!found)
            return addressInVariable(operand);
        if (operand.elements.empty() && operand.integer == 0 && !shared && found->getType()->isPointerTy())
            return found;
        base = fit(found, bits(64));
    }
    for (const PtxOperand& index : operand.elements)
        base = m_build.CreateAdd(base, get(index, bits(64)));
    if (operand.integer != 0)
        base = m_build.CreateAdd(base, m_build.getInt64(static_cast<uint64_t>(operand.integer)));
    if (shared)
        base = fromSharedAddress(base);
    return m_build.CreateIntToPtr(base, m_build.getPtrTy());
}

/// [array+4]
Value* PtxTranslator::addressInVariable(const PtxOperand& operand)
{
    Value* pointer = m_names ? m_names->place(operand.name).pointer : nullptr;
    if (!pointer)
        throw UnknownPtx{"address '" + operand.name + "'"};
    const auto add = [&](Value* offset) { pointer = m_build.CreateInBoundsGEP(bits(8), pointer, offset); };
    for (const PtxOperand& index : operand.elements)
        add(m_build.CreateSExt(get(index, bits(32)), bits(64)));
    if (operand.integer != 0)
        add(m_build.getInt64(static_cast<uint64_t>(operand.integer)));
    return pointer;
}

/// The address of a variable as a number; null: there is none of that name.
Value* PtxTranslator::symbol(const PtxOperand& operand, Type* type)
{
    const PtxNames::Place place = m_names ? m_names->place(operand.name) : PtxNames::Place{};
    if (!place.pointer)
        return nullptr;
    Value* pointer = place.pointer;
    if (operand.integer != 0)
        pointer = m_build.CreateInBoundsGEP(bits(8), pointer, m_build.getInt64(static_cast<uint64_t>(operand.integer)));
    // As an instruction, whatever the pointer is, so that it can be found again (pointer_recovery.h).
    Value* address = place.isShared
                         ? windowAddress(pointer)
                         : m_build.Insert(llvm::CastInst::Create(llvm::Instruction::PtrToInt, pointer, bits(64)));
    return fit(address, type);
}

/// Through a call that stands for the arithmetic until pointers are recovered.
Value* PtxTranslator::windowAddress(Value* pointer)
{
    return pureCall(kToWindow, bits(64), pointer);
}

/// Of what goes away when nobody uses its result.
Value* PtxTranslator::pureCall(const char* name, Type* result, Value* argument)
{
    auto* call = llvm::cast<llvm::CallInst>(intrinsic(name, result, {argument}));
    call->setDoesNotAccessMemory();
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::WillReturn);
    return call;
}

/// From an address of the shared window, or a generic one, to the generic one.
Value* PtxTranslator::fromSharedAddress(Value* address)
{
    if (!m_names)
        return fromSharedWindow(address);
    return m_build.CreatePtrToInt(pureCall(kFromWindow, m_build.getPtrTy(), address), bits(64));
}

/// Of what an instruction moves between registers and memory; several of them: no pairs.
Type* PtxTranslator::elementInMemory(const PtxStatement& s)
{
    Type* type = lastType(s);
    if (widthOf(type) < 8 || (vectorLength(s) > 1 && type->isVectorTy()))
        unknown(s);
    return type;
}

/// The same of a load or store of \p registers; what has no type there is what the first register is.
Type* PtxTranslator::elementFor(const PtxStatement& s, const PtxOperand& registers)
{
    Type* type = elementInMemory(s);
    const bool isVector = registers.kind == PtxOperand::Kind::Vector && !registers.elements.empty();
    const Type* held = registerType(isVector ? registers.elements.front().name : registers.name);
    const bool isFloat = held && (held->isFloatTy() || held->isDoubleTy());
    return m_names && isFloat && s.opcode.back()[0] == 'b' && widthOf(held) == widthOf(type) ? const_cast<Type*>(held)
                                                                                             : type;
}

llvm::Align PtxTranslator::alignmentOf(const PtxStatement& s, unsigned bytes) const
{
    return llvm::Align(uint64_t{bytes} * vectorLength(s));
}

void PtxTranslator::load(const PtxStatement& s)
{
    if (loadParameter(s))
        return;
    Type* element = elementFor(s, s.operands.at(0));
    unsigned count = vectorLength(s);
    Type* type = count > 1 ? llvm::FixedVectorType::get(element, count) : element;
    auto bytes = static_cast<unsigned>(element->getPrimitiveSizeInBits() / 8);
    Value* where = address(s.operands.at(1), isShared(s));
    Value* loaded = nullptr;
    if (isAtomic(s)) {
        // A vector comes whole, which hardware gives for what is aligned.
        llvm::LoadInst* whole = m_build.CreateAlignedLoad(bits(bytes * count * 8), where, alignmentOf(s, bytes));
        whole->setAtomic(llvm::AtomicOrdering::Monotonic, scopeOf(s, m_build));
        loaded = m_build.CreateBitCast(whole, type);
    } else {
        loaded = m_build.CreateAlignedLoad(type, where, alignmentOf(s, bytes), s.has("volatile"));
    }
    if (s.has("acquire"))
        fence(s);
    bool isSigned = s.opcode.back()[0] == 's';
    auto put = [&](const PtxOperand& to, Value* value) {
        Type* target = registerType(to.name);
        // A signed load fills a wider register with its sign.
        if (isSigned && target && target->isIntegerTy())
            value = m_build.CreateSExtOrTrunc(value, target);
        set(to, value);
    };
    if (count == 1)
        return put(s.operands.at(0), loaded);
    for (unsigned i = 0; i < count; ++i)
        put(s.operands.at(0).elements.at(i), m_build.CreateExtractElement(loaded, uint64_t{i}));
}

void PtxTranslator::store(const PtxStatement& s)
{
    if (s.has("bulk"))
        unknown(s);
    if (storeParameter(s))
        return;
    Type* element = elementFor(s, s.operands.at(1));
    unsigned count = vectorLength(s);
    Value* value = nullptr;
    if (count == 1) {
        value = get(s, 1, element);
    } else {
        value = llvm::PoisonValue::get(llvm::FixedVectorType::get(element, count));
        for (unsigned i = 0; i < count; ++i)
            value = m_build.CreateInsertElement(value, get(s.operands.at(1).elements.at(i), element), uint64_t{i});
    }
    auto bytes = static_cast<unsigned>(element->getPrimitiveSizeInBits() / 8);
    if (s.has("release"))
        fence(s);
    Value* where = address(s.operands.at(0), isShared(s));
    if (s.has("async")) {
        m_build.CreateAlignedStore(value, where, alignmentOf(s, bytes));
        return completeBytes(s, address(s.operands.at(2), true), m_build.getInt32(bytes * count));
    }
    if (!isAtomic(s)) {
        m_build.CreateAlignedStore(value, where, alignmentOf(s, bytes), s.has("volatile"));
        return;
    }
    value = m_build.CreateBitCast(value, bits(bytes * count * 8));
    m_build.CreateAlignedStore(value, where, alignmentOf(s, bytes))
        ->setAtomic(llvm::AtomicOrdering::Monotonic, scopeOf(s, m_build));
}

/// None: elements of that type are not updated so.
std::optional<llvm::AtomicRMWInst::BinOp> PtxTranslator::atomicOperationOf(const PtxStatement& s, const Type* type)
{
    using Rmw = llvm::AtomicRMWInst;
    const bool isSigned = s.opcode.back()[0] == 's', isFloat = type->isFPOrFPVectorTy();
    const Rmw::BinOp op = s.has("add")    ? (isFloat ? Rmw::FAdd : Rmw::Add)
                          : s.has("min")  ? (isFloat    ? Rmw::FMin
                                             : isSigned ? Rmw::Min
                                                        : Rmw::UMin)
                          : s.has("max")  ? (isFloat    ? Rmw::FMax
                                             : isSigned ? Rmw::Max
                                                        : Rmw::UMax)
                          : s.has("and")  ? Rmw::And
                          : s.has("or")   ? Rmw::Or
                          : s.has("xor")  ? Rmw::Xor
                          : s.has("inc")  ? Rmw::UIncWrap
                          : s.has("dec")  ? Rmw::UDecWrap
                          : s.has("exch") ? Rmw::Xchg
                                          : Rmw::BAD_BINOP;
    if (op == Rmw::BAD_BINOP || (op != Rmw::Xchg && Rmw::isFPOperation(op) != isFloat))
        return std::nullopt;
    return op;
}

/// atom.op.type d, [a], b[, c] and red.op.type [a], b
void PtxTranslator::atomic(const PtxStatement& s)
{
    size_t first = s.opcode[0] == "atom" ? 1 : 0;
    Type* type = elementInMemory(s);
    if (vectorLength(s) > 1 || (type->isVectorTy() && !s.has("add")))
        unknown(s);
    Value* where = address(s.operands.at(first), isShared(s));
    constexpr auto kOrder = llvm::AtomicOrdering::Monotonic;
    const llvm::SyncScope::ID scope = scopeOf(s, m_build);
    const bool acquires = s.has("acquire") || s.has("acq_rel");
    if (s.has("release") || s.has("acq_rel"))
        fence(s);
    if (s.has("cas")) {
        if (!type->isIntegerTy())
            unknown(s);
        Value* pair = m_build.CreateAtomicCmpXchg(where, get(s, first + 1, type), get(s, first + 2, type),
                                                  llvm::MaybeAlign(), kOrder, kOrder, scope);
        if (acquires)
            fence(s);
        return set(s, 0, m_build.CreateExtractValue(pair, 0));
    }
    const std::optional<llvm::AtomicRMWInst::BinOp> op = atomicOperationOf(s, type);
    if (!op || (type->isVectorTy() && !type->isFPOrFPVectorTy()))
        unknown(s);
    Value* old = m_build.CreateAtomicRMW(*op, where, get(s, first + 1, type), llvm::MaybeAlign(), kOrder, scope);
    if (acquires)
        fence(s);
    if (first == 1)
        set(s, 0, old);
    if (s.has("async"))
        completeBytes(s, address(s.operands.at(2), true), m_build.getInt32(widthOf(type) / 8));
}

/// shfl.sync.mode.b32 d[|p], a, b, c, members
void PtxTranslator::shuffle(const PtxStatement& s)
{
    Type* word = bits(32);
    bool hasMembers = s.has("sync");
    const char* mode = s.has("up") ? "up" : s.has("down") ? "down" : s.has("bfly") ? "bfly" : "idx";
    Value* members = hasMembers ? get(s, 4, word) : intrinsic("llvm.nvvm.activemask", word, {});
    Value* both = intrinsic(std::string("llvm.nvvm.shfl.sync.") + mode + ".i32p", llvm::StructType::get(word, bits(1)),
                            {members, get(s, 1, word), get(s, 2, word), get(s, 3, word)});
    Value* value = m_build.CreateExtractValue(both, 0);
    if (s.operands.at(0).kind != PtxOperand::Kind::Pair)
        return set(s, 0, value);
    set(s.operands.at(0).elements.at(0), value);
    set(s.operands.at(0).elements.at(1), m_build.CreateExtractValue(both, 1));
}

void PtxTranslator::vote(const PtxStatement& s)
{
    const char* mode = s.has("all") ? "all" : s.has("any") ? "any" : s.has("uni") ? "uni" : "ballot";
    if (!s.has(mode))
        unknown(s);
    Type* result = s.has("ballot") ? bits(32) : bits(1);
    Value* members = s.has("sync") ? get(s, 2, bits(32)) : intrinsic("llvm.nvvm.activemask", bits(32), {});
    set(s, 0,
        intrinsic(std::string("llvm.nvvm.vote.") + mode + ".sync", result, {members, predicate(s.operands.at(1))}));
}

void PtxTranslator::match(const PtxStatement& s)
{
    Type* type = lastType(s);
    if (!type->isIntegerTy(32) && !type->isIntegerTy(64))
        unknown(s);
    std::string width = type->isIntegerTy(64) ? "i64" : "i32";
    std::vector<Value*> arguments{get(s, 2, bits(32)), get(s, 1, type)};
    if (s.has("any"))
        return set(s, 0, intrinsic("llvm.nvvm.match.any.sync." + width, bits(32), arguments));
    Value* both =
        intrinsic("llvm.nvvm.match.all.sync." + width + "p", llvm::StructType::get(bits(32), bits(1)), arguments);
    bool pair = s.operands.at(0).kind == PtxOperand::Kind::Pair;
    set(pair ? s.operands.at(0).elements.at(0) : s.operands.at(0), m_build.CreateExtractValue(both, 0));
    if (pair)
        set(s.operands.at(0).elements.at(1), m_build.CreateExtractValue(both, 1));
}

void PtxTranslator::reduceLanes(const PtxStatement& s)
{
    Type* word = bits(32);
    std::string op = s.opcode.at(2);
    if ((op == "min" || op == "max") && s.opcode.back() == "u32")
        op = "u" + op;
    set(s, 0, intrinsic("llvm.nvvm.redux.sync." + op, word, {get(s, 1, word), get(s, 2, word)}));
}

void PtxTranslator::activeMask(const PtxStatement& s)
{
    set(s, 0, intrinsic("llvm.nvvm.activemask", bits(32), {}));
}

/// elect.sync lane|chosen, mask: the lowest lane of the mask.
void PtxTranslator::elect(const PtxStatement& s)
{
    if (s.operands.size() != 2 || s.operands.at(0).kind != PtxOperand::Kind::Pair)
        unknown(s);
    Value* lowest = m_build.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, get(s, 1, bits(32)), m_build.getFalse());
    set(s.operands.at(0).elements.at(0), lowest);
    set(s.operands.at(0).elements.at(1), m_build.CreateICmpEQ(specialRegister("%laneid"), lowest));
}

void PtxTranslator::isInSpace(const PtxStatement& s)
{
    std::string space = s.opcode.at(1);
    space = space == "shared::cta" ? "shared" : space == "shared::cluster" ? "shared.cluster" : space;
    if (space != "global" && space != "shared" && space != "shared.cluster" && space != "local" && space != "const")
        unknown(s);
    set(s, 0, intrinsic("llvm.nvvm.isspacep." + space, bits(1), {get(s, 1, m_build.getPtrTy())}));
}

/// bar.sync id[, count], bar.arrive id, count, bar.warp.sync members
void PtxTranslator::barrier(const PtxStatement& s)
{
    Type* word = bits(32);
    Type* nothing = m_build.getVoidTy();
    if (s.has("warp"))
        intrinsic("llvm.nvvm.bar.warp.sync", nothing, {get(s, 0, word)});
    else if (s.has("arrive") && s.operands.size() == 2)
        intrinsic("llvm.nvvm.barrier.arrive.cnt", nothing, {get(s, 0, word), get(s, 1, word)});
    else if (s.has("sync") && s.operands.size() == 1)
        intrinsic("llvm.nvvm.barrier.sync", nothing, {get(s, 0, word)});
    else if (s.has("sync") && s.operands.size() == 2)
        intrinsic("llvm.nvvm.barrier.sync.cnt", nothing, {get(s, 0, word), get(s, 1, word)});
    else if (s.has("red"))
        barrierVote(s);
    else if (s.has("cluster") && s.has("arrive"))
        intrinsic(s.has("relaxed") ? "llvm.nvvm.barrier.cluster.arrive.relaxed" : "llvm.nvvm.barrier.cluster.arrive",
                  nothing, {});
    else if (s.has("cluster") && s.has("wait"))
        intrinsic("llvm.nvvm.barrier.cluster.wait", nothing, {});
    else
        unknown(s);
}

/// bar.red.popc.u32 d, 0, p and bar.red.and/or.pred d, 0, p: of all threads of the block.
void PtxTranslator::barrierVote(const PtxStatement& s)
{
    const PtxOperand& barrier = s.operands.at(1);
    if (s.operands.size() != 3 || barrier.kind != PtxOperand::Kind::Integer || barrier.integer != 0)
        unknown(s);
    const char* op = s.has("popc") ? "popc" : s.has("and") ? "and" : "or";
    Value* own = m_build.CreateZExt(predicate(s.operands.at(2)), bits(32));
    Value* all = intrinsic(std::string("llvm.nvvm.barrier0.") + op, bits(32), {own});
    set(s, 0, s.has("popc") ? all : m_build.CreateIsNotNull(all));
}

/// Ends the thread: as a kernel's return does.
void PtxTranslator::exitThread(const PtxStatement& s)
{
    const std::vector<llvm::Function*> kernels = kernelsOf(*m_place.getModule());
    if (std::find(kernels.begin(), kernels.end(), m_place.getFunction()) == kernels.end())
        unknown(s);
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(m_build.getTrue(), next, true);
    llvm::ReturnInst::Create(m_build.getContext(), nullptr, end->getIterator())->setDebugLoc(m_place.getDebugLoc());
    end->eraseFromParent();
    m_build.SetInsertPoint(next);
}

/// cp.async copies at once; the race check is told what is under way. Bytes beyond the source size are zero.
void PtxTranslator::copyAsync(const PtxStatement& s)
{
    if (!s.has("async"))
        unknown(s);
    if (s.has("tensor"))
        return copyTensor(s);
    if (s.has("reduce"))
        return reduceBulk(s);
    if (s.has("bulk"))
        return copyBulk(s);
    Type* nothing = m_build.getVoidTy();
    if (s.has("mbarrier")) {
        // The copies are there: with .noinc the arrival is one of those expected, else it makes up for itself.
        intrinsic("__ls_async_wait", nothing, {m_build.getInt32(~0u)});
        if (s.has("noinc"))
            arriveAtBarrier(address(s.operands.at(0), isShared(s)), m_build.getInt64(~uint64_t{0}));
        return;
    }
    if (s.has("commit_group")) {
        intrinsic("__ls_async_commit", nothing, {});
        return;
    }
    if (s.has("wait_group") || s.has("wait_all")) {
        intrinsic("__ls_async_wait", nothing, {s.has("wait_all") ? m_build.getInt32(~0u) : get(s, 0, bits(32))});
        return;
    }
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(get(s, 2, bits(32)));
    uint64_t bytes = constant ? constant->getZExtValue() : 0;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        unknown(s);
    Value* to = address(s.operands.at(0), true);
    Value* from = address(s.operands.at(1), false);
    bool partial =
        s.operands.size() > 3 && s.operands.at(3).kind != PtxOperand::Kind::Nothing && !s.has("L2::cache_hint");
    auto underWay = [&] {
        intrinsic("__ls_async_copied", nothing, {to, m_build.getInt32(static_cast<uint32_t>(bytes))});
    };
    noteCopyBegins(to, m_build.getInt32(static_cast<uint32_t>(bytes)));
    if (!partial) {
        Type* type = bytes == 16 ? static_cast<Type*>(llvm::FixedVectorType::get(bits(32), 4))
                                 : bits(static_cast<unsigned>(bytes) * 8);
        m_build.CreateAlignedStore(m_build.CreateAlignedLoad(type, from, llvm::Align(bytes)), to, llvm::Align(bytes));
        return underWay();
    }
    Value* wanted = m_build.CreateBinaryIntrinsic(llvm::Intrinsic::umin, get(s, 3, bits(32)),
                                                  m_build.getInt32(static_cast<uint32_t>(bytes)));
    Value* copied = m_build.CreateZExt(wanted, bits(64));
    m_build.CreateMemCpy(to, llvm::MaybeAlign(bytes), from, llvm::MaybeAlign(4), copied);
    m_build.CreateMemSet(m_build.CreateGEP(bits(8), to, copied), m_build.getInt8(0),
                         m_build.CreateSub(m_build.getInt64(bytes), copied), llvm::MaybeAlign());
    underWay();
}

void PtxTranslator::trap(const PtxStatement&)
{
    intrinsic("llvm.trap", m_build.getVoidTy(), {});
}

/// What the cache is asked to do changes no result: the policy says nothing.
void PtxTranslator::createPolicy(const PtxStatement& s)
{
    set(s, 0, m_build.getInt64(0));
}

void PtxTranslator::sleep(const PtxStatement& s)
{
    intrinsic("llvm.nvvm.nanosleep", m_build.getVoidTy(), {get(s, 0, bits(32))});
}

/// The address, in the shared window, that lane \p source holds: of a row of a matrix.
Value* PtxTranslator::rowOfLane(Value* window, Value* source)
{
    Value* both = intrinsic("llvm.nvvm.shfl.sync.idx.i32p", llvm::StructType::get(bits(32), bits(1)),
                            {m_build.getInt32(0xffffffffu), window, source, m_build.getInt32(0x1f)});
    return m_build.CreateZExt(m_build.CreateExtractValue(both, 0), bits(64));
}

/// ldmatrix.sync.aligned.m8n8.x1/x2/x4[.trans].shared.b16 {d…}, [a] and stmatrix… [a], {d…}: lane 8 m + r holds the
/// address of row r of matrix m; lane l has elements 2 (l % 4) and the next of row l / 4, of column l / 4 with .trans.
void PtxTranslator::transferMatrix(const PtxStatement& s)
{
    Type* word = bits(32);
    const bool stores = s.opcode[0] == "stmatrix";
    const PtxOperand& registers = s.operands.at(stores ? 1 : 0);
    const unsigned count = s.has("x4") ? 4 : s.has("x2") ? 2 : 1;
    Value* row = m_build.CreatePtrToInt(address(s.operands.at(stores ? 0 : 1), true), bits(64));
    Value* window = m_build.CreateTrunc(toSharedWindow(row), word);
    Value* lane = intrinsic("llvm.nvvm.read.ptx.sreg.laneid", word, {});
    const auto at = [&](Value* source, Value* offset) {
        Value* place = m_build.CreateAdd(rowOfLane(window, source), m_build.CreateZExt(offset, bits(64)));
        return m_build.CreateIntToPtr(fromSharedWindow(place), m_build.getPtrTy());
    };
    // Where the pair of elements lies, or each of them with .trans.
    const auto place = [&](unsigned matrix, unsigned element) {
        Value *major = m_build.CreateLShr(lane, 2), *minor = m_build.CreateShl(m_build.CreateAnd(lane, 3), 1);
        if (!s.has("trans"))
            return at(m_build.CreateAdd(major, m_build.getInt32(matrix * 8)), m_build.CreateShl(minor, 1));
        return at(m_build.CreateAdd(minor, m_build.getInt32(matrix * 8 + element)), m_build.CreateShl(major, 1));
    };
    const unsigned pieces = s.has("trans") ? 2 : 1;
    Type* piece = bits(32 / pieces);
    const auto registerOf = [&](unsigned matrix) -> const PtxOperand& {
        return registers.kind == PtxOperand::Kind::Vector ? registers.elements.at(matrix) : registers;
    };
    std::vector<Value*> loaded(count, m_build.getInt32(0));
    for (unsigned matrix = 0; matrix < count; ++matrix)
        for (unsigned i = 0; i < pieces; ++i) {
            Value* where = place(matrix, i);
            const llvm::Align alignment(4 / pieces);
            if (stores) {
                Value* part = m_build.CreateTrunc(m_build.CreateLShr(get(registerOf(matrix), word), 16 * i), piece);
                m_build.CreateAlignedStore(part, where, alignment);
                continue;
            }
            Value* part = m_build.CreateZExt(m_build.CreateAlignedLoad(piece, where, alignment), word);
            loaded[matrix] = m_build.CreateOr(loaded[matrix], m_build.CreateShl(part, 16 * i));
        }
    for (unsigned matrix = 0; !stores && matrix < count; ++matrix)
        set(registerOf(matrix), loaded[matrix]);
}

/// movmatrix.sync.aligned.m8n8.trans.b16 d, a: lane l has elements 2 (l % 4) and the next of row l / 4, and gets those
/// of column l / 4.
void PtxTranslator::moveMatrix(const PtxStatement& s)
{
    Type* word = bits(32);
    Value *a = get(s, 1, word), *lane = intrinsic("llvm.nvvm.read.ptx.sreg.laneid", word, {});
    Value *column = m_build.CreateLShr(lane, 2), *pair = m_build.getInt32(0);
    for (uint32_t i = 0; i < 2; ++i) {
        Value* row = m_build.CreateAdd(m_build.CreateShl(m_build.CreateAnd(lane, 3), 1), m_build.getInt32(i));
        Value* source = m_build.CreateAdd(m_build.CreateShl(row, 2), m_build.CreateLShr(column, 1));
        Value* both = intrinsic("llvm.nvvm.shfl.sync.idx.i32p", llvm::StructType::get(word, bits(1)),
                                {m_build.getInt32(0xffffffffu), a, source, m_build.getInt32(0x1f)});
        Value* upper = m_build.CreateShl(m_build.CreateAnd(column, 1), 4);
        Value* half = m_build.CreateAnd(m_build.CreateLShr(m_build.CreateExtractValue(both, 0), upper), 0xffff);
        pair = m_build.CreateOr(pair, m_build.CreateShl(half, 16 * i));
    }
    set(s, 0, pair);
}

/// mma.sync.aligned.shape.row.col[.satfinite].d.a.b.c {d…}, {a…}, {b…}, {c…}: a call whose name says it all.
void PtxTranslator::multiplyMatrix(const PtxStatement& s)
{
    std::vector<Value*> arguments;
    std::vector<Type*> results;
    std::string name = "__ls_" + s.text;
    for (size_t operand = 1; operand <= 3; ++operand)
        for (const PtxOperand& element : s.operands.at(operand).elements) {
            Type* held = element.kind == PtxOperand::Kind::Register ? registerType(element.name) : nullptr;
            held = held ? held : bits(32);
            Value* value = get(element, held);
            arguments.push_back(fit(value, bits(widthOf(value->getType()))));
        }
    for (const PtxOperand& element : s.operands.at(0).elements) {
        const Type* held = registerType(element.name);
        if (!held)
            unknown(s);
        results.push_back(bits(widthOf(held)));
    }
    Value* all = intrinsic(name, llvm::StructType::get(m_build.getContext(), results), arguments);
    for (unsigned i = 0; i < results.size(); ++i)
        set(s.operands.at(0).elements.at(i), m_build.CreateExtractValue(all, i));
}

}  // namespace lanescope::simt
