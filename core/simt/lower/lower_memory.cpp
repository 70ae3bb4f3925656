// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses, loads, stores and atomics.

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>

#include "core/simt/code/operations.h"
#include "core/simt/ir/legalise.h"
#include "core/simt/lower/function_lowering.h"
#include "core/simt/lower/fusion.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

// ---- Addresses ----

void FunctionLowering::materialise(MemoryInfo& info, const llvm::Instruction* where)
{
    m_builder.program().memory.push_back(info);
    bool scalar = info.base.form == Form::Scalar && info.vectorTermCount == 0;
    Operand address = scalar ? Operand{m_registers.newScalar(), Form::Scalar}
                             : Operand{m_registers.temporary(LaneType::I64), Form::Vector};
    Instr& instr = m_code.emit(scalar ? m_builder.handlers().addressScalar() : m_builder.handlers().address(), where);
    instr.dst = address.reg;
    instr.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
    MemoryInfo fresh;
    fresh.base = address;
    info.base = fresh.base;
    info.offset = 0;
    info.scalarTermCount = 0;
    info.vectorTermCount = 0;
}

void FunctionLowering::addTerm(MemoryInfo& info, const llvm::Value* index, int64_t scale,
                               const llvm::Instruction* where)
{
    if (const auto* number = dyn_cast<llvm::ConstantInt>(index)) {
        info.offset += number->getSExtValue() * scale;
        return;
    }
    const llvm::Value* subscript = index;
    const auto* instr = dyn_cast<llvm::Instruction>(index);
    AddressTerm term;
    term.scale = scale;
    if (instr && isa<llvm::SExtInst>(instr) && m_analysis.isFoldedAddress(*instr)) {
        index = instr->getOperand(0);
        if (const auto* number = dyn_cast<llvm::ConstantInt>(index)) {
            info.offset += number->getSExtValue() * scale;
            return;
        }
        term.operand = m_values.operand(index);
    } else {
        unsigned bits = bitsOf(index->getType());
        LaneType lane = laneTypeOf(index->getType(), where);
        term.wide = isWide(lane);
        term.operand = m_operations.signExtended(m_values.operand(index), bits, lane, where);
    }
    bool scalar = term.operand.form == Form::Scalar;
    uint8_t& count = scalar ? info.scalarTermCount : info.vectorTermCount;
    if (count == MemoryInfo::kMaxTerms)
        materialise(info, where);
    (scalar ? info.scalarTerms : info.vectorTerms)[count++] = term;
    m_shapes.noteSubscript(*subscript, term);
}

void FunctionLowering::addressInto(MemoryInfo& info, const llvm::Value* pointer, unsigned depth)
{
    const auto* instr = dyn_cast<llvm::Instruction>(pointer);
    bool folded = instr && (depth == 0 || m_analysis.isFolded(*instr));
    if (folded && isa<llvm::AddrSpaceCastInst>(instr) && m_analysis.isFoldedAddress(*instr))
        return addressInto(info, instr->getOperand(0), depth + 1);
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!gep || !folded || (depth == 0 && !m_analysis.isFolded(*gep) && m_values.find(*gep))) {
        info.base = m_values.operand(pointer);
        return;
    }
    addressInto(info, gep->getPointerOperand(), depth + 1);
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end; ++index) {
        if (llvm::StructType* structure = index.getStructTypeOrNull()) {
            auto member = static_cast<unsigned>(cast<llvm::ConstantInt>(index.getOperand())->getZExtValue());
            info.offset +=
                static_cast<int64_t>(m_builder.layout().getStructLayout(structure)->getElementOffset(member));
        } else {
            addTerm(info, index.getOperand(),
                    static_cast<int64_t>(index.getSequentialElementStride(m_builder.layout()).getFixedValue()), gep);
        }
    }
}

void FunctionLowering::lowerAddress(llvm::GetElementPtrInst& instr)
{
    if (instr.getType()->isVectorTy())
        throw Unsupported{"vectors of pointers: '" + describe(instr) + "'", &instr};
    MemoryInfo info;
    m_shapes.beginAddress();
    addressInto(info, &instr);
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

uint32_t FunctionLowering::addressRegister(const llvm::Value* pointer)
{
    return m_operations.asVector(m_values.operand(pointer), LaneType::I64);
}

// ---- Memory ----

namespace {

/// The instruction whose place in the source is that of the accessed expression: the subscript, not the '='.
const llvm::Instruction& expressionInstr(const llvm::Instruction& access, const llvm::Value* pointer)
{
    const auto* address = dyn_cast<llvm::GetElementPtrInst>(pointer);
    return address && address->getDebugLoc() && access.getDebugLoc() &&
                   address->getDebugLoc()->getScope()->getSubprogram() ==
                       access.getDebugLoc()->getScope()->getSubprogram()
               ? *address
               : access;
}

trace::ValueType valueTypeOfAccess(llvm::Type* type, const std::vector<Leaf>& leaves)
{
    trace::ValueType value;
    llvm::Type* scalar = type->getScalarType();
    value.bytes = leaves.empty() ? 1 : leaves.front().bytes;
    value.components = static_cast<uint32_t>(std::max<size_t>(leaves.size(), 1));
    if (scalar->isFloatTy() || scalar->isDoubleTy() || scalar->isHalfTy()) {
        value.kind = trace::ScalarKind::Float;
        value.name = scalar->isFloatTy() ? "float" : scalar->isDoubleTy() ? "double" : "half";
    } else if (scalar->isPointerTy()) {
        value.kind = trace::ScalarKind::Pointer;
        value.name = "pointer";
    } else {
        value.kind = trace::ScalarKind::Signed;
        value.name = value.bytes == 4 ? "int" : value.bytes == 8 ? "long long" : value.bytes == 2 ? "short" : "char";
    }
    return value;
}

trace::Space spaceOf(const llvm::Value* pointer)
{
    switch (llvm::cast<llvm::PointerType>(pointer->stripInBoundsOffsets()->stripPointerCasts()->getType())
                ->getAddressSpace()) {
    case 3:
        return trace::Space::Shared;
    case 4:
        return trace::Space::Constant;
    default:
        return isa<llvm::AllocaInst>(pointer->stripInBoundsOffsets()) ? trace::Space::Local : trace::Space::Global;
    }
}

/// The one value a local variable ever holds; null when there are several.
const llvm::Value* onlyStored(const llvm::Value* variable)
{
    const llvm::Value* stored = nullptr;
    if (!isa<llvm::AllocaInst>(variable))
        return nullptr;
    for (const llvm::User* user : variable->users())
        if (const auto* store = dyn_cast<llvm::StoreInst>(user)) {
            if (stored || store->getPointerOperand() != variable)
                return nullptr;
            stored = store->getValueOperand();
        }
    return stored;
}

/// What a pointer is computed from: a variable that holds it, a parameter, an array.
const llvm::Value* pointerRoot(const llvm::Value* pointer)
{
    for (;;) {
        pointer = pointer->stripInBoundsOffsets()->stripPointerCasts();
        if (const auto* gep = dyn_cast<llvm::GEPOperator>(pointer))
            pointer = gep->getPointerOperand();
        else if (const auto* load = dyn_cast<llvm::LoadInst>(pointer); load && onlyStored(load->getPointerOperand()))
            pointer = onlyStored(load->getPointerOperand());
        else if (load)
            return load->getPointerOperand();
        else
            return pointer;
    }
}

/// Adds to \p next what holds \p value, or something made of it, after \p user. Whether the user is a branch on it.
bool decidesOrFeeds(const llvm::User& user, const llvm::Value& value, std::vector<const llvm::Value*>& next)
{
    if (isa<llvm::BranchInst>(user) || isa<llvm::SwitchInst>(user))
        return true;
    if (const auto* store = dyn_cast<llvm::StoreInst>(&user)) {
        const llvm::Value* variable = llvm::getUnderlyingObject(store->getPointerOperand());
        if (store->getValueOperand() == &value && isa<llvm::AllocaInst>(variable))
            next.push_back(variable);
        return false;
    }
    if (const auto* result = dyn_cast<llvm::ReturnInst>(&user)) {
        for (const llvm::User* call : result->getFunction()->users())
            if (isa<llvm::CallBase>(call))
                next.push_back(call);
        return false;
    }
    if (const auto* call = dyn_cast<llvm::CallBase>(&user))
        if (const llvm::Function* callee = call->getCalledFunction(); callee && !callee->isDeclaration())
            for (unsigned i = 0; i < std::min<size_t>(call->arg_size(), callee->arg_size()); ++i)
                if (call->getArgOperand(i) == &value)
                    next.push_back(callee->getArg(i));
    if (!isa<llvm::GetElementPtrInst>(user) || isa<llvm::AllocaInst>(value))
        next.push_back(&user);
    return false;
}

/// Whether the result of a load or atomic, or something made of it, gets to where \p wanted(user, value) holds, by way
/// of local variables and functions too. Branches end the way; \p branches: what to say of them.
template <typename F>
bool reaches(const llvm::Instruction& access, bool branches, F wanted)
{
    std::vector<const llvm::Value*> open{&access};
    std::set<const llvm::Value*> seen{&access};
    while (!open.empty()) {
        const llvm::Value& value = *open.back();
        open.pop_back();
        std::vector<const llvm::Value*> next;
        for (const llvm::User* user : value.users()) {
            const bool branch = decidesOrFeeds(*user, value, next);
            if ((branch && branches) || wanted(*user, value))
                return true;
        }
        for (const llvm::Value* one : next)
            if (seen.insert(one).second)
                open.push_back(one);
    }
    return false;
}

/// Whether a load or atomic asks for a flag: its result decides a branch. What only goes into other values is data,
/// which a flag should have told to be there.
bool testsFlag(const llvm::Instruction& access)
{
    return reaches(access, true, [](const llvm::User&, const llvm::Value&) { return false; });
}

/// A compare-and-swap: where, and what it expects there. Null: \p instr is none.
std::pair<const llvm::Value*, const llvm::Value*> compareExchange(const llvm::User& instr)
{
    if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr))
        return {exchange->getPointerOperand(), exchange->getCompareOperand()};
    if (const auto* call = dyn_cast<llvm::CallInst>(&instr))
        if (const llvm::Function* callee = call->getCalledFunction();
            callee && callee->getName().contains("atomicCAS") && call->arg_size() > 1)
            return {call->getArgOperand(0), call->getArgOperand(1)};
    return {};
}

/// The first guess of a compare-and-swap loop is read plainly by the CUDA guide's own examples: when it is stale, the
/// swap fails and the loop goes on.
bool feedsCompareExchange(const llvm::LoadInst& load)
{
    const llvm::Value* root = nullptr;
    const auto swapsThere = [&](const llvm::User& instr) {
        const llvm::Value* where = compareExchange(instr).first;
        if (where && !root)
            root = pointerRoot(load.getPointerOperand());
        return where && pointerRoot(where) == root;
    };
    return std::ranges::any_of(llvm::instructions(load.getFunction()), swapsThere) &&
           reaches(load, false, [&](const llvm::User& user, const llvm::Value& value) {
               return compareExchange(user).second == &value && swapsThere(user);
           });
}

/// Whether a race with other strong accesses is what the program wants.
bool isStrong(const llvm::LoadInst& load)
{
    return load.isAtomic() || feedsCompareExchange(load) || (load.isVolatile() && testsFlag(load));
}

/// Whether an access of this type has parts of less than 4 bytes.
bool isNarrow(llvm::Type& type, const llvm::DataLayout& layout)
{
    if (type.isAggregateType() || type.isVectorTy())
        return std::any_of(type.subtype_begin(), type.subtype_end(),
                           [&](llvm::Type* part) { return isNarrow(*part, layout); });
    return layout.getTypeStoreSize(&type) < 4;
}

}  // namespace

void FunctionLowering::describeAccess(MemoryInfo& info, const llvm::Instruction& instr, const llvm::Value* pointer,
                                      trace::SiteKind kind, llvm::Type* type)
{
    const llvm::Instruction& at = expressionInstr(instr, pointer);
    info.site = m_sites.add(kind, at, {}, valueTypeOfAccess(type, leavesOf(m_builder.layout(), type, &instr)));
    m_sites.notePlace(instr, info.site);
    trace::Site& added = m_sites.last();
    added.expression = m_builder.sources().expressionAt(added.where);
    added.space = spaceOf(pointer);
    info.staticSite = m_sites.lastIndex();
    m_shapes.nameKept(*pointer, info.staticSite, kind != trace::SiteKind::Load);
    const auto* load = dyn_cast<llvm::LoadInst>(&instr);
    const auto* store = dyn_cast<llvm::StoreInst>(&instr);
    info.isVolatile = (load && isStrong(*load)) || (store && (store->isVolatile() || store->isAtomic()));
    info.isAtomic = (load && load->isAtomic()) || (store && store->isAtomic());
    info.isPlain = !info.isAtomic && !(load && load->isVolatile()) && !(store && store->isVolatile());
    if (added.space == trace::Space::Global)
        m_builder.program().hasNarrowGlobal |= type->isSized() && isNarrow(*type, m_builder.layout());
}

/// Loads or stores all leaves of a type; neighbours of one size go together, as one access of up to 16 bytes.
void FunctionLowering::accessLeaves(const llvm::Instruction& instr, const llvm::Value* pointer, llvm::Type* type,
                                    const Parts& values, bool isStore, unsigned alignment)
{
    std::vector<Leaf> all = leavesOf(m_builder.layout(), type, &instr);
    MemoryInfo base;
    m_shapes.beginAddress();
    addressInto(base, pointer);
    describeAccess(base, instr, pointer, isStore ? trace::SiteKind::Store : trace::SiteKind::Load, type);
    m_shapes.checkAccess(instr, *pointer, base.staticSite, isStore);
    const trace::Space space = spaceOf(pointer);
    if (!isStore && all.size() == 1 && (space == trace::Space::Shared || space == trace::Space::Local))
        m_recorder.noteLoad(instr, base.site);
    for (size_t first = 0; first < all.size();) {
        size_t count = 1;
        while (first + count < all.size() && all[first + count].bytes == all[first].bytes &&
               isWide(all[first + count].lane) == isWide(all[first].lane) &&
               all[first + count].byteOffset == all[first].byteOffset + count * all[first].bytes &&
               (count + 1) * all[first].bytes <= 16)
            ++count;
        while (count > 1 && !std::has_single_bit(count * all[first].bytes))
            --count;
        unsigned bytes = all[first].bytes;
        if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            throw Unsupported{"an access of " + std::to_string(bytes) + " bytes: '" + describe(instr) + "'", &instr};
        MemoryInfo info = base;
        info.offset += static_cast<int64_t>(all[first].byteOffset);
        info.bytes = static_cast<uint8_t>(bytes);
        info.components = static_cast<uint8_t>(count);
        info.wide = isWide(all[first].lane);
        info.alignment = std::min(alignment, static_cast<unsigned>(count * bytes));
        if (all[first].byteOffset % info.alignment)
            info.alignment = 1;
        for (size_t i = 0; i < count; ++i)
            info.values[i] = values[first + i];
        if (isStore || info.values[0].form == Form::Vector)
            m_patterns.use(info, *pointer);
        m_builder.program().memory.push_back(info);
        const MemoryInfo& kept = m_builder.program().memory.back();
        Instr& emitted =
            m_code.emit(isStore ? m_builder.handlers().store(kept) : m_builder.handlers().load(kept), &instr);
        emitted.imm = reinterpret_cast<uint64_t>(&kept);
        emitted.a = !isStore && onlyMultiplyAddReads(instr);
        m_flows.describeMemory(isStore ? FlowKind::Store : FlowKind::Load, instr);
        first += count;
    }
}

void FunctionLowering::lowerLoad(llvm::LoadInst& instr)
{
    if (const llvm::AllocaInst* variable = m_analysis.promoted(instr.getPointerOperand()))
        return m_values.loadVariable(instr, *variable);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    Parts out = m_values.destinations(instr);
    accessLeaves(instr, instr.getPointerOperand(), instr.getType(), out, false,
                 static_cast<unsigned>(instr.getAlign().value()));
}

void FunctionLowering::lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& variable)
{
    m_values.storeVariable(instr, variable);
    m_patterns.note(variable);
    m_recorder.recordStore(instr, variable);
}

void FunctionLowering::lowerStore(llvm::StoreInst& instr)
{
    if (const llvm::AllocaInst* variable = m_analysis.promoted(instr.getPointerOperand()))
        return lowerVariableStore(instr, *variable);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    Parts values = m_values.parts(instr.getValueOperand());
    accessLeaves(instr, instr.getPointerOperand(), instr.getValueOperand()->getType(), values, true,
                 static_cast<unsigned>(instr.getAlign().value()));
}

namespace {

AtomicOp atomicOpOf(const llvm::AtomicRMWInst& instr)
{
    using Rmw = llvm::AtomicRMWInst;
    switch (instr.getOperation()) {
    case Rmw::Xchg:
        return AtomicOp::Exchange;
    case Rmw::Add:
        return AtomicOp::Add;
    case Rmw::Sub:
        return AtomicOp::Sub;
    case Rmw::And:
        return AtomicOp::And;
    case Rmw::Or:
        return AtomicOp::Or;
    case Rmw::Xor:
        return AtomicOp::Xor;
    case Rmw::FMax:
    case Rmw::FMin:
        if (isHalf(instr.getType()))
            throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
        return instr.getOperation() == Rmw::FMax ? AtomicOp::Max : AtomicOp::Min;
    case Rmw::Max:
        return AtomicOp::Max;
    case Rmw::Min:
        return AtomicOp::Min;
    case Rmw::UMax:
        return AtomicOp::UMax;
    case Rmw::UMin:
        return AtomicOp::UMin;
    case Rmw::FAdd: {
        const llvm::Type* element = instr.getType()->getScalarType();
        return element->isHalfTy() ? AtomicOp::HalfAdd : element->isBFloatTy() ? AtomicOp::BFloatAdd : AtomicOp::FAdd;
    }
    case Rmw::UIncWrap:
        return AtomicOp::Inc;
    case Rmw::UDecWrap:
        return AtomicOp::Dec;
    default:
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    }
}

/// Whether nobody sees \p value: at most, variables that are not read hold it.
bool isUnused(const llvm::Value& value, int depth = 0)
{
    constexpr int kDeepest = 6;
    return depth < kDeepest &&
           std::all_of(
               value.user_begin(), value.user_end(),
               [&](const llvm::User* user) {
                   const auto* store = dyn_cast<llvm::StoreInst>(user);
                   const auto* variable = store ? dyn_cast<llvm::AllocaInst>(store->getPointerOperand()) : nullptr;
                   if (!variable || store->getValueOperand() != &value)
                       return isa<llvm::CastInst>(user) && isUnused(*user, depth + 1);
                   return std::all_of(variable->user_begin(), variable->user_end(), [&](const llvm::User* other) {
                       if (isa<llvm::LoadInst>(other))
                           return isUnused(*other, depth + 1);
                       const auto* write = dyn_cast<llvm::StoreInst>(other);
                       return write && write->getPointerOperand() == variable;
                   });
               });
}

/// Updates that leave the same value whatever their order. Sums of floats do not: they are rounded.
bool commutes(AtomicOp op, bool isFloat)
{
    switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Sub:
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
    case AtomicOp::UMax:
    case AtomicOp::UMin:
        return true;
    case AtomicOp::Max:
    case AtomicOp::Min:
        return !isFloat;
    default:
        return false;
    }
}

unsigned atomicBytes(llvm::Type* type, const llvm::Instruction& instr)
{
    auto bits = static_cast<unsigned>(type->isVectorTy() ? type->getPrimitiveSizeInBits().getFixedValue()
                                                         : uint64_t{bitsOf(type)});
    const bool isPair = type->isVectorTy() && isHalf(type) && bits == 32;
    if ((type->isVectorTy() && !isPair) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    return bits / 8;
}

}  // namespace

// An atomic orders nothing: clang calls CUDA's relaxed ones sequentially consistent. Where a program or header means
// more, it says so with a fence.

void FunctionLowering::lowerAtomicRmw(llvm::AtomicRMWInst& instr)
{
    AtomicInfo info;
    info.op = atomicOpOf(instr);
    info.isFloat = instr.getType()->isFPOrFPVectorTy();
    // Of a pair of halves both, in one word.
    const Parts added = m_values.parts(instr.getValOperand());
    info.operand = added[0];
    if (added.size() > 1) {
        info.operand = {m_registers.temporary(LaneType::I32), Form::Vector};
        m_operations.binary(BinaryOp::Shl, LaneType::I32, info.operand, added[1], m_registers.constant(16), &instr);
        m_operations.binary(BinaryOp::Or, LaneType::I32, info.operand, info.operand, added[0], &instr);
    }
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(instr.getType(), instr));
    info.memory.alignment = info.memory.bytes;
    describeAccess(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, instr.getType());
    info.memory.blockScope = instr.getSyncScopeID() == blockScope(instr.getContext());
    info.memory.isVolatile = testsFlag(instr);
    if (spaceOf(instr.getPointerOperand()) == trace::Space::Global) {
        bool anyOrder = commutes(info.op, info.isFloat) && isUnused(instr);
        m_builder.program().addsGlobally |= anyOrder;
        m_builder.program().needsOneHostThread |= !anyOrder;
    }
    uint32_t address = addressRegister(instr.getPointerOperand());
    const Parts out = m_values.destinations(instr);
    info.dst = out.size() == 1 ? out[0].reg : m_registers.temporary(LaneType::I32);
    m_builder.program().atomics.push_back(info);
    Instr& emitted = m_code.emit(runAtomic, &instr);
    emitted.a = address;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().atomics.back());
    if (out.size() == 1)
        return;
    m_operations.binary(BinaryOp::And, LaneType::I32, out[0], {info.dst, Form::Vector}, m_registers.constant(0xffff),
                        &instr);
    m_operations.binary(BinaryOp::LShr, LaneType::I32, out[1], {info.dst, Form::Vector}, m_registers.constant(16),
                        &instr);
}

void FunctionLowering::lowerCompareExchange(llvm::AtomicCmpXchgInst& instr)
{
    AtomicInfo info;
    info.op = AtomicOp::CompareExchange;
    llvm::Type* type = instr.getNewValOperand()->getType();
    info.operand = m_values.operand(instr.getNewValOperand());
    info.compare = m_values.operand(instr.getCompareOperand());
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(type, instr));
    info.memory.alignment = info.memory.bytes;
    describeAccess(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, type);
    info.memory.blockScope = instr.getSyncScopeID() == blockScope(instr.getContext());
    info.memory.isVolatile = testsFlag(instr);
    m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    uint32_t address = addressRegister(instr.getPointerOperand());
    Parts out = m_values.destinations(instr);
    info.dst = out[0].reg;
    info.successDst = out[1].reg;
    m_builder.program().atomics.push_back(info);
    Instr& emitted = m_code.emit(runAtomic, &instr);
    emitted.a = address;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().atomics.back());
}

}  // namespace lanescope::simt
