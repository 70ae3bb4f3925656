// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/intrinsic_lowering.h"

#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/lower/fusion.h"
#include "core/simt/machine/math_library.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

/// "llvm.sqrt.f32" → "sqrt"; other names as they are.
StringRef baseName(StringRef name)
{
    if (!name.consume_front("llvm."))
        return name;
    for (StringRef suffix : {".f32", ".f64", ".i1", ".i8", ".i16", ".i32", ".i64", ".p0"})
        while (name.consume_back(suffix)) {
        }
    return name;
}

struct SpecialRegister {
    const char* name;
    uint32_t reg;
    Form form;
};

constexpr const char* kSpecialPrefix = "llvm.nvvm.read.ptx.sreg.";
constexpr SpecialRegister kSpecialRegisters[] = {
    {"tid.x", kThreadIdxReg, Form::Vector},
    {"tid.y", kThreadIdxReg + 128, Form::Vector},
    {"tid.z", kThreadIdxReg + 256, Form::Vector},
    {"laneid", kLaneIdReg, Form::Vector},
    {"ctaid.x", kBlockIdxScalar, Form::Scalar},
    {"ctaid.y", kBlockIdxScalar + 1, Form::Scalar},
    {"ctaid.z", kBlockIdxScalar + 2, Form::Scalar},
    {"ntid.x", kBlockDimScalar, Form::Scalar},
    {"ntid.y", kBlockDimScalar + 1, Form::Scalar},
    {"ntid.z", kBlockDimScalar + 2, Form::Scalar},
    {"nctaid.x", kGridDimScalar, Form::Scalar},
    {"nctaid.y", kGridDimScalar + 1, Form::Scalar},
    {"nctaid.z", kGridDimScalar + 2, Form::Scalar},
    {"dynamic_smem_size", kSharedBytesScalar, Form::Scalar},
    {"total_smem_size", kSharedBytesScalar + 1, Form::Scalar},
    {"cluster.nctaid.x", kClusterDimScalar, Form::Scalar},
    {"cluster.nctaid.y", kClusterDimScalar + 1, Form::Scalar},
    {"cluster.nctaid.z", kClusterDimScalar + 2, Form::Scalar},
};

/// Those that are others where Program::wholeRows.
constexpr SpecialRegister kRegistersOfWholeRows[] = {
    {"tid.y", kThreadRowScalar, Form::Scalar},
    {"tid.z", kThreadRowScalar + 1, Form::Scalar},
};

struct NamedUnary {
    const char* name;
    UnaryOp op;
};

constexpr NamedUnary kFloatUnary[] = {
    {"sqrt", UnaryOp::Sqrt},
    {"fabs", UnaryOp::FAbs},
    {"floor", UnaryOp::Floor},
    {"ceil", UnaryOp::Ceil},
    {"trunc", UnaryOp::Trunc},
    {"round", UnaryOp::Round},
    {"rint", UnaryOp::Rint},
    {"nearbyint", UnaryOp::Rint},
    {"roundeven", UnaryOp::Rint},
    {"exp", UnaryOp::Exp},
    {"exp2", UnaryOp::Exp2},
    {"exp10", UnaryOp::Exp10},
    {"log", UnaryOp::Log},
    {"log2", UnaryOp::Log2},
    {"log10", UnaryOp::Log10},
    {"sin", UnaryOp::Sin},
    {"cos", UnaryOp::Cos},
    {"nvvm.sqrt.rn.f", UnaryOp::Sqrt},
    {"nvvm.sqrt.rn.d", UnaryOp::Sqrt},
    {"nvvm.sqrt.f", UnaryOp::Sqrt},
    {"nvvm.sqrt.approx.f", UnaryOp::RootApprox},
    {"nvvm.rcp.approx.ftz.f", UnaryOp::RcpApprox},
    {"nvvm.rsqrt.approx.f", UnaryOp::Rsqrt},
    {"nvvm.rsqrt.approx.d", UnaryOp::Rsqrt},
    {"nvvm.rcp.rn.f", UnaryOp::Rcp},
    {"nvvm.rcp.rn.d", UnaryOp::Rcp},
    {"nvvm.ex2.approx.f", UnaryOp::Exp2},
    {"nvvm.lg2.approx.f", UnaryOp::Log2Approx},
    {"nvvm.sin.approx.f", UnaryOp::SinApprox},
    {"nvvm.cos.approx.f", UnaryOp::CosApprox},
    {"nvvm.fabs.f", UnaryOp::FAbs},
    {"nvvm.fabs.d", UnaryOp::FAbs},
    {"nvvm.floor.f", UnaryOp::Floor},
    {"nvvm.floor.d", UnaryOp::Floor},
    {"nvvm.ceil.f", UnaryOp::Ceil},
    {"nvvm.ceil.d", UnaryOp::Ceil},
    {"nvvm.trunc.f", UnaryOp::Trunc},
    {"nvvm.trunc.d", UnaryOp::Trunc},
};

struct NamedBinary {
    const char* name;
    BinaryOp op;
};

constexpr NamedBinary kFloatBinary[] = {
    {"minnum", BinaryOp::FMinNum},         {"maxnum", BinaryOp::FMaxNum},
    {"copysign", BinaryOp::CopySign},      {"pow", BinaryOp::Pow},
    {"nvvm.fmin.f", BinaryOp::FMinNum},    {"nvvm.fmin.d", BinaryOp::FMinNum},
    {"nvvm.fmax.f", BinaryOp::FMaxNum},    {"nvvm.fmax.d", BinaryOp::FMaxNum},
    {"nvvm.add.rn.f", BinaryOp::FAdd},     {"nvvm.add.rn.d", BinaryOp::FAdd},
    {"nvvm.mul.rn.f", BinaryOp::FMul},     {"nvvm.mul.rn.d", BinaryOp::FMul},
    {"nvvm.div.rn.f", BinaryOp::FDiv},     {"nvvm.div.rn.d", BinaryOp::FDiv},
    {"nvvm.div.approx.f", BinaryOp::FDiv},
};

constexpr NamedBinary kIntegerBinary[] = {
    {"smin", BinaryOp::SMin},
    {"smax", BinaryOp::SMax},
    {"umin", BinaryOp::UMin},
    {"umax", BinaryOp::UMax},
};

template <typename Table>
auto findNamed(const Table& table, StringRef name) -> decltype(&table[0])
{
    for (const auto& entry : table)
        if (name == entry.name)
            return &entry;
    return nullptr;
}

}  // namespace

bool IntrinsicLowering::lowerSpecialRegister(llvm::CallInst& instr, StringRef name)
{
    if (name == "__ls_explicit_cluster") {
        m_values.name(instr, {kExplicitClusterScalar, Form::Scalar}, LaneType::I32);
        return true;
    }
    if (!name.consume_front(kSpecialPrefix))
        return false;
    if (name == "warpsize") {
        m_values.set(instr, {m_registers.constant(kWarpSize)});
        return true;
    }
    const SpecialRegister* found = m_wholeRows ? findNamed(kRegistersOfWholeRows, name) : nullptr;
    if (!found)
        found = findNamed(kSpecialRegisters, name);
    if (!found)
        return false;
    m_values.name(instr, {found->reg, found->form}, LaneType::I32);
    return true;
}

bool IntrinsicLowering::lowerMath(llvm::CallInst& instr, StringRef fullName)
{
    StringRef name = baseName(fullName);
    bool isIntrinsic = fullName.starts_with("llvm.");
    llvm::Type* type = instr.getType()->getScalarType();
    if (!type->isFloatTy() && !type->isDoubleTy())
        return false;
    LaneType lane = laneTypeOf(type, &instr);
    std::vector<Parts> arguments;
    for (const llvm::Use& argument : instr.args())
        arguments.push_back(m_values.parts(argument.get()));
    if (const NamedUnary* unary = isIntrinsic ? findNamed(kFloatUnary, name) : nullptr) {
        Parts out = m_values.destinations(instr);
        for (size_t i = 0; i < out.size(); ++i)
            m_operations.unary(unary->op, lane, out[i], arguments[0][i], &instr);
        return true;
    }
    if (const NamedBinary* binary = isIntrinsic ? findNamed(kFloatBinary, name) : nullptr) {
        Parts out = m_values.destinations(instr);
        for (size_t i = 0; i < out.size(); ++i)
            m_operations.binary(binary->op, lane, out[i], arguments[0][i], arguments[1][i], &instr);
        return true;
    }
    bool isFma =
        isIntrinsic && (name == "fma" || name == "fmuladd" || name == "nvvm.fma.rn.f" || name == "nvvm.fma.rn.d");
    MathFunction function = isFma ? nullptr : mathFunction(fullName.str(), lane, arguments.size());
    if (!isFma && !function)
        return false;
    Parts out = m_values.destinations(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        bool scalar = out[i].form == Form::Scalar && isFma;
        uint32_t regs[3] = {};
        for (size_t k = 0; k < arguments.size() && k < 3; ++k)
            regs[k] = scalar ? arguments[k][i].reg : m_operations.asVector(arguments[k][i], lane);
        uint32_t result = out[i].form == Form::Scalar && !isFma ? m_registers.temporary(lane) : out[i].reg;
        if (isFma) {
            m_operations.ternary(TernaryOp::Fma, lane, out[i], regs, &instr).imm = onlyMultiplyAddReads(instr);
            continue;
        }
        Instr& emitted = m_code.emit(runMath(lane, arguments.size()), &instr);
        emitted.dst = result;
        emitted.a = regs[0];
        emitted.b = regs[1];
        emitted.c = regs[2];
        emitted.imm = reinterpret_cast<uint64_t>(function);
        if (result != out[i].reg)
            m_operations.firstLane(out[i], result, lane, &instr);
    }
    return true;
}

bool IntrinsicLowering::lowerInteger(llvm::CallInst& instr, StringRef fullName)
{
    StringRef name = baseName(fullName);
    if (!fullName.starts_with("llvm.") || !instr.getType()->isIntegerTy())
        return false;
    LaneType lane = laneTypeOf(instr.getType(), &instr);
    unsigned bits = instr.getType()->getIntegerBitWidth();
    auto argument = [&](unsigned index) { return m_values.operand(instr.getArgOperand(index)); };
    if (const NamedBinary* binary = findNamed(kIntegerBinary, name)) {
        bool isSigned = binary->op == BinaryOp::SMin || binary->op == BinaryOp::SMax;
        Operand a = isSigned ? m_operations.signExtended(argument(0), bits, lane, &instr) : argument(0);
        Operand b = isSigned ? m_operations.signExtended(argument(1), bits, lane, &instr) : argument(1);
        Operand out = m_values.destination(instr);
        m_operations.binary(binary->op, lane, out, a, b, &instr);
        m_operations.maskTo(bits, lane, out, &instr);
        return true;
    }
    if (bits != 32 && bits != 64)
        return false;
    constexpr NamedUnary kIntegerUnary[] = {{"ctpop", UnaryOp::PopCount},        {"ctlz", UnaryOp::LeadingZeros},
                                            {"cttz", UnaryOp::TrailingZeros},    {"bswap", UnaryOp::ByteSwap},
                                            {"bitreverse", UnaryOp::BitReverse}, {"abs", UnaryOp::Abs}};
    if (const NamedUnary* unary = findNamed(kIntegerUnary, name)) {
        Operand a = argument(0);
        m_operations.unary(unary->op, lane, m_values.destination(instr), a, &instr);
        return true;
    }
    if (name != "fshl" && name != "fshr")
        return false;
    Operand in[3] = {argument(0), argument(1), argument(2)};
    Operand out = m_values.destination(instr);
    bool scalar = out.form == Form::Scalar;
    uint32_t regs[3];
    for (int i = 0; i < 3; ++i)
        regs[i] = scalar ? in[i].reg : m_operations.asVector(in[i], lane);
    m_operations.ternary(name == "fshl" ? TernaryOp::FunnelLeft : TernaryOp::FunnelRight, lane, out, regs, &instr);
    return true;
}

}  // namespace lanescope::simt
