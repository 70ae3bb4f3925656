// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering of calls: device functions, LLVM's and NVVM's intrinsics, the math library.
#include "core/simt/lowering.h"

#include <algorithm>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/math_library.h"

namespace lanescope::simt {

using llvm::cast;
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
    {"tid.x", kThreadIdxReg, Form::Vector},         {"tid.y", kThreadIdxReg + 128, Form::Vector},
    {"tid.z", kThreadIdxReg + 256, Form::Vector},   {"laneid", kLaneIdReg, Form::Vector},
    {"ctaid.x", kBlockIdxScalar, Form::Scalar},     {"ctaid.y", kBlockIdxScalar + 1, Form::Scalar},
    {"ctaid.z", kBlockIdxScalar + 2, Form::Scalar}, {"ntid.x", kBlockDimScalar, Form::Scalar},
    {"ntid.y", kBlockDimScalar + 1, Form::Scalar},  {"ntid.z", kBlockDimScalar + 2, Form::Scalar},
    {"nctaid.x", kGridDimScalar, Form::Scalar},     {"nctaid.y", kGridDimScalar + 1, Form::Scalar},
    {"nctaid.z", kGridDimScalar + 2, Form::Scalar},
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
    {"nvvm.sqrt.approx.f", UnaryOp::Sqrt},
    {"nvvm.rsqrt.approx.f", UnaryOp::Rsqrt},
    {"nvvm.rsqrt.approx.d", UnaryOp::Rsqrt},
    {"nvvm.rcp.rn.f", UnaryOp::Rcp},
    {"nvvm.rcp.rn.d", UnaryOp::Rcp},
    {"nvvm.ex2.approx.f", UnaryOp::Exp2},
    {"nvvm.lg2.approx.f", UnaryOp::Log2},
    {"nvvm.sin.approx.f", UnaryOp::Sin},
    {"nvvm.cos.approx.f", UnaryOp::Cos},
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

bool doesNothing(const llvm::CallInst& call, StringRef name)
{
    const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call);
    return (intrinsic && (intrinsic->isLifetimeStartOrEnd() || isa<llvm::DbgInfoIntrinsic>(intrinsic))) ||
           name.starts_with("llvm.assume") || name.starts_with("llvm.donothing") ||
           name.starts_with("llvm.sideeffect") || name.starts_with("llvm.nvvm.membar") ||
           name.starts_with("llvm.experimental.noalias") || name.starts_with("llvm.stacksave") ||
           name.starts_with("llvm.stackrestore");
}

}  // namespace

void FunctionLowering::lowerCall(llvm::CallInst& instr)
{
    llvm::Function* callee = instr.getCalledFunction();
    if (!callee)
        throw Unsupported{instr.isInlineAsm() ? "inline assembly: '" + describe(instr) + "'"
                                              : "a call through a function pointer",
                          &instr};
    StringRef name = callee->getName();
    if (doesNothing(instr, name))
        return;
    if (!callee->isDeclaration())
        return lowerFunctionCall(instr, *callee);
    if (name.starts_with("llvm.expect"))
        return define(instr, parts(instr.getArgOperand(0)));
    if (auto* overflow = dyn_cast<llvm::WithOverflowInst>(&instr))
        return lowerOverflow(*overflow);
    if (lowerSpecialRegister(instr, name) || lowerBarrier(instr, name) || lowerMath(instr, name) ||
        lowerIntegerIntrinsic(instr, name) || lowerMemoryIntrinsic(instr))
        return;
    if (name.starts_with("llvm."))
        throw Unsupported{"the intrinsic " + name.str(), &instr};
    throw Unsupported{"the function " + llvm::demangle(name.str()) + ", which is declared but not defined", &instr};
}

bool FunctionLowering::lowerSpecialRegister(llvm::CallInst& instr, StringRef name)
{
    if (!name.consume_front(kSpecialPrefix))
        return false;
    if (name == "warpsize") {
        m_values[&instr] = {m_builder.constant(kWarpSize)};
        return true;
    }
    const SpecialRegister* found = findNamed(kSpecialRegisters, name);
    if (!found)
        return false;
    // These registers never change: the value is another name for them.
    if (const llvm::AllocaInst* variable = directTarget(instr)) {
        detachAliases(variable, instr);
        Operand target = m_variables[variable].parts[0];
        copyTo(target, {found->reg, found->form}, LaneType::I32);
        m_values[&instr] = {target};
        return true;
    }
    m_values[&instr] = {{found->reg, found->form}};
    return true;
}

bool FunctionLowering::lowerBarrier(llvm::CallInst& instr, StringRef name)
{
    if (name == "llvm.nvvm.bar.warp.sync")
        return true;  // lanes of a split are together already
    if (name == "llvm.trap" || name == "llvm.debugtrap") {
        static const char* kText = "the kernel called __trap";
        emit(runTrap, &instr).imm = reinterpret_cast<uint64_t>(kText);
        return true;
    }
    bool isBarrier =
        name == "llvm.nvvm.barrier0" || name == "llvm.nvvm.barrier.cta.sync.aligned.all" ||
        ((name == "llvm.nvvm.barrier.sync" || name == "llvm.nvvm.bar.sync" || name == "llvm.nvvm.barrier.n") &&
         isa<llvm::ConstantInt>(instr.getArgOperand(0)) && cast<llvm::ConstantInt>(instr.getArgOperand(0))->isZero());
    if (!isBarrier)
        return false;
    emit(runBarrier, &instr);
    SiteId where = site(trace::SiteKind::Barrier, instr, "__syncthreads()", {});
    m_code.back().c = where.value;
    m_code.back().b = passedMark(*instr.getParent());
    return true;
}

bool FunctionLowering::lowerMath(llvm::CallInst& instr, StringRef fullName)
{
    StringRef name = baseName(fullName);
    bool isIntrinsic = fullName.starts_with("llvm.");
    llvm::Type* type = instr.getType()->getScalarType();
    if (!type->isFloatTy() && !type->isDoubleTy())
        return false;
    LaneType lane = laneTypeOf(type, &instr);
    std::vector<Parts> arguments;
    for (const llvm::Use& argument : instr.args())
        arguments.push_back(parts(argument.get()));
    if (const NamedUnary* unary = isIntrinsic ? findNamed(kFloatUnary, name) : nullptr) {
        Parts out = destinations(instr);
        for (size_t i = 0; i < out.size(); ++i)
            emitUnary(unary->op, lane, out[i], arguments[0][i], &instr);
        return true;
    }
    if (const NamedBinary* binary = isIntrinsic ? findNamed(kFloatBinary, name) : nullptr) {
        Parts out = destinations(instr);
        for (size_t i = 0; i < out.size(); ++i)
            emitBinary(binary->op, lane, out[i], arguments[0][i], arguments[1][i], &instr);
        return true;
    }
    bool isFma =
        isIntrinsic && (name == "fma" || name == "fmuladd" || name == "nvvm.fma.rn.f" || name == "nvvm.fma.rn.d");
    MathFunction function = isFma ? nullptr : mathFunction(fullName.str(), lane, arguments.size());
    if (!isFma && !function)
        return false;
    Parts out = destinations(instr);
    for (size_t i = 0; i < out.size(); ++i) {
        bool scalar = out[i].form == Form::Scalar && isFma;
        uint32_t regs[3] = {};
        for (size_t k = 0; k < arguments.size() && k < 3; ++k)
            regs[k] = scalar ? arguments[k][i].reg : asVector(arguments[k][i], lane);
        uint32_t result = out[i].form == Form::Scalar && !isFma ? temporary(lane) : out[i].reg;
        Instr& emitted =
            emit(isFma ? m_builder.handlers().ternary(TernaryOp::Fma, lane, scalar) : runMath(lane, arguments.size()),
                 &instr);
        emitted.dst = result;
        emitted.a = regs[0];
        emitted.b = regs[1];
        emitted.c = regs[2];
        emitted.imm = reinterpret_cast<uint64_t>(function);
        if (result != out[i].reg) {
            Instr& first = emit(m_builder.handlers().firstLane(lane), &instr);
            first.dst = out[i].reg;
            first.a = result;
        }
    }
    return true;
}

bool FunctionLowering::lowerIntegerIntrinsic(llvm::CallInst& instr, StringRef fullName)
{
    StringRef name = baseName(fullName);
    if (!fullName.starts_with("llvm.") || !instr.getType()->isIntegerTy())
        return false;
    LaneType lane = laneTypeOf(instr.getType(), &instr);
    unsigned bits = instr.getType()->getIntegerBitWidth();
    auto argument = [&](unsigned index) { return operand(instr.getArgOperand(index)); };
    if (const NamedBinary* binary = findNamed(kIntegerBinary, name)) {
        bool isSigned = binary->op == BinaryOp::SMin || binary->op == BinaryOp::SMax;
        Operand a = isSigned ? signExtended(argument(0), bits, lane, &instr) : argument(0);
        Operand b = isSigned ? signExtended(argument(1), bits, lane, &instr) : argument(1);
        Operand out = destination(instr);
        emitBinary(binary->op, lane, out, a, b, &instr);
        maskTo(bits, lane, out, &instr);
        return true;
    }
    if (bits != 32 && bits != 64)
        return false;
    constexpr NamedUnary kIntegerUnary[] = {{"ctpop", UnaryOp::PopCount},        {"ctlz", UnaryOp::LeadingZeros},
                                            {"cttz", UnaryOp::TrailingZeros},    {"bswap", UnaryOp::ByteSwap},
                                            {"bitreverse", UnaryOp::BitReverse}, {"abs", UnaryOp::Abs}};
    if (const NamedUnary* unary = findNamed(kIntegerUnary, name)) {
        Operand a = argument(0);
        emitUnary(unary->op, lane, destination(instr), a, &instr);
        return true;
    }
    if (name != "fshl" && name != "fshr")
        return false;
    Operand in[3] = {argument(0), argument(1), argument(2)};
    Operand out = destination(instr);
    bool scalar = out.form == Form::Scalar;
    uint32_t regs[3];
    for (int i = 0; i < 3; ++i)
        regs[i] = scalar ? in[i].reg : asVector(in[i], lane);
    Instr& emitted = emit(
        m_builder.handlers().ternary(name == "fshl" ? TernaryOp::FunnelLeft : TernaryOp::FunnelRight, lane, scalar),
        &instr);
    emitted.dst = out.reg;
    emitted.a = regs[0];
    emitted.b = regs[1];
    emitted.c = regs[2];
    return true;
}

/// {result, overflowed} in twice the width; 64-bit unsigned sums and differences by comparison.
void FunctionLowering::lowerOverflow(llvm::WithOverflowInst& instr)
{
    llvm::Type* type = instr.getLHS()->getType();
    if (!type->isIntegerTy(32))
        throw Unsupported{"the intrinsic " + instr.getCalledFunction()->getName().str(), &instr};
    Operand a = operand(instr.getLHS()), b = operand(instr.getRHS());
    Operand wideA{temporary(LaneType::I64), Form::Vector}, wideB{temporary(LaneType::I64), Form::Vector};
    Operand wide{temporary(LaneType::I64), Form::Vector}, again{temporary(LaneType::I64), Form::Vector};
    CastOp extend = instr.isSigned() ? CastOp::Sext : CastOp::Zext32To64;
    emitCast(extend, LaneType::I32, LaneType::I64, 32, 64, wideA, a, &instr);
    emitCast(extend, LaneType::I32, LaneType::I64, 32, 64, wideB, b, &instr);
    BinaryOp op = instr.getBinaryOp() == llvm::Instruction::Add   ? BinaryOp::Add
                  : instr.getBinaryOp() == llvm::Instruction::Sub ? BinaryOp::Sub
                                                                  : BinaryOp::Mul;
    emitBinary(op, LaneType::I64, wide, wideA, wideB, &instr);
    Operand low{m_builder.newVector(LaneType::I32), Form::Vector},
        flag{m_builder.newVector(LaneType::I32), Form::Vector};
    emitCast(CastOp::Trunc, LaneType::I64, LaneType::I32, 64, 32, low, wide, &instr);
    emitCast(extend, LaneType::I32, LaneType::I64, 32, 64, again, low, &instr);
    Instr& compare =
        emit(m_builder.handlers().compare(CompareOp::Ne, LaneType::I64, Form::Vector, Form::Vector), &instr);
    compare.dst = flag.reg;
    compare.a = wide.reg;
    compare.b = again.reg;
    if (isUniform(instr)) {
        Operand scalars[2] = {{m_builder.newScalar(), Form::Scalar}, {m_builder.newScalar(), Form::Scalar}};
        for (int i = 0; i < 2; ++i) {
            Instr& first = emit(m_builder.handlers().firstLane(LaneType::I32), &instr);
            first.dst = scalars[i].reg;
            first.a = (i == 0 ? low : flag).reg;
        }
        m_values[&instr] = {scalars[0], scalars[1]};
    } else {
        m_values[&instr] = {low, flag};
    }
}

void FunctionLowering::copyBytes(const llvm::Instruction& instr, uint32_t to, uint32_t from, uint32_t length,
                                 const llvm::Value* toPointer, const llvm::Value* fromPointer)
{
    std::array<MemoryInfo, 2> infos;
    llvm::Type* byte = llvm::Type::getInt8Ty(instr.getContext());
    describeAccess(infos[0], instr, fromPointer, trace::SiteKind::Load, byte);
    describeAccess(infos[1], instr, toPointer, trace::SiteKind::Store, byte);
    m_builder.program().copies.push_back(infos);
    Instr& emitted = emit(runMemoryCopy, &instr);
    emitted.dst = to;
    emitted.a = from;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(m_builder.program().copies.back().data());
}

bool FunctionLowering::lowerMemoryIntrinsic(llvm::CallInst& instr)
{
    if (auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
        uint32_t to = asVector(operand(copy->getRawDest()), LaneType::I64);
        uint32_t from = asVector(operand(copy->getRawSource()), LaneType::I64);
        uint32_t length = asVector(operand(copy->getLength()), LaneType::I64);
        copyBytes(instr, to, from, length, copy->getRawDest(), copy->getRawSource());
        return true;
    }
    auto* set = dyn_cast<llvm::MemSetInst>(&instr);
    if (!set)
        return false;
    uint32_t to = asVector(operand(set->getRawDest()), LaneType::I64);
    uint32_t value = asVector(operand(set->getValue()), LaneType::I32);
    uint32_t length = asVector(operand(set->getLength()), LaneType::I64);
    MemoryInfo info;
    describeAccess(info, instr, set->getRawDest(), trace::SiteKind::Store, llvm::Type::getInt8Ty(instr.getContext()));
    m_builder.program().memory.push_back(info);
    Instr& emitted = emit(runMemorySet, &instr);
    emitted.dst = to;
    emitted.a = value;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
    return true;
}

void FunctionLowering::lowerFunctionCall(llvm::CallInst& instr, llvm::Function& callee)
{
    const LoweredFunction& target = m_builder.function(callee, &instr);
    for (unsigned i = 0; i < instr.arg_size(); ++i) {
        Parts value = parts(instr.getArgOperand(i));
        if (i >= target.parameters.size())
            throw Unsupported{"a call with a variable number of arguments: '" + describe(instr) + "'", &instr};
        if (int object = target.byValObjects[i]; object >= 0) {
            uint64_t bytes = m_builder.layout().getTypeAllocSize(callee.getParamByValType(i));
            copyBytes(instr, asVector(target.parameters[i][0], LaneType::I64), asVector(value[0], LaneType::I64),
                      asVector(m_builder.constant(bytes), LaneType::I64), instr.getArgOperand(i),
                      instr.getArgOperand(i));
            continue;
        }
        std::vector<Leaf> all = m_builder.leaves(instr.getArgOperand(i)->getType(), &instr);
        for (size_t part = 0; part < value.size(); ++part)
            copyTo(target.parameters[i][part], value[part], all[part].lane);
    }
    Instr& emitted = emit(runCall, &instr);
    emitted.imm = reinterpret_cast<uint64_t>(target.entry);
    if (instr.getType()->isVoidTy() || instr.use_empty())
        return;
    std::vector<Leaf> all = m_builder.leaves(instr.getType(), &instr);
    Parts out = destinations(instr);
    for (size_t i = 0; i < out.size(); ++i)
        copyTo(out[i], target.result[i], all[i].lane);
}

}  // namespace lanescope::simt
