// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where SSA values are: registers and their reuse, constants, copies between forms.

#include <algorithm>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include "core/simt/code/operations.h"
#include "core/simt/lower/function_lowering.h"

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

Operand FunctionLowering::newOperand(LaneType lane, bool uniform, bool blockLocal)
{
    if (uniform)
        return {m_builder.registers().newScalar(), Form::Scalar};
    auto& free = isWide(lane) ? m_freeWide : m_freeNarrow;
    if (blockLocal && !free.empty()) {
        uint32_t reg = free.back();
        free.pop_back();
        return {reg, Form::Vector};
    }
    return {newVector(lane), Form::Vector};
}

uint32_t FunctionLowering::temporary(LaneType lane)
{
    uint32_t reg = newOperand(lane, false, true).reg;
    m_temporaries.emplace_back(reg, isWide(lane));
    return reg;
}

void FunctionLowering::release(const llvm::Instruction& position)
{
    for (auto [reg, wide] : m_temporaries)
        (wide ? m_freeWide : m_freeNarrow).push_back(reg);
    m_temporaries.clear();
    std::erase_if(m_owned, [&](const auto& owned) {
        if (m_lastUse[owned.first] != &position)
            return false;
        std::vector<Leaf> all = leavesOf(m_builder.layout(), owned.first->getType(), nullptr);
        bool wide = owned.second.form == Form::Vector && all.size() == 1 && isWide(all.front().lane);
        (wide ? m_freeWide : m_freeNarrow).push_back(owned.second.reg);
        return true;
    });
}

Parts FunctionLowering::destinations(const llvm::Instruction& instr)
{
    Parts value;
    if (const llvm::AllocaInst* variable = directTarget(instr)) {
        detachAliases(variable, instr);
        value = m_variables[variable].parts;
    } else {
        std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
        bool local = m_lastUse.count(&instr) && all.size() == 1;
        for (const Leaf& leaf : all) {
            value.push_back(newOperand(leaf.lane, isUniform(instr), local));
            if (local && value.back().form == Form::Vector)
                m_owned.emplace_back(&instr, value.back());
        }
    }
    m_values[&instr] = value;
    return value;
}

Operand FunctionLowering::destination(const llvm::Instruction& instr, unsigned index)
{
    return destinations(instr)[index];
}

/// The variable that \p instr's value may be computed into directly: its only use is a store to that variable
/// further down the block, and nobody reads or writes the variable in between.
const llvm::AllocaInst* FunctionLowering::directTarget(const llvm::Instruction& instr)
{
    if (!instr.hasOneUse() || isa<llvm::LoadInst>(instr))
        return nullptr;
    const auto* store = dyn_cast<llvm::StoreInst>(*instr.user_begin());
    if (!store || store->getValueOperand() != &instr || store->getParent() != instr.getParent())
        return nullptr;
    const auto* alloca = dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
    auto variable = alloca ? m_variables.find(alloca) : m_variables.end();
    if (variable == m_variables.end() || variable->second.uniform != isUniform(instr))
        return nullptr;
    for (const llvm::Instruction* between = instr.getNextNode(); between != store; between = between->getNextNode())
        if (std::any_of(between->op_begin(), between->op_end(),
                        [&](const llvm::Use& use) { return use.get() == alloca; }))
            return nullptr;
    return alloca;
}

/// Loads of a variable name its register; before the register changes, those still needed get a copy.
void FunctionLowering::detachAliases(const llvm::AllocaInst* variable, const llvm::Instruction& position)
{
    std::vector<const llvm::Value*> stale;
    for (const auto& [value, alias] : m_aliases)
        if (alias == variable)
            stale.push_back(value);
    std::sort(stale.begin(), stale.end(), [&](const llvm::Value* a, const llvm::Value* b) {
        return m_order[cast<llvm::Instruction>(a)] < m_order[cast<llvm::Instruction>(b)];
    });
    for (const llvm::Value* value : stale) {
        const auto* load = cast<llvm::Instruction>(value);
        m_aliases.erase(value);
        if (m_order[m_lastUse[load]] <= m_order[&position])
            continue;
        LaneType lane = laneTypeOf(load->getType(), load);
        Operand from = m_values[value].front();
        Operand copy = newOperand(lane, from.form == Form::Scalar, true);
        if (copy.form == Form::Vector)
            m_owned.emplace_back(load, copy);
        copyTo(copy, from, lane);
        m_values[value] = {copy};
    }
}

void FunctionLowering::define(const llvm::Instruction& instr, Parts value)
{
    // Another name for registers that live elsewhere; copied when the value outlives the place it comes from.
    std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
    Parts out;
    bool uniform = isUniform(instr);
    for (size_t i = 0; i < all.size(); ++i) {
        Operand copy = newOperand(all[i].lane, uniform && value[i].form == Form::Scalar, false);
        copyTo(copy, value[i], all[i].lane);
        out.push_back(copy);
    }
    m_values[&instr] = out;
}

Parts FunctionLowering::parts(const llvm::Value* value)
{
    if (const auto* constant = dyn_cast<llvm::Constant>(value))
        return constantParts(*constant);
    if (const auto* argument = dyn_cast<llvm::Argument>(value))
        return m_parameters[argument->getArgNo()];
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(value))
        if (auto address = m_localAddresses.find(alloca); address != m_localAddresses.end())
            return {m_builder.registers().constant(address->second)};
    auto found = m_values.find(value);
    if (found != m_values.end())
        return found->second;
    const auto* instr = dyn_cast<llvm::Instruction>(value);
    if (!instr || !isFoldedAddress(*instr))
        throw Unsupported{
            "a value used before it is computed" + (instr ? ": '" + describe(*instr) + "'" : std::string()), instr};
    // A folded computation asked for after all (rare): compute it here.
    lowerInstruction(*const_cast<llvm::Instruction*>(instr));
    return m_values.find(value)->second;
}

uint64_t FunctionLowering::constantAddress(const llvm::Constant& constant)
{
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(&constant))
        return m_builder.addressOf(*global);
    if (const auto* number = dyn_cast<llvm::ConstantInt>(&constant))
        return number->getZExtValue();
    if (constant.isNullValue() || isa<llvm::UndefValue>(constant))
        return 0;
    if (const auto* expression = dyn_cast<llvm::ConstantExpr>(&constant)) {
        if (const auto* gep = dyn_cast<llvm::GEPOperator>(expression)) {
            llvm::APInt offset(64, 0);
            if (gep->accumulateConstantOffset(m_builder.layout(), offset))
                return constantAddress(*cast<llvm::Constant>(gep->getPointerOperand())) + offset.getZExtValue();
        }
        if (expression->isCast())
            return constantAddress(*expression->getOperand(0));
        if (expression->getOpcode() == llvm::Instruction::Add || expression->getOpcode() == llvm::Instruction::Sub) {
            uint64_t a = constantAddress(*expression->getOperand(0)), b = constantAddress(*expression->getOperand(1));
            return expression->getOpcode() == llvm::Instruction::Add ? a + b : a - b;
        }
    }
    if (const auto* function = dyn_cast<llvm::Function>(&constant))
        return m_builder.addressOf(*function);
    std::string text;
    llvm::raw_string_ostream stream(text);
    constant.print(stream);
    throw Unsupported{"the constant " + text, nullptr};
}

Parts FunctionLowering::constantParts(const llvm::Constant& constant)
{
    if (isa<llvm::ConstantExpr>(constant))
        if (const llvm::Constant* folded = llvm::ConstantFoldConstant(&constant, m_builder.layout());
            folded && !isa<llvm::ConstantExpr>(folded))
            return constantParts(*folded);
    llvm::Type* type = constant.getType();
    if (type->isAggregateType() || type->isVectorTy()) {
        Parts all;
        uint64_t count = type->isVectorTy()  ? cast<llvm::FixedVectorType>(type)->getNumElements()
                         : type->isArrayTy() ? type->getArrayNumElements()
                                             : type->getStructNumElements();
        for (uint64_t i = 0; i < count; ++i) {
            const llvm::Constant* element = constant.getAggregateElement(static_cast<unsigned>(i));
            Parts inner = element ? constantParts(*element) : Parts{};
            all.append(inner.begin(), inner.end());
        }
        return all;
    }
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64) {
        const auto* number = dyn_cast<llvm::ConstantInt>(&constant);
        llvm::APInt bits = number ? number->getValue().zextOrTrunc(128) : llvm::APInt(128, 0);
        return {m_builder.registers().constant(bits.extractBitsAsZExtValue(64, 0)),
                m_builder.registers().constant(bits.extractBitsAsZExtValue(64, 64))};
    }
    if (isa<llvm::UndefValue>(constant))
        return {m_builder.registers().constant(0)};
    if (const auto* real = dyn_cast<llvm::ConstantFP>(&constant))
        return {m_builder.registers().constant(real->getValueAPF().bitcastToAPInt().getZExtValue())};
    laneTypeOf(type, nullptr);
    return {m_builder.registers().constant(constantAddress(constant))};
}

uint32_t FunctionLowering::asVector(Operand operand, LaneType lane)
{
    if (operand.form == Form::Vector)
        return operand.reg;
    uint32_t reg = temporary(lane);
    Instr& instr = emit(m_builder.handlers().broadcast(lane), nullptr);
    instr.dst = reg;
    instr.a = operand.reg;
    describeMove({reg, Form::Vector}, operand, lane);
    return reg;
}

void FunctionLowering::copyTo(Operand to, Operand from, LaneType lane)
{
    if (to.form == from.form && to.reg == from.reg)
        return;
    LS_ASSERT(to.form == Form::Vector || from.form == Form::Scalar);
    Handler handler =
        to.form == Form::Vector && from.form == Form::Scalar
            ? m_builder.handlers().broadcast(lane)
            : m_builder.handlers().unary(UnaryOp::Copy, isWide(lane) ? LaneType::I64 : LaneType::I32, to.form);
    Instr& instr = emit(handler, nullptr);
    instr.dst = to.reg;
    instr.a = from.reg;
    describeMove(to, from, lane);
}

}  // namespace lanescope::simt
