// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering of arithmetic, memory and control-flow instructions.
#include "core/simt/lowering.h"

#include <algorithm>
#include <bit>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

namespace {

unsigned bitsOf(llvm::Type* type)
{
    if (type->isPointerTy())
        return 64;
    return type->getScalarSizeInBits();
}

bool isHalf(llvm::Type* type)
{
    return type->getScalarType()->isHalfTy() || type->getScalarType()->isBFloatTy();
}

void refuseHalf(const llvm::Instruction& instr)
{
    for (const llvm::Use& operand : instr.operands())
        if (isHalf(operand->getType()))
            throw Unsupported{"half-precision arithmetic: '" + describe(instr) + "'", &instr};
    if (isHalf(instr.getType()))
        throw Unsupported{"half-precision arithmetic: '" + describe(instr) + "'", &instr};
}

BinaryOp binaryOpOf(const llvm::BinaryOperator& instr)
{
    using llvm::Instruction;
    switch (instr.getOpcode()) {
    case Instruction::Add:
        return BinaryOp::Add;
    case Instruction::Sub:
        return BinaryOp::Sub;
    case Instruction::Mul:
        return BinaryOp::Mul;
    case Instruction::UDiv:
        return BinaryOp::UDiv;
    case Instruction::SDiv:
        return BinaryOp::SDiv;
    case Instruction::URem:
        return BinaryOp::URem;
    case Instruction::SRem:
        return BinaryOp::SRem;
    case Instruction::Shl:
        return BinaryOp::Shl;
    case Instruction::LShr:
        return BinaryOp::LShr;
    case Instruction::AShr:
        return BinaryOp::AShr;
    case Instruction::And:
        return BinaryOp::And;
    case Instruction::Or:
        return BinaryOp::Or;
    case Instruction::Xor:
        return BinaryOp::Xor;
    case Instruction::FAdd:
        return BinaryOp::FAdd;
    case Instruction::FSub:
        return BinaryOp::FSub;
    case Instruction::FMul:
        return BinaryOp::FMul;
    case Instruction::FDiv:
        return BinaryOp::FDiv;
    case Instruction::FRem:
        return BinaryOp::FRem;
    default:
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    }
}

bool readsSign(BinaryOp op)
{
    return op == BinaryOp::SDiv || op == BinaryOp::SRem || op == BinaryOp::AShr || op == BinaryOp::SMin ||
           op == BinaryOp::SMax;
}

CompareOp compareOpOf(llvm::CmpInst::Predicate predicate)
{
    using P = llvm::CmpInst;
    switch (predicate) {
    case P::ICMP_EQ:
        return CompareOp::Eq;
    case P::ICMP_NE:
        return CompareOp::Ne;
    case P::ICMP_UGT:
        return CompareOp::UGt;
    case P::ICMP_UGE:
        return CompareOp::UGe;
    case P::ICMP_ULT:
        return CompareOp::ULt;
    case P::ICMP_ULE:
        return CompareOp::ULe;
    case P::ICMP_SGT:
        return CompareOp::SGt;
    case P::ICMP_SGE:
        return CompareOp::SGe;
    case P::ICMP_SLT:
        return CompareOp::SLt;
    case P::ICMP_SLE:
        return CompareOp::SLe;
    case P::FCMP_FALSE:
        return CompareOp::FFalse;
    case P::FCMP_OEQ:
        return CompareOp::FOeq;
    case P::FCMP_OGT:
        return CompareOp::FOgt;
    case P::FCMP_OGE:
        return CompareOp::FOge;
    case P::FCMP_OLT:
        return CompareOp::FOlt;
    case P::FCMP_OLE:
        return CompareOp::FOle;
    case P::FCMP_ONE:
        return CompareOp::FOne;
    case P::FCMP_ORD:
        return CompareOp::FOrd;
    case P::FCMP_UNO:
        return CompareOp::FUno;
    case P::FCMP_UEQ:
        return CompareOp::FUeq;
    case P::FCMP_UGT:
        return CompareOp::FUgt;
    case P::FCMP_UGE:
        return CompareOp::FUge;
    case P::FCMP_ULT:
        return CompareOp::FUlt;
    case P::FCMP_ULE:
        return CompareOp::FUle;
    case P::FCMP_UNE:
        return CompareOp::FUne;
    default:
        return CompareOp::FTrue;
    }
}

}  // namespace

// ---- Arithmetic ----

void FunctionLowering::emitBinary(BinaryOp op, LaneType lane, Operand dst, Operand a, Operand b,
                                  const llvm::Instruction* where)
{
    if (dst.form == Form::Vector && a.form == Form::Scalar && b.form == Form::Scalar)
        a = {asVector(a, lane), Form::Vector};
    Instr& instr = emit(m_builder.handlers().binary(op, lane, a.form, b.form), where);
    instr.dst = dst.reg;
    instr.a = a.reg;
    instr.b = b.reg;
}

void FunctionLowering::emitUnary(UnaryOp op, LaneType lane, Operand dst, Operand a, const llvm::Instruction* where)
{
    uint32_t source = dst.form == Form::Vector ? asVector(a, lane) : a.reg;
    Instr& instr = emit(m_builder.handlers().unary(op, lane, dst.form), where);
    instr.dst = dst.reg;
    instr.a = source;
}

void FunctionLowering::emitCast(CastOp op, LaneType from, LaneType to, unsigned fromBits, unsigned toBits, Operand dst,
                                Operand a, const llvm::Instruction* where)
{
    uint32_t source = dst.form == Form::Vector ? asVector(a, from) : a.reg;
    Instr& instr = emit(m_builder.handlers().cast(op, from, to, dst.form), where);
    instr.dst = dst.reg;
    instr.a = source;
    instr.imm = fromBits | toBits << 8;
}

void FunctionLowering::maskTo(unsigned bits, LaneType lane, Operand value, const llvm::Instruction* where)
{
    if (bits != 32 && bits != 64)
        emitCast(CastOp::Mask, lane, lane, bits, bits, value, value, where);
}

/// A narrow integer with its sign filling the lane.
Operand FunctionLowering::signExtended(Operand value, unsigned bits, LaneType lane, const llvm::Instruction* where)
{
    if (bits == 32 || bits == 64)
        return value;
    Operand wide = value.form == Form::Scalar ? Operand{m_builder.newScalar(), Form::Scalar}
                                              : Operand{temporary(lane), Form::Vector};
    emitCast(CastOp::Sext, lane, lane, bits, isWide(lane) ? 64 : 32, wide, value, where);
    return wide;
}

void FunctionLowering::lowerBinary(llvm::BinaryOperator& instr)
{
    refuseHalf(instr);
    BinaryOp op = binaryOpOf(instr);
    Parts a = parts(instr.getOperand(0)), b = parts(instr.getOperand(1));
    Parts out = destinations(instr);
    LaneType lane = laneTypeOf(instr.getType()->getScalarType(), &instr);
    unsigned bits = bitsOf(instr.getType());
    bool narrow = (lane == LaneType::I32 || lane == LaneType::I64) && bits != 32 && bits != 64;
    for (size_t i = 0; i < out.size(); ++i) {
        Operand left = narrow && readsSign(op) ? signExtended(a[i], bits, lane, &instr) : a[i];
        Operand right = narrow && readsSign(op) && op != BinaryOp::AShr ? signExtended(b[i], bits, lane, &instr) : b[i];
        emitBinary(op, lane, out[i], left, right, &instr);
        if (narrow)
            maskTo(bits, lane, out[i], &instr);
    }
}

void FunctionLowering::lowerUnary(llvm::UnaryOperator& instr)
{
    refuseHalf(instr);
    Parts a = parts(instr.getOperand(0));
    Parts out = destinations(instr);
    LaneType lane = laneTypeOf(instr.getType()->getScalarType(), &instr);
    for (size_t i = 0; i < out.size(); ++i)
        emitUnary(UnaryOp::FNeg, lane, out[i], a[i], &instr);
}

void FunctionLowering::lowerCompare(llvm::CmpInst& instr)
{
    refuseHalf(instr);
    llvm::Type* type = instr.getOperand(0)->getType();
    Parts a = parts(instr.getOperand(0)), b = parts(instr.getOperand(1));
    Parts out = destinations(instr);
    LaneType lane = laneTypeOf(type->getScalarType(), &instr);
    unsigned bits = bitsOf(type);
    CompareOp op = compareOpOf(instr.getPredicate());
    for (size_t i = 0; i < out.size(); ++i) {
        Operand left = instr.isSigned() ? signExtended(a[i], bits, lane, &instr) : a[i];
        Operand right = instr.isSigned() ? signExtended(b[i], bits, lane, &instr) : b[i];
        if (out[i].form == Form::Vector && left.form == Form::Scalar && right.form == Form::Scalar)
            left = {asVector(left, lane), Form::Vector};
        Instr& emitted = emit(m_builder.handlers().compare(op, lane, left.form, right.form), &instr);
        emitted.dst = out[i].reg;
        emitted.a = left.reg;
        emitted.b = right.reg;
    }
}

void FunctionLowering::lowerCast(llvm::CastInst& instr)
{
    using llvm::Instruction;
    unsigned opcode = instr.getOpcode();
    llvm::Type* from = instr.getSrcTy();
    llvm::Type* to = instr.getDestTy();
    if (opcode == Instruction::PtrToInt || opcode == Instruction::IntToPtr) {
        if (bitsOf(from) == bitsOf(to))
            return define(instr, parts(instr.getOperand(0)));
        opcode = bitsOf(to) > bitsOf(from) ? Instruction::ZExt : Instruction::Trunc;
    }
    if (opcode == Instruction::AddrSpaceCast || opcode == Instruction::BitCast) {
        std::vector<Leaf> before = m_builder.leaves(from, &instr), after = m_builder.leaves(to, &instr);
        bool same = before.size() == after.size();
        for (size_t i = 0; same && i < before.size(); ++i)
            same = isWide(before[i].lane) == isWide(after[i].lane) && before[i].bytes == after[i].bytes;
        if (!same)
            throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
        return define(instr, parts(instr.getOperand(0)));
    }
    refuseHalf(instr);
    Parts a = parts(instr.getOperand(0));
    Parts out = destinations(instr);
    LaneType source = laneTypeOf(from->getScalarType(), &instr), target = laneTypeOf(to->getScalarType(), &instr);
    unsigned fromBits = bitsOf(from), toBits = bitsOf(to);
    for (size_t i = 0; i < out.size(); ++i) {
        auto as = [&](CastOp op) { emitCast(op, source, target, fromBits, toBits, out[i], a[i], &instr); };
        switch (opcode) {
        case Instruction::ZExt:
            if (isWide(source) == isWide(target))
                emitUnary(UnaryOp::Copy, target, out[i], a[i], &instr);
            else
                as(CastOp::Zext32To64);
            break;
        case Instruction::SExt:
            as(CastOp::Sext);
            break;
        case Instruction::Trunc:
            as(CastOp::Trunc);
            break;
        case Instruction::SIToFP:
            as(CastOp::SIToFP);
            break;
        case Instruction::UIToFP:
            as(CastOp::UIToFP);
            break;
        case Instruction::FPToSI:
            as(CastOp::FPToSI);
            break;
        case Instruction::FPToUI:
            as(CastOp::FPToUI);
            break;
        case Instruction::FPExt:
            as(CastOp::F32ToF64);
            break;
        case Instruction::FPTrunc:
            as(CastOp::F64ToF32);
            break;
        default:
            throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
        }
    }
}

void FunctionLowering::lowerSelect(llvm::SelectInst& instr)
{
    Parts condition = parts(instr.getCondition());
    Parts a = parts(instr.getTrueValue()), b = parts(instr.getFalseValue());
    std::vector<Leaf> all = m_builder.leaves(instr.getType(), &instr);
    Parts out = destinations(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        Operand choice = condition[condition.size() == out.size() ? i : 0];
        bool scalar = out[i].form == Form::Scalar;
        uint32_t left = scalar ? a[i].reg : asVector(a[i], all[i].lane);
        uint32_t right = scalar ? b[i].reg : asVector(b[i], all[i].lane);
        Instr& emitted = emit(m_builder.handlers().select(all[i].lane, choice.form, scalar), &instr);
        emitted.dst = out[i].reg;
        emitted.a = choice.reg;
        emitted.b = left;
        emitted.c = right;
    }
}

namespace {

/// Index of the first leaf of the member that \p indices name.
size_t leafIndex(llvm::Type* type, llvm::ArrayRef<unsigned> indices, auto&& countLeaves)
{
    size_t index = 0;
    for (unsigned member : indices) {
        for (unsigned i = 0; i < member; ++i)
            index += countLeaves(llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t{i}));
        type = llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t{member});
    }
    return index;
}

unsigned constantIndex(const llvm::Value* value, const llvm::Instruction& instr)
{
    const auto* number = dyn_cast<llvm::ConstantInt>(value);
    if (!number)
        throw Unsupported{"a vector element chosen at run time: '" + describe(instr) + "'", &instr};
    return static_cast<unsigned>(number->getZExtValue());
}

}  // namespace

void FunctionLowering::lowerAggregate(llvm::Instruction& instr)
{
    auto count = [&](llvm::Type* type) { return m_builder.leaves(type, &instr).size(); };
    if (auto* extract = dyn_cast<llvm::ExtractValueInst>(&instr)) {
        Parts all = parts(extract->getAggregateOperand());
        size_t first = leafIndex(extract->getAggregateOperand()->getType(), extract->getIndices(), count);
        return define(instr, Parts(all.begin() + first, all.begin() + first + count(instr.getType())));
    }
    if (auto* insert = dyn_cast<llvm::InsertValueInst>(&instr)) {
        Parts all = parts(insert->getAggregateOperand());
        Parts value = parts(insert->getInsertedValueOperand());
        size_t first = leafIndex(instr.getType(), insert->getIndices(), count);
        std::copy(value.begin(), value.end(), all.begin() + first);
        return define(instr, all);
    }
    if (auto* extract = dyn_cast<llvm::ExtractElementInst>(&instr))
        return define(instr, {parts(extract->getVectorOperand())[constantIndex(extract->getIndexOperand(), instr)]});
    if (auto* insert = dyn_cast<llvm::InsertElementInst>(&instr)) {
        Parts all = parts(insert->getOperand(0));
        all[constantIndex(insert->getOperand(2), instr)] = operand(insert->getOperand(1));
        return define(instr, all);
    }
    auto& shuffle = cast<llvm::ShuffleVectorInst>(instr);
    Parts all = parts(shuffle.getOperand(0)), second = parts(shuffle.getOperand(1)), out;
    all.append(second.begin(), second.end());
    for (int index : shuffle.getShuffleMask())
        out.push_back(index < 0 ? m_builder.constant(0) : all[static_cast<size_t>(index)]);
    define(instr, out);
}

// ---- Addresses ----

void FunctionLowering::materialise(MemoryInfo& info, const llvm::Instruction* where)
{
    m_builder.program().memory.push_back(info);
    bool scalar = info.base.form == Form::Scalar && info.vectorTermCount == 0;
    Operand address =
        scalar ? Operand{m_builder.newScalar(), Form::Scalar} : Operand{temporary(LaneType::I64), Form::Vector};
    Instr& instr = emit(scalar ? m_builder.handlers().addressScalar() : m_builder.handlers().address(), where);
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
    const auto* instr = dyn_cast<llvm::Instruction>(index);
    AddressTerm term;
    term.scale = scale;
    if (instr && isa<llvm::SExtInst>(instr) && isFoldedAddress(*instr)) {
        index = instr->getOperand(0);
        if (const auto* number = dyn_cast<llvm::ConstantInt>(index)) {
            info.offset += number->getSExtValue() * scale;
            return;
        }
        term.operand = operand(index);
    } else {
        unsigned bits = bitsOf(index->getType());
        LaneType lane = laneTypeOf(index->getType(), where);
        term.wide = isWide(lane);
        term.operand = signExtended(operand(index), bits, lane, where);
    }
    bool scalar = term.operand.form == Form::Scalar;
    uint8_t& count = scalar ? info.scalarTermCount : info.vectorTermCount;
    if (count == MemoryInfo::kMaxTerms)
        materialise(info, where);
    (scalar ? info.scalarTerms : info.vectorTerms)[count++] = term;
}

void FunctionLowering::addressInto(MemoryInfo& info, const llvm::Value* pointer, unsigned depth)
{
    const auto* instr = dyn_cast<llvm::Instruction>(pointer);
    bool folded = instr && (depth == 0 || isFoldedAddress(*instr));
    if (folded && isa<llvm::AddrSpaceCastInst>(instr) && isFoldedAddress(*instr))
        return addressInto(info, instr->getOperand(0), depth + 1);
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!gep || !folded || (depth == 0 && !isFoldedAddress(*gep) && m_values.count(gep))) {
        info.base = operand(pointer);
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
    addressInto(info, &instr);
    Operand out = destination(instr);
    if (out.form == Form::Scalar)
        LS_ASSERT(info.base.form == Form::Scalar && info.vectorTermCount == 0);
    m_builder.program().memory.push_back(info);
    Instr& emitted =
        emit(out.form == Form::Scalar ? m_builder.handlers().addressScalar() : m_builder.handlers().address(), &instr);
    emitted.dst = out.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
}

uint32_t FunctionLowering::addressRegister(const llvm::Value* pointer)
{
    return asVector(operand(pointer), LaneType::I64);
}

// ---- Memory ----

SiteId FunctionLowering::site(trace::SiteKind kind, const llvm::Instruction& instr, std::string expression,
                              trace::ValueType type)
{
    trace::Site entry;
    entry.kind = kind;
    entry.where = m_builder.sources().locationOf(instr.getDebugLoc().get());
    if (entry.where.line == 0)
        if (const llvm::DISubprogram* subprogram = m_function.getSubprogram())
            entry.where = {m_builder.sources().idOf(subprogram->getFile()), subprogram->getLine(), 0};
    entry.expression = std::move(expression);
    if (const llvm::DISubprogram* subprogram = m_function.getSubprogram())
        entry.function = subprogram->getName().str();
    entry.type = std::move(type);
    return m_builder.addSite(std::move(entry));
}

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

}  // namespace

void FunctionLowering::describeAccess(MemoryInfo& info, const llvm::Instruction& instr, const llvm::Value* pointer,
                                      trace::SiteKind kind, llvm::Type* type)
{
    const llvm::Instruction& at = expressionInstr(instr, pointer);
    info.site = site(kind, at, {}, valueTypeOfAccess(type, m_builder.leaves(type, &instr)));
    trace::Site& added = m_builder.program().sites.back();
    added.expression = m_builder.sources().expressionAt(added.where);
    added.space = spaceOf(pointer);
    info.staticSite = static_cast<uint32_t>(m_builder.program().sites.size() - 1);
}

/// Loads or stores all leaves of a type; neighbours of one size go together, as one access of up to 16 bytes.
void FunctionLowering::accessLeaves(const llvm::Instruction& instr, const llvm::Value* pointer, llvm::Type* type,
                                    const Parts& values, bool isStore, unsigned alignment)
{
    std::vector<Leaf> all = m_builder.leaves(type, &instr);
    MemoryInfo base;
    addressInto(base, pointer);
    describeAccess(base, instr, pointer, isStore ? trace::SiteKind::Store : trace::SiteKind::Load, type);
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
        m_builder.program().memory.push_back(info);
        const MemoryInfo& kept = m_builder.program().memory.back();
        emit(isStore ? m_builder.handlers().store(kept) : m_builder.handlers().load(kept), &instr).imm =
            reinterpret_cast<uint64_t>(&kept);
        first += count;
    }
}

void FunctionLowering::lowerLoad(llvm::LoadInst& instr)
{
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(instr.getPointerOperand()))
        if (m_variables.count(alloca))
            return lowerVariableLoad(instr, *alloca);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    Parts out = destinations(instr);
    accessLeaves(instr, instr.getPointerOperand(), instr.getType(), out, false,
                 static_cast<unsigned>(instr.getAlign().value()));
}

void FunctionLowering::lowerVariableLoad(llvm::LoadInst& instr, const llvm::AllocaInst& alloca)
{
    const Variable& variable = m_variables[&alloca];
    if (m_lastUse.count(&instr)) {
        m_values[&instr] = variable.parts;
        m_aliases[&instr] = &alloca;
        return;
    }
    LaneType lane = laneTypeOf(instr.getType(), &instr);
    Operand copy = newOperand(lane, variable.parts[0].form == Form::Scalar && isUniform(instr), false);
    copyTo(copy, variable.parts[0], lane);
    m_values[&instr] = {copy};
}

void FunctionLowering::lowerStore(llvm::StoreInst& instr)
{
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(instr.getPointerOperand()))
        if (m_variables.count(alloca))
            return lowerVariableStore(instr, *alloca);
    if (instr.isVolatile() || instr.isAtomic())
        m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    Parts values = parts(instr.getValueOperand());
    accessLeaves(instr, instr.getPointerOperand(), instr.getValueOperand()->getType(), values, true,
                 static_cast<unsigned>(instr.getAlign().value()));
}

void FunctionLowering::lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& alloca)
{
    Operand value = operand(instr.getValueOperand());
    Operand target = m_variables[&alloca].parts[0];
    if (target.form != value.form || target.reg != value.reg) {
        detachAliases(&alloca, instr);
        copyTo(target, operand(instr.getValueOperand()), laneTypeOf(alloca.getAllocatedType(), &instr));
    }
    recordVariable(instr, alloca);
}

void FunctionLowering::recordVariable(const llvm::Instruction& instr, const llvm::AllocaInst& alloca)
{
    const Variable& variable = m_variables[&alloca];
    // Artificial ones (this, the hidden parts of a range-for) are not the programmer's.
    if (!m_builder.options().recordVariables || !variable.debug || variable.debug->isArtificial())
        return;
    VariableId id = m_builder.variableFor(*variable.debug, variable.declared);
    SiteId where = site(trace::SiteKind::VariableWrite, instr, variable.debug->getName().str(),
                        valueTypeOf(variable.debug->getType()));
    m_builder.program().sites.back().variable = id;
    bool scalar = variable.parts[0].form == Form::Scalar;
    Instr& emitted = emit(scalar ? runRecordVariableScalar : runRecordVariable, &instr);
    emitted.a = variable.parts[0].reg;
    emitted.b = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(alloca.getAllocatedType()));
    emitted.c = where.value;
    emitted.imm = isWide(laneTypeOf(alloca.getAllocatedType(), &instr));
}

/// Optimised code has no variables in memory; debug records say which value a variable has from here on.
void FunctionLowering::recordDebugValues(const llvm::Instruction& instr)
{
    if (!m_builder.options().recordVariables)
        return;
    for (llvm::DbgVariableRecord& record :
         llvm::filterDbgVars(const_cast<llvm::Instruction&>(instr).getDbgRecordRange())) {
        if (!record.isDbgValue() || record.getVariable()->isArtificial() || record.getNumVariableLocationOps() != 1 ||
            record.getExpression()->getNumElements() != 0)
            continue;
        const llvm::Value* value = record.getVariableLocationOp(0);
        const auto* source = dyn_cast_or_null<llvm::Instruction>(value);
        bool known = isa_and_nonnull<llvm::Argument>(value) || isa_and_nonnull<llvm::ConstantInt>(value) ||
                     isa_and_nonnull<llvm::ConstantFP>(value) || (source && m_values.count(source));
        bool gone = source && m_lastUse.count(source) &&
                    (source->getParent() != instr.getParent() || m_order[m_lastUse[source]] < m_order[&instr]);
        if (!known || gone || m_builder.leaves(value->getType(), &instr).size() != 1)
            continue;
        VariableId id = m_builder.variableFor(*record.getVariable(), record.getDebugLoc().get());
        SiteId where = site(trace::SiteKind::VariableWrite, instr, record.getVariable()->getName().str(),
                            valueTypeOf(record.getVariable()->getType()));
        m_builder.program().sites.back().where = m_builder.sources().locationOf(
            instr.getDebugLoc() ? instr.getDebugLoc().get() : record.getDebugLoc().get());
        m_builder.program().sites.back().variable = id;
        Operand held = operand(value);
        Instr& emitted = emit(held.form == Form::Scalar ? runRecordVariableScalar : runRecordVariable, &instr);
        emitted.a = held.reg;
        emitted.b = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(value->getType()));
        emitted.c = where.value;
        emitted.imm = isWide(laneTypeOf(value->getType(), &instr));
    }
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
    case Rmw::Max:
    case Rmw::FMax:
        return AtomicOp::Max;
    case Rmw::Min:
    case Rmw::FMin:
        return AtomicOp::Min;
    case Rmw::UMax:
        return AtomicOp::UMax;
    case Rmw::UMin:
        return AtomicOp::UMin;
    case Rmw::FAdd:
        return AtomicOp::FAdd;
    case Rmw::UIncWrap:
        return AtomicOp::Inc;
    case Rmw::UDecWrap:
        return AtomicOp::Dec;
    default:
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    }
}

unsigned atomicBytes(llvm::Type* type, const llvm::Instruction& instr)
{
    unsigned bits = bitsOf(type);
    if (isHalf(type) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    return bits / 8;
}

}  // namespace

void FunctionLowering::lowerAtomicRmw(llvm::AtomicRMWInst& instr)
{
    AtomicInfo info;
    info.op = atomicOpOf(instr);
    info.isFloat = instr.getType()->isFloatingPointTy();
    info.operand = operand(instr.getValOperand());
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(instr.getType(), instr));
    info.memory.alignment = info.memory.bytes;
    describeAccess(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, instr.getType());
    m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    uint32_t address = addressRegister(instr.getPointerOperand());
    info.dst = destination(instr).reg;
    m_builder.program().atomics.push_back(info);
    Instr& emitted = emit(runAtomic, &instr);
    emitted.a = address;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().atomics.back());
}

void FunctionLowering::lowerCompareExchange(llvm::AtomicCmpXchgInst& instr)
{
    AtomicInfo info;
    info.op = AtomicOp::CompareExchange;
    llvm::Type* type = instr.getNewValOperand()->getType();
    info.operand = operand(instr.getNewValOperand());
    info.compare = operand(instr.getCompareOperand());
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(type, instr));
    info.memory.alignment = info.memory.bytes;
    describeAccess(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, type);
    m_builder.program().needsOneHostThread |= spaceOf(instr.getPointerOperand()) == trace::Space::Global;
    uint32_t address = addressRegister(instr.getPointerOperand());
    Parts out = destinations(instr);
    info.dst = out[0].reg;
    info.successDst = out[1].reg;
    m_builder.program().atomics.push_back(info);
    Instr& emitted = emit(runAtomic, &instr);
    emitted.a = address;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().atomics.back());
}

// ---- Control flow ----

FunctionLowering::Label FunctionLowering::edge(const llvm::BasicBlock& from, const llvm::BasicBlock& to)
{
    if (to.phis().empty())
        return m_blockLabels[&to];
    m_edges.push_back({newLabel(), &from, &to});
    return m_edges.back().label;
}

void FunctionLowering::emitPhiMoves(const llvm::BasicBlock& from, const llvm::BasicBlock& to)
{
    struct Move {
        Operand to, from;
        LaneType lane;
    };
    std::vector<Move> moves;
    for (const llvm::PHINode& phi : to.phis()) {
        Parts source = parts(phi.getIncomingValueForBlock(&from));
        std::vector<Leaf> all = m_builder.leaves(phi.getType(), &phi);
        for (size_t i = 0; i < all.size(); ++i)
            moves.push_back({m_values[&phi][i], source[i], all[i].lane});
    }
    auto overlaps = [&](const Move& move) {
        return std::any_of(moves.begin(), moves.end(), [&](const Move& other) {
            return &other != &move && other.to.form == move.from.form && other.to.reg == move.from.reg;
        });
    };
    // All phis change at once: what another move overwrites is read first.
    for (Move& move : moves) {
        if (!overlaps(move))
            continue;
        Operand kept = move.from.form == Form::Scalar ? Operand{m_builder.newScalar(), Form::Scalar}
                                                      : Operand{m_builder.newVector(move.lane), Form::Vector};
        copyTo(kept, move.from, move.lane);
        move.from = kept;
    }
    for (const Move& move : moves)
        copyTo(move.to, move.from, move.lane);
}

void FunctionLowering::lowerBranch(llvm::BranchInst& instr)
{
    const llvm::BasicBlock& block = *instr.getParent();
    if (instr.isUnconditional()) {
        emitPhiMoves(block, *instr.getSuccessor(0));
        Instr& emitted = emit(m_builder.handlers().jump(false), &instr);
        emitted.a = m_blockInstructions;
        emitted.b = m_blockFlops;
        m_jumpFixups.emplace_back(m_code.size() - 1, m_blockLabels[instr.getSuccessor(0)]);
        return;
    }
    Operand condition = operand(instr.getCondition());
    bool diverges = m_uniformity->mayDiverge(&instr);
    m_builder.program().branches.emplace_back();
    BranchInfo& info = m_builder.program().branches.back();
    info.instructions = m_blockInstructions;
    info.flops = m_blockFlops;
    bool record = m_builder.options().record && diverges;
    if (record)
        info.site = site(trace::SiteKind::Branch, instr, {}, {});
    BranchFixup fixup{&info, edge(block, *instr.getSuccessor(0)), edge(block, *instr.getSuccessor(1)), {}};
    const auto* node = m_postDominators.getNode(&block);
    if (diverges && node && node->getIDom() && node->getIDom()->getBlock())
        fixup.reconverge = m_blockLabels[node->getIDom()->getBlock()];
    m_branchFixups.push_back(fixup);
    Instr& emitted = emit(m_builder.handlers().branch(condition.form, record), &instr);
    emitted.a = condition.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&info);
}

void FunctionLowering::lowerSwitch(llvm::SwitchInst& instr)
{
    const llvm::BasicBlock& block = *instr.getParent();
    Operand value = operand(instr.getCondition());
    m_builder.program().switches.emplace_back();
    SwitchInfo& info = m_builder.program().switches.back();
    info.instructions = m_blockInstructions;
    info.flops = m_blockFlops;
    info.wide = isWide(laneTypeOf(instr.getCondition()->getType(), &instr));
    info.site = site(trace::SiteKind::Branch, instr, {}, {});
    SwitchFixup fixup{&info, {}, edge(block, *instr.getDefaultDest()), {}};
    for (const auto& each : instr.cases()) {
        info.cases.emplace_back(each.getCaseValue()->getZExtValue(), nullptr);
        fixup.cases.push_back(edge(block, *each.getCaseSuccessor()));
    }
    const auto* node = m_postDominators.getNode(&block);
    if (node && node->getIDom() && node->getIDom()->getBlock() && m_joins.contains(node->getIDom()->getBlock()))
        fixup.reconverge = m_blockLabels[node->getIDom()->getBlock()];
    m_switchFixups.push_back(std::move(fixup));
    Instr& emitted = emit(value.form == Form::Scalar ? runSwitchScalar : runSwitch, &instr);
    emitted.a = value.reg;
    emitted.imm = reinterpret_cast<uint64_t>(&info);
}

void FunctionLowering::lowerReturn(llvm::ReturnInst& instr)
{
    if (m_isKernel) {
        Instr& emitted = emit(runExit, &instr);
        emitted.a = m_blockInstructions;
        emitted.imm = m_blockFlops;
        emitted.b = m_builder.options().record;
        if (m_builder.options().record) {
            SiteId where = site(trace::SiteKind::Exit, instr, {}, {});
            m_code.back().c = where.value;
        }
        return;
    }
    if (llvm::Value* value = instr.getReturnValue()) {
        Parts source = parts(value);
        std::vector<Leaf> all = m_builder.leaves(value->getType(), &instr);
        for (size_t i = 0; i < all.size(); ++i)
            copyTo(m_result[i], source[i], all[i].lane);
    }
    emit(runReturn, &instr);
}

}  // namespace lanescope::simt
