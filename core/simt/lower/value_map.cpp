// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/value_map.h"

#include <algorithm>

#include "core/simt/lower/constants.h"

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

ValueMap::ValueMap(ProgramBuilder& builder, const FunctionAnalysis& analysis, RegisterPool& registers,
                   OperationWriter& operations, std::vector<Parts> parameters)
    : m_builder(builder), m_analysis(analysis), m_registers(registers), m_operations(operations),
      m_parameters(std::move(parameters))
{
}

const Parts* ValueMap::find(const llvm::Value& value) const
{
    if (const auto* argument = dyn_cast<llvm::Argument>(&value))
        return &m_parameters[argument->getArgNo()];
    const auto found = m_values.find(&value);
    return found == m_values.end() ? nullptr : &found->second;
}

Parts ValueMap::parts(const llvm::Value* value) const
{
    if (const auto* constant = dyn_cast<llvm::Constant>(value))
        return partsOfConstant(*constant, m_builder);
    if (const auto* alloca = dyn_cast<llvm::AllocaInst>(value))
        if (auto address = m_objects.find(alloca); address != m_objects.end())
            return {m_registers.constant(address->second)};
    if (const Parts* found = find(*value))
        return *found;
    const auto* instr = dyn_cast<llvm::Instruction>(value);
    throw Unsupported{"a value used before it is computed" + (instr ? ": '" + describe(*instr) + "'" : std::string()),
                      instr};
}

Operand ValueMap::registerOf(const llvm::Value& valueOrVariable) const
{
    const llvm::AllocaInst* promoted = m_analysis.promoted(&valueOrVariable);
    return promoted ? variable(*promoted) : operand(&valueOrVariable);
}

Parts ValueMap::destinations(const llvm::Instruction& instr)
{
    Parts value;
    if (const llvm::AllocaInst* target = directTarget(instr)) {
        detachAliases(*target, instr);
        value.push_back(variable(*target));
    } else {
        const std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
        const llvm::Instruction* lastUse = all.size() == 1 ? m_analysis.lastUse(instr) : nullptr;
        const Form form = m_analysis.isUniform(instr) ? Form::Scalar : Form::Vector;
        for (const Leaf& leaf : all) {
            value.push_back(lastUse ? m_registers.shortLived(leaf.lane, form)
                                    : m_registers.newOperand(leaf.lane, form));
            if (lastUse)
                m_registers.own(value.back(), leaf.lane, *lastUse);
        }
    }
    set(instr, value);
    return value;
}

void ValueMap::define(const llvm::Instruction& instr, const Parts& value)
{
    const std::vector<Leaf> all = leavesOf(m_builder.layout(), instr.getType(), &instr);
    const bool isUniform = m_analysis.isUniform(instr);
    Parts out;
    for (size_t i = 0; i < all.size(); ++i) {
        const Form form = isUniform && value[i].form == Form::Scalar ? Form::Scalar : Form::Vector;
        out.push_back(m_registers.newOperand(all[i].lane, form));
        m_operations.copy(out.back(), value[i], all[i].lane);
    }
    set(instr, out);
}

void ValueMap::name(const llvm::Instruction& instr, Operand held, LaneType lane)
{
    const llvm::AllocaInst* target = directTarget(instr);
    if (!target) {
        set(instr, {held});
        return;
    }
    detachAliases(*target, instr);
    m_operations.copy(variable(*target), held, lane);
    set(instr, {variable(*target)});
}

void ValueMap::loadVariable(const llvm::LoadInst& load, const llvm::AllocaInst& variable)
{
    const Operand held = m_variables.at(&variable);
    if (m_analysis.lastUse(load)) {
        set(load, {held});
        m_aliases[&load] = &variable;
        return;
    }
    const LaneType lane = laneTypeOf(load.getType(), &load);
    const Form form = held.form == Form::Scalar && m_analysis.isUniform(load) ? Form::Scalar : Form::Vector;
    const Operand copy = m_registers.newOperand(lane, form);
    m_operations.copy(copy, held, lane);
    set(load, {copy});
}

void ValueMap::storeVariable(const llvm::StoreInst& store, const llvm::AllocaInst& variable)
{
    const Operand value = operand(store.getValueOperand());
    const Operand target = m_variables.at(&variable);
    if (target.form == value.form && target.reg == value.reg)
        return;
    detachAliases(variable, store);
    // Which may have moved the value.
    m_operations.copy(target, operand(store.getValueOperand()), laneTypeOf(variable.getAllocatedType(), &store));
}

/// The variable that \p instr's value may be computed into directly: its only use is a store to that variable further
/// down the block, and nobody reads or writes the variable in between. Null: none.
const llvm::AllocaInst* ValueMap::directTarget(const llvm::Instruction& instr) const
{
    if (!instr.hasOneUse() || isa<llvm::LoadInst>(instr))
        return nullptr;
    const auto* store = dyn_cast<llvm::StoreInst>(*instr.user_begin());
    if (!store || store->getValueOperand() != &instr || store->getParent() != instr.getParent())
        return nullptr;
    const llvm::AllocaInst* variable = m_analysis.promoted(store->getPointerOperand());
    if (!variable || m_analysis.isUniform(*variable) != m_analysis.isUniform(instr))
        return nullptr;
    for (const llvm::Instruction* between = instr.getNextNode(); between != store; between = between->getNextNode())
        if (std::any_of(between->op_begin(), between->op_end(),
                        [&](const llvm::Use& use) { return use.get() == variable; }))
            return nullptr;
    return variable;
}

/// Before \p variable changes at \p position.
void ValueMap::detachAliases(const llvm::AllocaInst& variable, const llvm::Instruction& position)
{
    std::vector<const llvm::LoadInst*> stale;
    for (const auto& [load, alias] : m_aliases)
        if (alias == &variable)
            stale.push_back(load);
    std::ranges::sort(stale,
                      [&](const llvm::LoadInst* a, const llvm::LoadInst* b) { return m_analysis.isBefore(*a, *b); });
    for (const llvm::LoadInst* load : stale) {
        m_aliases.erase(load);
        const llvm::Instruction& lastUse = *m_analysis.lastUse(*load);
        if (!m_analysis.isBefore(position, lastUse))
            continue;
        const LaneType lane = laneTypeOf(load->getType(), load);
        const Operand from = m_values.find(load)->second.front();
        const Operand copy = m_registers.shortLived(lane, from.form);
        m_registers.own(copy, lane, lastUse);
        m_operations.copy(copy, from, lane);
        set(*load, {copy});
    }
}

}  // namespace lanescope::simt
