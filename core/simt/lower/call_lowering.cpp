// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/call_lowering.h"

#include <algorithm>

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/simt/ptx/ptx_to_ir.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

namespace {

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

CallLowering::CallLowering(FunctionContext& context, LocalStorage& storage, VariableRecorder& recorder,
                           LaneLowering& lanes, MemoryLowering& memory, WarpLowering& warp)
    : m_builder(context.builder), m_analysis(context.analysis), m_code(context.code), m_registers(context.registers),
      m_operations(context.operations), m_values(context.values), m_sites(context.sites), m_storage(storage),
      m_recorder(recorder), m_lanes(lanes), m_memory(memory), m_warp(warp), m_intrinsics(context)
{
}

void CallLowering::lower(llvm::CallInst& instr)
{
    auto* callee = dyn_cast<llvm::Function>(instr.getCalledOperand()->stripPointerCasts());
    if (!callee)
        throw Unsupported{instr.isInlineAsm() ? ptxProblem(instr) : "a call through a function pointer", &instr};
    if (std::string problem = ptxProblem(instr); !problem.empty())
        throw Unsupported{problem, &instr};
    StringRef name = callee->getName();
    if (name.starts_with("llvm.nvvm.membar") || name.starts_with("llvm.nvvm.fence"))
        return m_warp.lowerFence(instr, name.ends_with(".cta") ? SyncScope::Block : SyncScope::Device);
    if (doesNothing(instr, name))
        return;
    if (!callee->isDeclaration())
        return lowerFunctionCall(instr, *callee);
    if (name.starts_with("llvm.expect"))
        return m_values.define(instr, m_values.parts(instr.getArgOperand(0)));
    if (name.starts_with("llvm.nvvm.mma.") || name.starts_with("llvm.nvvm.ldmatrix."))
        throw Unsupported{"the intrinsic " + name.str(), &instr};
    if (m_intrinsics.lowerSpecialRegister(instr, name) || m_warp.lowerIntrinsic(instr, name) ||
        m_intrinsics.lowerMath(instr, name) || m_intrinsics.lowerInteger(instr, name) ||
        m_lanes.lowerIntrinsic(instr, name) || m_memory.lowerIntrinsic(instr) || m_warp.lowerSystemCall(instr, name) ||
        lowerStackIntrinsic(instr, name))
        return;
    if (name.starts_with("llvm."))
        throw Unsupported{"the intrinsic " + name.str(), &instr};
    throw Unsupported{"the function " + llvm::demangle(name.str()) + ", which is declared but not defined", &instr};
}

bool CallLowering::lowerStackIntrinsic(llvm::CallInst& instr, StringRef name)
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
void CallLowering::passByValue(llvm::CallInst& instr, unsigned index, llvm::Type* type, Operand parameter, int object)
{
    uint32_t bytes =
        m_operations.asVector(m_registers.constant(m_builder.layout().getTypeAllocSize(type)), LaneType::I64);
    uint32_t from = m_operations.asVector(m_values.operand(instr.getArgOperand(index)), LaneType::I64);
    uint32_t to = object == LoweredFunction::kOnStack ? m_storage.allocate(bytes, &instr)
                                                      : m_operations.asVector(parameter, LaneType::I64);
    m_memory.copyBytes(instr, to, from, bytes, instr.getArgOperand(index), instr.getArgOperand(index));
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

void CallLowering::lowerFunctionCall(llvm::CallInst& instr, llvm::Function& callee)
{
    const LoweredFunction& target = m_builder.function(callee, &instr);
    m_recorder.forget();
    m_sites.addCall(instr, callee);
    // What stands for "..." is passed to nobody who looks: a fallback that overloads are chosen by.
    const auto count = static_cast<unsigned>(target.parameters.size());
    if (instr.arg_size() > count && readsVariadicArguments(callee))
        throw Unsupported{"a function with a variable number of arguments: '" + describe(instr) + "'", &instr};
    bool callsBack = m_builder.callsBack(m_analysis.function(), callee);
    bool usesStack = false;
    Operand stackBefore{};
    for (unsigned i = 0; i < count; ++i)
        usesStack |= target.byValObjects[i] == LoweredFunction::kOnStack;
    if (usesStack) {
        stackBefore = {m_registers.newVector(LaneType::I64), Form::Vector};
        m_operations.unary(UnaryOp::Copy, LaneType::I64, stackBefore, {kStackReg, Form::Vector}, &instr);
    }
    const std::vector<Parts> staged = passArguments(instr, callee, target, callsBack);
    if (callsBack) {
        m_code.emit(runSpill, &instr).imm = reinterpret_cast<uint64_t>(m_registers.spills());
        for (unsigned i = 0; i < count; ++i)
            copyParts(target.parameters[i], staged[i], *instr.getArgOperand(i), instr);
    }
    m_code.emit(runCall, &instr).imm = reinterpret_cast<uint64_t>(target.entry);
    if (callsBack)
        m_code.emit(runUnspill, &instr).imm = reinterpret_cast<uint64_t>(m_registers.spills());
    if (usesStack)
        m_operations.copy({kStackReg, Form::Vector}, stackBefore, LaneType::I64);
    if (instr.getType()->isVoidTy() || instr.use_empty())
        return;
    copyParts(m_values.destinations(instr), target.result, instr, instr);
}

/// All arguments are computed before the first parameter changes: when a function calls itself, its arguments are made
/// of its parameters. Returns where they are: in the parameters, except for a call that comes back.
std::vector<Parts> CallLowering::passArguments(llvm::CallInst& instr, const llvm::Function& callee,
                                               const LoweredFunction& target, bool callsBack)
{
    std::vector<Parts> staged(target.parameters);
    for (unsigned i = 0; i < staged.size(); ++i) {
        const llvm::Value& argument = *instr.getArgOperand(i);
        if (callsBack && target.byValObjects[i] < 0) {
            const std::vector<Leaf> all = leavesOf(m_builder.layout(), argument.getType(), &instr);
            for (size_t part = 0; part < staged[i].size(); ++part)
                staged[i][part] = m_registers.newOperand(all[part].lane, Form::Vector);
        }
        if (target.byValObjects[i] != -1)
            passByValue(instr, i, callee.getParamByValType(i), staged[i][0], target.byValObjects[i]);
        else
            copyParts(staged[i], m_values.parts(&argument), argument, instr);
    }
    return staged;
}

/// \p value: whose parts they are.
void CallLowering::copyParts(const Parts& to, const Parts& from, const llvm::Value& value,
                             const llvm::Instruction& where)
{
    const std::vector<Leaf> all = leavesOf(m_builder.layout(), value.getType(), &where);
    for (size_t i = 0; i < std::min(to.size(), from.size()); ++i)
        m_operations.copy(to[i], from[i], all[i].lane);
}

}  // namespace lanescope::simt
