// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/lane_lowering.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/machine/lane_functions.h"
#include "core/simt/machine/matrix_descriptors.h"
#include "core/simt/ptx/shared_window.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::StringRef;

void LaneLowering::emitCall(LaneFunction function, uint64_t imm, llvm::ArrayRef<LaneValue> in,
                            llvm::ArrayRef<LaneValue> out, const llvm::Instruction& where)
{
    if (in.size() > LaneCall::kMaxOperands || out.size() > LaneCall::kMaxOperands)
        throw Unsupported{"the instruction '" + describe(where) + "'", &where};
    if (const std::optional<UnaryOp> operation = operationOf(function, imm);
        operation && in.size() == 1 && out.size() == 1)
        return m_operations.unary(*operation, LaneType::I32, out[0].operand, in[0].operand, &where);
    LaneCall call;
    call.function = function;
    call.imm = imm;
    for (const LaneValue& value : in) {
        call.in[call.inCount] = value.operand;
        call.wideIn[call.inCount++] = isWide(value.lane);
    }
    for (const LaneValue& value : out) {
        call.out[call.outCount] = value.operand;
        call.wideOut[call.outCount++] = isWide(value.lane);
    }
    m_builder.program().laneCalls.push_back(call);
    m_code.emit(runLaneCall, &where).imm = reinterpret_cast<uint64_t>(&m_builder.program().laneCalls.back());
}

std::vector<LaneLowering::LaneValue> LaneLowering::valuesOf(const llvm::Value* value,
                                                            const llvm::Instruction& where) const
{
    std::vector<LaneValue> values;
    Parts all = m_values.parts(value);
    std::vector<Leaf> types = leavesOf(m_builder.layout(), value->getType(), &where);
    for (size_t i = 0; i < all.size(); ++i)
        values.push_back({all[i], types[i].lane});
    return values;
}

/// All operands in, the whole result out.
void LaneLowering::lowerWhole(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                              llvm::ArrayRef<const llvm::Value*> operands)
{
    std::vector<LaneValue> in;
    for (const llvm::Value* operand : operands)
        for (const LaneValue& value : valuesOf(operand, instr))
            in.push_back(value);
    std::vector<LaneValue> out;
    std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts results = m_values.destinations(instr);
    for (size_t i = 0; i < results.size(); ++i)
        out.push_back({results[i], types[i].lane});
    emitCall(function, imm, in, out, instr);
}

/// Once for each element of a vector (a scalar is one element).
void LaneLowering::lowerElementwise(llvm::Instruction& instr, LaneFunction function, uint64_t imm,
                                    llvm::ArrayRef<const llvm::Value*> operands)
{
    std::vector<std::vector<LaneValue>> in;
    for (const llvm::Value* operand : operands)
        in.push_back(valuesOf(operand, instr));
    std::vector<Leaf> types = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts out = m_values.destinations(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        std::vector<LaneValue> element;
        for (const auto& operand : in)
            element.push_back(operand[operand.size() == out.size() ? i : 0]);
        emitCall(function, imm, element, LaneValue{out[i], types[i].lane}, instr);
    }
}

namespace {

unsigned scalarBits(const llvm::Type* type)
{
    return type->getScalarSizeInBits();
}

bool isWideInteger(llvm::Type* type)
{
    return type->getScalarType()->isIntegerTy() && type->getScalarSizeInBits() > 64;
}

WideOp wideOpOf(unsigned opcode)
{
    using llvm::Instruction;
    switch (opcode) {
    case Instruction::Add:
        return WideOp::Add;
    case Instruction::Sub:
        return WideOp::Sub;
    case Instruction::Mul:
        return WideOp::Mul;
    case Instruction::UDiv:
        return WideOp::UDiv;
    case Instruction::SDiv:
        return WideOp::SDiv;
    case Instruction::URem:
        return WideOp::URem;
    case Instruction::SRem:
        return WideOp::SRem;
    case Instruction::Shl:
        return WideOp::Shl;
    case Instruction::LShr:
        return WideOp::LShr;
    case Instruction::AShr:
        return WideOp::AShr;
    case Instruction::And:
        return WideOp::And;
    case Instruction::Or:
        return WideOp::Or;
    default:
        return WideOp::Xor;
    }
}

WideOp wideOpOf(llvm::CmpInst::Predicate predicate)
{
    using P = llvm::CmpInst;
    switch (predicate) {
    case P::ICMP_EQ:
        return WideOp::Eq;
    case P::ICMP_NE:
        return WideOp::Ne;
    case P::ICMP_UGT:
        return WideOp::UGt;
    case P::ICMP_UGE:
        return WideOp::UGe;
    case P::ICMP_ULT:
        return WideOp::ULt;
    case P::ICMP_ULE:
        return WideOp::ULe;
    case P::ICMP_SGT:
        return WideOp::SGt;
    case P::ICMP_SGE:
        return WideOp::SGe;
    case P::ICMP_SLT:
        return WideOp::SLt;
    default:
        return WideOp::SLe;
    }
}

NarrowFloat narrowKind(const llvm::Type* type)
{
    return type->getScalarType()->isHalfTy() ? NarrowFloat::Half : NarrowFloat::BFloat;
}

}  // namespace

bool LaneLowering::lowerWideInteger(llvm::Instruction& instr)
{
    using llvm::Instruction;
    llvm::Type* from = instr.getNumOperands() ? instr.getOperand(0)->getType() : instr.getType();
    llvm::Type* to = instr.getType();
    if (!isWideInteger(from) && !isWideInteger(to))
        return false;
    if (from->isVectorTy() || to->isVectorTy() || from->getScalarSizeInBits() > 128 || to->getScalarSizeInBits() > 128)
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    uint64_t fromBits = scalarBits(from), toBits = scalarBits(to);
    if (auto* compare = dyn_cast<llvm::ICmpInst>(&instr)) {
        lowerWhole(instr, wideCompare, static_cast<uint64_t>(wideOpOf(compare->getPredicate())) | fromBits << 8,
                   {instr.getOperand(0), instr.getOperand(1)});
        return true;
    }
    if (instr.isBinaryOp()) {
        lowerWhole(instr, wideBinary, static_cast<uint64_t>(wideOpOf(instr.getOpcode())) | fromBits << 8,
                   {instr.getOperand(0), instr.getOperand(1)});
        return true;
    }
    bool isSigned = false;
    switch (instr.getOpcode()) {
    case Instruction::SExt:
        isSigned = true;
        [[fallthrough]];
    case Instruction::ZExt:
    case Instruction::Trunc:
        if (toBits <= 64) {
            Parts low{m_values.parts(instr.getOperand(0))[0]};
            LaneValue value{low[0], LaneType::I64};
            uint64_t imm = uint64_t{64} | toBits << 16;
            emitCall(wideExtend, imm, value, LaneValue{m_values.destination(instr), laneTypeOf(to, &instr)}, instr);
        } else {
            lowerWhole(instr, wideExtend, fromBits | (isSigned ? 256 : 0) | (fromBits > 64 ? 512 : 0) | toBits << 16,
                       {instr.getOperand(0)});
        }
        return true;
    case Instruction::SIToFP:
    case Instruction::UIToFP:
        lowerWhole(instr, wideToFloat, (instr.getOpcode() == Instruction::SIToFP ? 1 : 0) | (to->isFloatTy() ? 2 : 0),
                   {instr.getOperand(0)});
        return true;
    case Instruction::FPToSI:
    case Instruction::FPToUI:
        lowerWhole(instr, wideFromDouble,
                   (instr.getOpcode() == Instruction::FPToSI ? 1 : 0) | (from->isFloatTy() ? 2 : 0),
                   {instr.getOperand(0)});
        return true;
    default:
        return false;
    }
}

bool LaneLowering::lowerNarrowCast(llvm::CastInst& instr)
{
    llvm::Type* from = instr.getSrcTy();
    llvm::Type* to = instr.getDestTy();
    if (instr.getOpcode() == llvm::Instruction::FPExt && isHalf(from)) {
        lowerElementwise(instr, to->getScalarType()->isDoubleTy() ? widenToDouble : widenToFloat,
                         static_cast<uint64_t>(narrowKind(from)), {instr.getOperand(0)});
        return true;
    }
    if (instr.getOpcode() == llvm::Instruction::FPTrunc && isHalf(to)) {
        lowerElementwise(instr, from->getScalarType()->isDoubleTy() ? narrowFromDouble : narrowFromFloat,
                         static_cast<uint64_t>(narrowKind(to)), {instr.getOperand(0)});
        return true;
    }
    return false;
}

namespace {

/// Of what asks where in shared memory something lies (matrix_descriptors.h); null for any other.
LaneFunction placeFunction(StringRef name)
{
    constexpr std::pair<StringRef, LaneFunction> kFunctions[] = {
        {kSharedBase, sharedBase}, {"__ls_matrix_row.k", matrixRowAlongK}, {"__ls_matrix_row.mn", matrixRowAcrossK}};
    for (const auto& [known, function] : kFunctions)
        if (known == name)
            return function;
    return nullptr;
}

}  // namespace

bool LaneLowering::lowerIntrinsic(llvm::CallInst& instr, StringRef name)
{
    std::vector<const llvm::Value*> arguments(instr.arg_begin(), instr.arg_end());
    if (const NamedLaneFunction* found = laneFunction(name)) {
        lowerElementwise(instr, found->function, found->imm, arguments);
        return true;
    }
    if (const LaneFunction function = placeFunction(name)) {
        lowerElementwise(instr, function, reinterpret_cast<uint64_t>(&m_builder.program()), arguments);
        return true;
    }
    if (name.starts_with("llvm.fma.") && isHalf(instr.getType())) {
        lowerElementwise(instr, fuseNarrow, static_cast<uint64_t>(narrowKind(instr.getType())), arguments);
        return true;
    }
    if (!name.starts_with("llvm.") || arguments.empty())
        return false;
    uint64_t bits = scalarBits(arguments[0]->getType());
    if (auto* overflow = dyn_cast<llvm::WithOverflowInst>(&instr)) {
        uint64_t op = overflow->getBinaryOp() == llvm::Instruction::Add   ? 0
                      : overflow->getBinaryOp() == llvm::Instruction::Sub ? 1
                                                                          : 2;
        lowerWhole(instr, withOverflow, op | (overflow->isSigned() ? 4 : 0) | bits << 8, arguments);
        return true;
    }
    if (bits > 64 || !arguments[0]->getType()->isIntOrIntVectorTy())
        return false;
    struct Family {
        const char* prefix;
        LaneFunction function;
        uint64_t imm;
    };
    constexpr auto kBit = [](BitOp op) { return static_cast<uint64_t>(op); };
    const Family families[] = {
        {"llvm.uadd.sat.", saturating, 0},
        {"llvm.sadd.sat.", saturating, 4},
        {"llvm.usub.sat.", saturating, 1},
        {"llvm.ssub.sat.", saturating, 5},
        {"llvm.ushl.sat.", saturating, 3},
        {"llvm.sshl.sat.", saturating, 7},
        {"llvm.ctpop.", bitOperation, kBit(BitOp::PopCount)},
        {"llvm.ctlz.", bitOperation, kBit(BitOp::LeadingZeros)},
        {"llvm.cttz.", bitOperation, kBit(BitOp::TrailingZeros)},
        {"llvm.bswap.", bitOperation, kBit(BitOp::ByteSwap)},
        {"llvm.bitreverse.", bitOperation, kBit(BitOp::Reverse)},
        {"llvm.abs.", bitOperation, kBit(BitOp::Abs)},
        {"llvm.fshl.", bitOperation, kBit(BitOp::FunnelLeft)},
        {"llvm.fshr.", bitOperation, kBit(BitOp::FunnelRight)},
    };
    for (const Family& family : families)
        if (name.starts_with(family.prefix)) {
            lowerElementwise(instr, family.function, family.imm | bits << 8, arguments);
            return true;
        }
    return false;
}

}  // namespace lanescope::simt
