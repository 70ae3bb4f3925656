// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/derivation.h"

#include <algorithm>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;
using Op = trace::DerivationStep::Op;

namespace {

constexpr unsigned kAddressBits = 64;

/// Of what replay computes with: integers of 1, 8, 16, 32 and 64 bits, floats and doubles, addresses; else 0.
unsigned widthOf(const llvm::Type& type, const llvm::DataLayout& layout)
{
    if (type.isFloatTy())
        return 32;
    if (type.isDoubleTy())
        return 64;
    if (type.isPointerTy())
        return layout.getPointerTypeSizeInBits(const_cast<llvm::Type*>(&type)) == kAddressBits ? kAddressBits : 0;
    const unsigned bits = type.isIntegerTy() ? type.getIntegerBitWidth() : 0;
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

std::optional<Op> operationOf(const llvm::BinaryOperator& instr)
{
    using llvm::Instruction;
    switch (instr.getOpcode()) {
    case Instruction::FAdd:
        return Op::Add;
    case Instruction::FSub:
        return Op::Subtract;
    case Instruction::FMul:
        return Op::Multiply;
    case Instruction::FDiv:
        return Op::Divide;
    case Instruction::Add:
        return Op::IntegerAdd;
    case Instruction::Sub:
        return Op::IntegerSubtract;
    case Instruction::Mul:
        return Op::IntegerMultiply;
    case Instruction::UDiv:
        return Op::UnsignedDivide;
    case Instruction::SDiv:
        return Op::SignedDivide;
    case Instruction::URem:
        return Op::UnsignedRemainder;
    case Instruction::SRem:
        return Op::SignedRemainder;
    case Instruction::Shl:
        return Op::ShiftLeft;
    case Instruction::LShr:
        return Op::ShiftRight;
    case Instruction::AShr:
        return Op::ShiftRightSigned;
    case Instruction::And:
        return Op::And;
    case Instruction::Or:
        return Op::Or;
    case Instruction::Xor:
        return Op::Xor;
    default:
        return std::nullopt;
    }
}

std::optional<Op> operationOf(llvm::Intrinsic::ID intrinsic)
{
    switch (intrinsic) {
    case llvm::Intrinsic::umin:
        return Op::UnsignedMinimum;
    case llvm::Intrinsic::umax:
        return Op::UnsignedMaximum;
    case llvm::Intrinsic::smin:
        return Op::SignedMinimum;
    case llvm::Intrinsic::smax:
        return Op::SignedMaximum;
    default:
        return std::nullopt;
    }
}

/// The operand of Op::Coordinate that a special register is; none for others.
std::optional<uint64_t> coordinateOf(llvm::StringRef intrinsic)
{
    constexpr llvm::StringLiteral kNames[] = {"tid.", "ctaid.", "ntid.", "nctaid."};
    if (!intrinsic.consume_front("llvm.nvvm.read.ptx.sreg."))
        return std::nullopt;
    for (uint64_t i = 0; i < std::size(kNames); ++i)
        if (llvm::StringRef axis = intrinsic; axis.consume_front(kNames[i]) && axis.size() == 1)
            return 3 * i + static_cast<uint64_t>(axis.front() - 'x');
    return std::nullopt;
}

/// How a comparison is made of one that replay has.
struct Comparison {
    Op op = Op::Equal;
    bool isSwapped = false;
    bool isNegated = false;
};

std::optional<Comparison> comparisonOf(llvm::CmpInst::Predicate predicate)
{
    using P = llvm::CmpInst;
    switch (predicate) {
    case P::ICMP_EQ:
        return Comparison{Op::Equal};
    case P::ICMP_NE:
        return Comparison{Op::Equal, false, true};
    case P::ICMP_ULT:
        return Comparison{Op::UnsignedLess};
    case P::ICMP_ULE:
        return Comparison{Op::UnsignedLessEqual};
    case P::ICMP_UGT:
        return Comparison{Op::UnsignedLess, true};
    case P::ICMP_UGE:
        return Comparison{Op::UnsignedLessEqual, true};
    case P::ICMP_SLT:
        return Comparison{Op::SignedLess};
    case P::ICMP_SLE:
        return Comparison{Op::SignedLessEqual};
    case P::ICMP_SGT:
        return Comparison{Op::SignedLess, true};
    case P::ICMP_SGE:
        return Comparison{Op::SignedLessEqual, true};
    case P::FCMP_OEQ:
        return Comparison{Op::FloatEqual};
    case P::FCMP_OLT:
        return Comparison{Op::FloatLess};
    case P::FCMP_OLE:
        return Comparison{Op::FloatLessEqual};
    case P::FCMP_OGT:
        return Comparison{Op::FloatLess, true};
    case P::FCMP_OGE:
        return Comparison{Op::FloatLessEqual, true};
    // True also of NaNs: what is not the opposite.
    case P::FCMP_UNE:
        return Comparison{Op::FloatEqual, false, true};
    case P::FCMP_UGE:
        return Comparison{Op::FloatLess, false, true};
    case P::FCMP_UGT:
        return Comparison{Op::FloatLessEqual, false, true};
    case P::FCMP_ULE:
        return Comparison{Op::FloatLess, true, true};
    case P::FCMP_ULT:
        return Comparison{Op::FloatLessEqual, true, true};
    default:
        return std::nullopt;
    }
}

}  // namespace

bool isOverwritten(const llvm::Value& variable, const llvm::Instruction& from, const llvm::Instruction& to)
{
    for (const llvm::Instruction* at = &from; at != &to; at = at->getNextNode())
        if (const auto* store = dyn_cast<llvm::StoreInst>(at); store && store->getPointerOperand() == &variable)
            return true;
    return false;
}

bool Derivations::add(Op op, unsigned bits, uint64_t operand)
{
    if (m_steps.size() >= trace::kMaxDerivationSteps)
        return false;
    m_steps.push_back({op, static_cast<uint8_t>(bits), operand});
    return true;
}

bool Derivations::deriveOperation(Op op, std::initializer_list<const llvm::Value*> operands, unsigned bits,
                                  uint64_t operand)
{
    return std::ranges::all_of(operands, [&](const llvm::Value* value) { return derive(*value); }) &&
           add(op, bits, operand);
}

unsigned Derivations::widthOf(const llvm::Value& value) const
{
    return simt::widthOf(*value.getType(), m_builder.layout());
}

/// A place in what a pointer points to: numbers of bytes are added to it.
bool Derivations::deriveAddress(const llvm::GEPOperator& place)
{
    llvm::APInt constant(kAddressBits, 0);
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    if (!place.collectOffset(m_builder.layout(), kAddressBits, variable, constant) ||
        !derive(*place.getPointerOperand()))
        return false;
    for (const auto& [index, bytes] : variable) {
        const unsigned bits = widthOf(*index);
        const bool isThere = derive(*index) && (bits == kAddressBits || add(Op::SignExtend, kAddressBits, bits)) &&
                             (bytes == 1 || (add(Op::Constant, kAddressBits, bytes.getZExtValue()) &&
                                             add(Op::IntegerMultiply, kAddressBits))) &&
                             add(Op::IntegerAdd, kAddressBits);
        if (!isThere)
            return false;
    }
    return constant == 0 ||
           (add(Op::Constant, kAddressBits, constant.getZExtValue()) && add(Op::IntegerAdd, kAddressBits));
}

bool Derivations::deriveLoad(const llvm::LoadInst& load)
{
    if (load.getParent() != m_write->getParent())
        return false;
    const unsigned bits = widthOf(load);
    if (const llvm::AllocaInst* variable = m_analysis.promoted(load.getPointerOperand())) {
        const FunctionAnalysis::Declaration declaration = m_analysis.declarationOf(*variable);
        return declaration.isShown() && !isOverwritten(*variable, load, *m_write) &&
               add(Op::Variable, bits, m_builder.variableFor(*declaration.variable, declaration.where).value);
    }
    const auto known = m_loads.find(&load);
    if (known == m_loads.end() || !load.isSimple())
        return false;
    m_asksOthers |= !known->second.isOwn;
    return add(Op::Load, bits, known->second.site.value);
}

bool Derivations::deriveCompare(const llvm::CmpInst& compare)
{
    const std::optional<Comparison> comparison = comparisonOf(compare.getPredicate());
    if (!comparison)
        return false;
    const llvm::Value *left = compare.getOperand(0), *right = compare.getOperand(1);
    if (comparison->isSwapped)
        std::swap(left, right);
    return deriveOperation(comparison->op, {left, right}, widthOf(*left)) &&
           (!comparison->isNegated || add(Op::Not, 1));
}

bool Derivations::deriveCast(const llvm::CastInst& cast)
{
    const llvm::Value* operand = cast.getOperand(0);
    const unsigned from = widthOf(*operand), to = widthOf(cast);
    switch (cast.getOpcode()) {
    case llvm::Instruction::ZExt:
        return derive(*operand);  // zeros are above it already
    case llvm::Instruction::Trunc:
        return deriveOperation(Op::Truncate, {operand}, to, from);
    case llvm::Instruction::SExt:
        return deriveOperation(Op::SignExtend, {operand}, to, from);
    case llvm::Instruction::SIToFP:
        return deriveOperation(Op::SignedToFloat, {operand}, to, from);
    case llvm::Instruction::UIToFP:
        return deriveOperation(Op::UnsignedToFloat, {operand}, to, from);
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
        return deriveOperation(Op::FloatToFloat, {operand}, to, from);
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
        return from == to && derive(*operand);
    default:
        return false;
    }
}

bool Derivations::deriveIntrinsic(const llvm::IntrinsicInst& call)
{
    const unsigned bits = widthOf(call);
    const llvm::Intrinsic::ID id = call.getIntrinsicID();
    if (id == llvm::Intrinsic::fma || id == llvm::Intrinsic::fmuladd)
        return deriveOperation(Op::MultiplyAdd, {call.getOperand(0), call.getOperand(1), call.getOperand(2)}, bits);
    if (const std::optional<Op> op = operationOf(id))
        return deriveOperation(*op, {call.getOperand(0), call.getOperand(1)}, bits);
    const std::optional<uint64_t> coordinate = coordinateOf(call.getCalledFunction()->getName());
    return coordinate && add(Op::Coordinate, bits, *coordinate);
}

bool Derivations::derive(const llvm::Value& value)
{
    const unsigned bits = widthOf(value);
    const bool isFloat = value.getType()->isFloatingPointTy();
    // Subnormal numbers, which replay knows and the launch takes for 0, make a difference.
    if (bits == 0 || (isFloat && m_builder.program().flushesSubnormals))
        return false;
    if (const auto* constant = dyn_cast<llvm::ConstantFP>(&value))
        return add(Op::Constant, bits, constant->getValueAPF().bitcastToAPInt().getZExtValue());
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(&value))
        return add(Op::Constant, bits, constant->getZExtValue());
    if (isa<llvm::ConstantPointerNull>(value))
        return add(Op::Constant, bits);
    const auto held = std::ranges::find(*m_recorded, &value, &std::pair<VariableId, const llvm::Value*>::second);
    if (held != m_recorded->end())
        return add(Op::Variable, bits, held->first.value);
    if (m_steps.size() >= trace::kMaxDerivationSteps)
        return false;
    if (const auto* load = dyn_cast<llvm::LoadInst>(&value))
        return deriveLoad(*load);
    if (const auto* place = dyn_cast<llvm::GEPOperator>(&value))
        return deriveAddress(*place);
    if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&value))
        return deriveIntrinsic(*intrinsic);
    if (const auto* compare = dyn_cast<llvm::CmpInst>(&value))
        return deriveCompare(*compare);
    if (const auto* cast = dyn_cast<llvm::CastInst>(&value))
        return deriveCast(*cast);
    if (const auto* choice = dyn_cast<llvm::SelectInst>(&value))
        return deriveOperation(Op::Select, {choice->getCondition(), choice->getTrueValue(), choice->getFalseValue()},
                               bits);
    if (const auto* freeze = dyn_cast<llvm::FreezeInst>(&value))
        return derive(*freeze->getOperand(0));
    if (const auto* unary = dyn_cast<llvm::UnaryOperator>(&value))
        return unary->getOpcode() == llvm::Instruction::FNeg &&
               deriveOperation(Op::Negate, {unary->getOperand(0)}, bits);
    const auto* binary = dyn_cast<llvm::BinaryOperator>(&value);
    const std::optional<Op> op = binary ? operationOf(*binary) : std::nullopt;
    return op && deriveOperation(*op, {binary->getOperand(0), binary->getOperand(1)}, bits);
}

trace::Derivation Derivations::of(const llvm::Value& written, const llvm::Instruction& write,
                                  const RecordedValues& recorded)
{
    m_write = &write;
    m_recorded = &recorded;
    m_steps.clear();
    m_asksOthers = false;
    return derive(written) ? m_steps : trace::Derivation{};
}

}  // namespace lanescope::simt
