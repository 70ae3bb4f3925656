// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/arithmetic_lowering.h"

#include <algorithm>
#include <optional>

#include <llvm/IR/Constants.h>

#include "core/simt/code/operations.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;

namespace {

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

void ArithmeticLowering::lowerBinary(llvm::BinaryOperator& instr)
{
    refuseHalf(instr);
    BinaryOp op = binaryOpOf(instr);
    Parts a = m_values.parts(instr.getOperand(0)), b = m_values.parts(instr.getOperand(1));
    Parts out = m_values.destinations(instr);
    LaneType lane = laneTypeOf(instr.getType()->getScalarType(), &instr);
    unsigned bits = bitsOf(instr.getType());
    bool narrow = (lane == LaneType::I32 || lane == LaneType::I64) && bits != 32 && bits != 64;
    for (size_t i = 0; i < out.size(); ++i) {
        Operand left = narrow && readsSign(op) ? m_operations.signExtended(a[i], bits, lane, &instr) : a[i];
        Operand right = narrow && readsSign(op) && op != BinaryOp::AShr
                            ? m_operations.signExtended(b[i], bits, lane, &instr)
                            : b[i];
        m_operations.binary(op, lane, out[i], left, right, &instr);
        if (narrow)
            m_operations.maskTo(bits, lane, out[i], &instr);
    }
}

void ArithmeticLowering::lowerUnary(llvm::UnaryOperator& instr)
{
    refuseHalf(instr);
    Parts a = m_values.parts(instr.getOperand(0));
    Parts out = m_values.destinations(instr);
    LaneType lane = laneTypeOf(instr.getType()->getScalarType(), &instr);
    for (size_t i = 0; i < out.size(); ++i)
        m_operations.unary(UnaryOp::FNeg, lane, out[i], a[i], &instr);
}

void ArithmeticLowering::lowerCompare(llvm::CmpInst& instr)
{
    refuseHalf(instr);
    llvm::Type* type = instr.getOperand(0)->getType();
    Parts a = m_values.parts(instr.getOperand(0)), b = m_values.parts(instr.getOperand(1));
    Parts out = m_values.destinations(instr);
    LaneType lane = laneTypeOf(type->getScalarType(), &instr);
    unsigned bits = bitsOf(type);
    CompareOp op = compareOpOf(instr.getPredicate());
    for (size_t i = 0; i < out.size(); ++i) {
        Operand left = instr.isSigned() ? m_operations.signExtended(a[i], bits, lane, &instr) : a[i];
        Operand right = instr.isSigned() ? m_operations.signExtended(b[i], bits, lane, &instr) : b[i];
        if (out[i].form == Form::Vector && left.form == Form::Scalar && right.form == Form::Scalar)
            left = {m_operations.asVector(left, lane), Form::Vector};
        Instr& emitted = m_code.emit(m_builder.handlers().compare(op, lane, left.form, right.form), &instr);
        emitted.dst = out[i].reg;
        emitted.a = left.reg;
        emitted.b = right.reg;
    }
}

namespace {

std::optional<CastOp> castOpOf(unsigned opcode)
{
    using llvm::Instruction;
    switch (opcode) {
    case Instruction::ZExt:
        return CastOp::Zext32To64;
    case Instruction::SExt:
        return CastOp::Sext;
    case Instruction::Trunc:
        return CastOp::Trunc;
    case Instruction::SIToFP:
        return CastOp::SIToFP;
    case Instruction::UIToFP:
        return CastOp::UIToFP;
    case Instruction::FPToSI:
        return CastOp::FPToSI;
    case Instruction::FPToUI:
        return CastOp::FPToUI;
    case Instruction::FPExt:
        return CastOp::F32ToF64;
    case Instruction::FPTrunc:
        return CastOp::F64ToF32;
    default:
        return std::nullopt;
    }
}

/// Whether the parts of a value of either type are the parts of the other.
bool haveSameParts(const std::vector<Leaf>& a, const std::vector<Leaf>& b)
{
    return std::ranges::equal(
        a, b, [](const Leaf& x, const Leaf& y) { return isWide(x.lane) == isWide(y.lane) && x.bytes == y.bytes; });
}

}  // namespace

void ArithmeticLowering::lowerCast(llvm::CastInst& instr)
{
    using llvm::Instruction;
    unsigned opcode = instr.getOpcode();
    llvm::Type* from = instr.getSrcTy();
    llvm::Type* to = instr.getDestTy();
    if (opcode == Instruction::PtrToInt || opcode == Instruction::IntToPtr) {
        if (bitsOf(from) == bitsOf(to))
            return m_values.define(instr, m_values.parts(instr.getOperand(0)));
        opcode = bitsOf(to) > bitsOf(from) ? Instruction::ZExt : Instruction::Trunc;
    }
    if (opcode == Instruction::AddrSpaceCast || opcode == Instruction::BitCast) {
        if (!haveSameParts(leavesOf(m_builder.layout(), from, &instr), leavesOf(m_builder.layout(), to, &instr)))
            throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
        return m_values.define(instr, m_values.parts(instr.getOperand(0)));
    }
    if (m_lanes.lowerNarrowCast(instr))
        return;
    refuseHalf(instr);
    const std::optional<CastOp> op = castOpOf(opcode);
    if (!op)
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    const Parts a = m_values.parts(instr.getOperand(0));
    const Parts out = m_values.destinations(instr);
    const LaneType source = laneTypeOf(from->getScalarType(), &instr), target = laneTypeOf(to->getScalarType(), &instr);
    const bool keepsBits = opcode == Instruction::ZExt && isWide(source) == isWide(target);
    for (size_t i = 0; i < out.size(); ++i)
        if (keepsBits)
            m_operations.unary(UnaryOp::Copy, target, out[i], a[i], &instr);
        else
            m_operations.cast(*op, source, target, bitsOf(from), bitsOf(to), out[i], a[i], &instr);
}

void ArithmeticLowering::lowerSelect(llvm::SelectInst& instr)
{
    Parts condition = m_values.parts(instr.getCondition());
    Parts a = m_values.parts(instr.getTrueValue()), b = m_values.parts(instr.getFalseValue());
    std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts out = m_values.destinations(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        Operand choice = condition[condition.size() == out.size() ? i : 0];
        bool scalar = out[i].form == Form::Scalar;
        uint32_t left = scalar ? a[i].reg : m_operations.asVector(a[i], all[i].lane);
        uint32_t right = scalar ? b[i].reg : m_operations.asVector(b[i], all[i].lane);
        Instr& emitted = m_code.emit(m_builder.handlers().select(all[i].lane, choice.form, scalar), &instr);
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

void ArithmeticLowering::lowerAggregate(llvm::Instruction& instr)
{
    auto count = [&](llvm::Type* type) { return leavesOf(m_builder.layout(), type, &instr).size(); };
    if (auto* extract = dyn_cast<llvm::ExtractValueInst>(&instr)) {
        Parts all = m_values.parts(extract->getAggregateOperand());
        size_t first = leafIndex(extract->getAggregateOperand()->getType(), extract->getIndices(), count);
        return m_values.define(instr, Parts(all.begin() + first, all.begin() + first + count(instr.getType())));
    }
    if (auto* insert = dyn_cast<llvm::InsertValueInst>(&instr)) {
        Parts all = m_values.parts(insert->getAggregateOperand());
        Parts value = m_values.parts(insert->getInsertedValueOperand());
        size_t first = leafIndex(instr.getType(), insert->getIndices(), count);
        std::copy(value.begin(), value.end(), all.begin() + first);
        return m_values.define(instr, all);
    }
    if (auto* extract = dyn_cast<llvm::ExtractElementInst>(&instr))
        return m_values.define(
            instr, {m_values.parts(extract->getVectorOperand())[constantIndex(extract->getIndexOperand(), instr)]});
    if (auto* insert = dyn_cast<llvm::InsertElementInst>(&instr)) {
        Parts all = m_values.parts(insert->getOperand(0));
        all[constantIndex(insert->getOperand(2), instr)] = m_values.operand(insert->getOperand(1));
        return m_values.define(instr, all);
    }
    auto& shuffle = cast<llvm::ShuffleVectorInst>(instr);
    Parts all = m_values.parts(shuffle.getOperand(0)), second = m_values.parts(shuffle.getOperand(1)), out;
    all.append(second.begin(), second.end());
    for (int index : shuffle.getShuffleMask())
        out.push_back(index < 0 ? m_builder.registers().constant(0) : all[static_cast<size_t>(index)]);
    m_values.define(instr, out);
}

}  // namespace lanescope::simt
