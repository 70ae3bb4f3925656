// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowering of calls: device functions, LLVM's and NVVM's intrinsics, the math library.

#include <algorithm>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/code/operations.h"
#include "core/simt/lower/function_lowering.h"
#include "core/simt/lower/fusion.h"
#include "core/simt/machine/math_library.h"
#include "core/simt/ptx/ptx_to_ir.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

constexpr uint64_t kMostAligned = 16;  ///< bytes of the largest single access

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
           name.starts_with("llvm.sideeffect") || name.starts_with("llvm.experimental.noalias") ||
           name.starts_with("llvm.prefetch") || name.starts_with("llvm.invariant.end") ||
           name.starts_with("llvm.var.annotation");
}

}  // namespace

void FunctionLowering::lowerCall(llvm::CallInst& instr)
{
    auto* callee = dyn_cast<llvm::Function>(instr.getCalledOperand()->stripPointerCasts());
    if (!callee)
        throw Unsupported{instr.isInlineAsm() ? ptxProblem(instr) : "a call through a function pointer", &instr};
    StringRef name = callee->getName();
    if (name.starts_with("llvm.nvvm.membar") || name.starts_with("llvm.nvvm.fence"))
        return emitFence(instr, name.ends_with(".cta"));
    if (doesNothing(instr, name))
        return;
    if (!callee->isDeclaration())
        return lowerFunctionCall(instr, *callee);
    if (name.starts_with("llvm.expect"))
        return m_values.define(instr, m_values.parts(instr.getArgOperand(0)));
    if (name.starts_with("llvm.nvvm.mma.") || name.starts_with("llvm.nvvm.ldmatrix."))
        throw Unsupported{"the intrinsic " + name.str(), &instr};
    if (lowerSpecialRegister(instr, name) || lowerBarrier(instr, name) || lowerWarpIntrinsic(instr, name) ||
        lowerClock(instr, name) || lowerMath(instr, name) || lowerIntegerIntrinsic(instr, name) ||
        lowerLaneIntrinsic(instr, name) || lowerMemoryIntrinsic(instr) || lowerSystemCall(instr, name) ||
        lowerStackIntrinsic(instr, name))
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
        m_values.set(instr, {m_registers.constant(kWarpSize)});
        return true;
    }
    const SpecialRegister* found = findNamed(kSpecialRegisters, name);
    if (!found)
        return false;
    // These registers never change: the value is another name for them.
    if (const llvm::AllocaInst* variable = m_values.directTarget(instr)) {
        m_values.detachAliases(*variable, instr);
        Operand target = m_values.variable(*variable);
        m_operations.copy(target, {found->reg, found->form}, LaneType::I32);
        m_values.set(instr, {target});
        return true;
    }
    m_values.set(instr, {{found->reg, found->form}});
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

bool FunctionLowering::lowerIntegerIntrinsic(llvm::CallInst& instr, StringRef fullName)
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

namespace {

/// What a copy demands of its addresses: of a struct that is copied whole, its own alignment.
uint32_t demandedAlignment(llvm::MaybeAlign declared, const llvm::Value* length)
{
    const auto* bytes = dyn_cast<llvm::ConstantInt>(length);
    const auto alignment = static_cast<uint32_t>(std::min<uint64_t>(declared.valueOrOne().value(), kMostAligned));
    // Pieces are as large as the length allows, so that none is less aligned than the whole.
    return bytes && bytes->getZExtValue() % alignment == 0 ? alignment : 1;
}

}  // namespace

void FunctionLowering::copyBytes(const llvm::Instruction& instr, uint32_t to, uint32_t from, uint32_t length,
                                 const llvm::Value* toPointer, const llvm::Value* fromPointer)
{
    std::array<MemoryInfo, 2> infos;
    if (const auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
        infos[0].alignment = demandedAlignment(copy->getSourceAlign(), copy->getLength());
        infos[1].alignment = demandedAlignment(copy->getDestAlign(), copy->getLength());
    }
    llvm::Type* byte = llvm::Type::getInt8Ty(instr.getContext());
    describeAccess(infos[0], instr, fromPointer, trace::SiteKind::Load, byte);
    describeAccess(infos[1], instr, toPointer, trace::SiteKind::Store, byte);
    m_builder.program().copies.push_back(infos);
    Instr& emitted = m_code.emit(runMemoryCopy, &instr);
    emitted.dst = to;
    emitted.a = from;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(m_builder.program().copies.back().data());
}

bool FunctionLowering::lowerMemoryIntrinsic(llvm::CallInst& instr)
{
    if (auto* copy = dyn_cast<llvm::MemTransferInst>(&instr)) {
        uint32_t to = m_operations.asVector(m_values.operand(copy->getRawDest()), LaneType::I64);
        uint32_t from = m_operations.asVector(m_values.operand(copy->getRawSource()), LaneType::I64);
        uint32_t length = m_operations.asVector(m_values.operand(copy->getLength()), LaneType::I64);
        copyBytes(instr, to, from, length, copy->getRawDest(), copy->getRawSource());
        return true;
    }
    auto* set = dyn_cast<llvm::MemSetInst>(&instr);
    if (!set)
        return false;
    uint32_t to = m_operations.asVector(m_values.operand(set->getRawDest()), LaneType::I64);
    uint32_t value = m_operations.asVector(m_values.operand(set->getValue()), LaneType::I32);
    uint32_t length = m_operations.asVector(m_values.operand(set->getLength()), LaneType::I64);
    MemoryInfo info;
    describeAccess(info, instr, set->getRawDest(), trace::SiteKind::Store, llvm::Type::getInt8Ty(instr.getContext()));
    m_builder.program().memory.push_back(info);
    Instr& emitted = m_code.emit(runMemorySet, &instr);
    emitted.dst = to;
    emitted.a = value;
    emitted.b = length;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
    return true;
}

bool FunctionLowering::lowerStackIntrinsic(llvm::CallInst& instr, StringRef name)
{
    if (name.starts_with("llvm.stacksave")) {
        Operand saved{m_registers.newVector(LaneType::I64), Form::Vector};
        m_operations.unary(UnaryOp::Copy, LaneType::I64, saved, {kStackReg, Form::Vector}, &instr);
        m_values.set(instr, {saved});
        return true;
    }
    if (!name.starts_with("llvm.stackrestore"))
        return false;
    m_operations.copy({kStackReg, Form::Vector}, m_values.operand(instr.getArgOperand(0)), LaneType::I64);
    return true;
}

/// Copies a struct that is passed by value to where the callee finds it.
void FunctionLowering::passByValue(llvm::CallInst& instr, unsigned index, llvm::Type* type, Operand parameter,
                                   int object)
{
    uint32_t bytes =
        m_operations.asVector(m_registers.constant(m_builder.layout().getTypeAllocSize(type)), LaneType::I64);
    uint32_t from = m_operations.asVector(m_values.operand(instr.getArgOperand(index)), LaneType::I64);
    uint32_t to = object == LoweredFunction::kOnStack ? m_storage.allocate(bytes, &instr)
                                                      : m_operations.asVector(parameter, LaneType::I64);
    copyBytes(instr, to, from, bytes, instr.getArgOperand(index), instr.getArgOperand(index));
    if (object == LoweredFunction::kOnStack)
        m_operations.copy(parameter, {to, Form::Vector}, LaneType::I64);
}

namespace {

bool readsVariadicArguments(const llvm::Function& function)
{
    return std::ranges::any_of(llvm::instructions(function),
                               [](const llvm::Instruction& instr) { return isa<llvm::VAStartInst>(instr); });
}

}  // namespace

void FunctionLowering::lowerFunctionCall(llvm::CallInst& instr, llvm::Function& callee)
{
    const LoweredFunction& target = m_builder.function(callee, &instr);
    m_recorder.forgetAll();
    // What stands for "..." is passed to nobody who looks: a fallback that overloads are chosen by.
    const auto count = static_cast<unsigned>(target.parameters.size());
    if (instr.arg_size() > count && readsVariadicArguments(callee))
        throw Unsupported{"a function with a variable number of arguments: '" + describe(instr) + "'", &instr};
    bool callsBack = m_builder.callsBack(m_function, callee);
    bool usesStack = false;
    Operand stackBefore{};
    for (unsigned i = 0; i < count; ++i)
        usesStack |= target.byValObjects[i] == LoweredFunction::kOnStack;
    if (usesStack) {
        stackBefore = {m_registers.newVector(LaneType::I64), Form::Vector};
        m_operations.unary(UnaryOp::Copy, LaneType::I64, stackBefore, {kStackReg, Form::Vector}, &instr);
    }
    // All arguments are computed before the first parameter changes: when a function calls itself, its arguments
    // are made of its parameters.
    std::vector<Parts> staged(count);
    for (unsigned i = 0; i < count; ++i) {
        staged[i] = target.parameters[i];
        if (callsBack && target.byValObjects[i] < 0) {
            std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getArgOperand(i)->getType(), &instr);
            for (size_t part = 0; part < staged[i].size(); ++part)
                staged[i][part] = {m_registers.newVector(all[part].lane), Form::Vector};
        }
        if (target.byValObjects[i] != -1) {
            passByValue(instr, i, callee.getParamByValType(i), staged[i][0], target.byValObjects[i]);
            continue;
        }
        Parts value = m_values.parts(instr.getArgOperand(i));
        std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getArgOperand(i)->getType(), &instr);
        for (size_t part = 0; part < value.size(); ++part)
            m_operations.copy(staged[i][part], value[part], all[part].lane);
    }
    if (callsBack) {
        m_code.emit(runSpill, &instr).imm = reinterpret_cast<uint64_t>(m_registers.spills());
        for (unsigned i = 0; i < count; ++i) {
            std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getArgOperand(i)->getType(), &instr);
            for (size_t part = 0; part < staged[i].size(); ++part)
                m_operations.copy(target.parameters[i][part], staged[i][part], all[part].lane);
        }
    }
    m_code.emit(runCall, &instr).imm = reinterpret_cast<uint64_t>(target.entry);
    if (callsBack)
        m_code.emit(runUnspill, &instr).imm = reinterpret_cast<uint64_t>(m_registers.spills());
    if (usesStack)
        m_operations.copy({kStackReg, Form::Vector}, stackBefore, LaneType::I64);
    if (instr.getType()->isVoidTy() || instr.use_empty())
        return;
    std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts out = m_values.destinations(instr);
    for (size_t i = 0; i < out.size(); ++i)
        m_operations.copy(out[i], target.result[i], all[i].lane);
}

}  // namespace lanescope::simt
