// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/variable_recorder.h"

#include <algorithm>

#include <llvm/IR/Constants.h>

namespace lanescope::simt {

using llvm::dyn_cast;
using llvm::isa;

void VariableRecorder::beginBlock(const llvm::BasicBlock& block)
{
    forget();
    if (!m_builder.options().recordVariables)
        return;
    if (!m_carried)
        m_carried.emplace(m_analysis);
    for (const auto& [variable, value] : m_carried->at(block))
        m_held.emplace_back(m_builder.variableFor(*variable, nullptr), value);
}

void VariableRecorder::recordStore(const llvm::StoreInst& store, const llvm::AllocaInst& variable)
{
    const FunctionAnalysis::Declaration declaration = m_analysis.declarationOf(variable);
    if (!m_builder.options().recordVariables || !declaration.isShown())
        return;
    const VariableId id = m_builder.variableFor(*declaration.variable, declaration.where);
    const SiteId where = m_sites.add(trace::SiteKind::VariableWrite, store, declaration.variable->getName().str(),
                                     valueTypeOf(declaration.variable->getType()));
    m_sites.last().variable = id;
    // A parameter gets its value before the function's first line, also of one that was inlined.
    if (!store.getDebugLoc() && declaration.where)
        m_sites.placeLastIn(*declaration.where);
    emitRecord(m_values.variable(variable), where, *store.getValueOperand(), store);
    m_matrices.noteWritten(*store.getValueOperand(), where);
}

namespace {

/// Of a constant of up to 64 bits.
std::optional<uint64_t> knownBits(const llvm::Value& value)
{
    if (value.getType()->getPrimitiveSizeInBits() > 64)
        return std::nullopt;
    if (const auto* number = dyn_cast<llvm::ConstantInt>(&value))
        return number->getZExtValue();
    if (const auto* number = dyn_cast<llvm::ConstantFP>(&value))
        return number->getValueAPF().bitcastToAPInt().getZExtValue();
    return std::nullopt;
}

}  // namespace

void VariableRecorder::emitRecord(const Operand& held, SiteId where, const llvm::Value& written,
                                  const llvm::Instruction& instr)
{
    const HandlerSet& handlers = m_builder.handlers();
    const bool scalar = held.form == Form::Scalar;
    const auto bytes = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(written.getType()));
    if (const std::optional<uint64_t> bits = knownBits(written)) {
        Instr& emitted = m_code.emit(handlers.record(RecordedValue::Constant), &instr);
        emitted.b = bytes;
        emitted.c = where.value;
        emitted.imm = *bits;
        return;
    }
    trace::Derivation derivation;
    if (!scalar && m_sites.last().type.totalBytes() == bytes)
        derivation = m_derivations.of(written, instr, m_held);
    const RecordedValue kind = scalar               ? RecordedValue::Uniform
                               : derivation.empty() ? RecordedValue::Lanes
                                                    : RecordedValue::Derived;
    m_sites.last().derivation = std::move(derivation);
    Instr& emitted = m_code.emit(handlers.record(kind), &instr);
    emitted.a = held.reg;
    emitted.b = bytes;
    emitted.c = where.value;
    emitted.imm = isWide(laneTypeOf(written.getType(), &instr)) ? kWideRecord : 0;
    if (kind != RecordedValue::Derived)
        return;
    if (m_derivations.asksOthers())
        emitted.imm |= kAsksOthers;
    if (!written.getType()->isFloatingPointTy())
        emitted.imm |= kNeverNan;
}

namespace {

auto variableRecordsOf(const llvm::Instruction& instr)
{
    return llvm::filterDbgVars(const_cast<llvm::Instruction&>(instr).getDbgRecordRange());
}

}  // namespace

VariableId VariableRecorder::variableOf(llvm::DbgVariableRecord& record)
{
    return m_builder.variableFor(*record.getVariable(), record.getDebugLoc().get());
}

/// Whether the value, a phi's at the beginning of its own block, is what the variable had on every way there.
bool VariableRecorder::isCarried(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value) const
{
    const auto* phi = dyn_cast<llvm::PHINode>(&value);
    return phi && phi->getParent() == &block && std::ranges::find(m_held, std::pair(id, &value)) != m_held.end();
}

/// Whether the value has registers that still hold it where \p position stands.
bool VariableRecorder::isThere(const llvm::Value& value, const llvm::Instruction& position) const
{
    const auto* source = dyn_cast<llvm::Instruction>(&value);
    if (!source)
        return isa<llvm::Argument, llvm::ConstantInt, llvm::ConstantFP>(&value);
    const llvm::Instruction* lastUse = m_analysis.lastUse(*source);
    const bool isGone =
        lastUse && (source->getParent() != position.getParent() || m_analysis.isBefore(*lastUse, position));
    return m_values.find(*source) && !isGone;
}

void VariableRecorder::recordDebugValues(const llvm::Instruction& instr)
{
    if (!m_builder.options().recordVariables)
        return;
    for (llvm::DbgVariableRecord& record : variableRecordsOf(instr))
        if (const llvm::Value* value = writtenBy(record);
            value && isThere(*value, instr) && leavesOf(m_builder.layout(), value->getType(), &instr).size() == 1)
            recordDebugValue(record, *value, instr);
}

void VariableRecorder::recordDebugValue(llvm::DbgVariableRecord& record, const llvm::Value& value,
                                        const llvm::Instruction& instr)
{
    const VariableId id = variableOf(record);
    const auto recorded = llvm::find_if(m_recorded, [&](const auto& of) { return of.first == id; });
    const bool isFirst = recorded == m_recorded.end();
    const bool isNew = isFirst ? !isCarried(*instr.getParent(), id, value) : recorded->second != &value;
    if (isNew) {
        const SiteId where = m_sites.add(trace::SiteKind::VariableWrite, instr, record.getVariable()->getName().str(),
                                         valueTypeOf(record.getVariable()->getType()));
        m_sites.last().where = m_builder.sources().locationOf(instr.getDebugLoc() ? instr.getDebugLoc().get()
                                                                                  : record.getDebugLoc().get());
        m_sites.last().variable = id;
        emitRecord(m_values.operand(&value), where, value, instr);
        m_matrices.noteWritten(value, where);
    }
    m_matrices.noteHeld(value, id);
    if (isFirst)
        m_recorded.emplace_back(id, &value);
    else
        recorded->second = &value;
    std::erase_if(m_held, [&](const auto& of) { return of.first == id; });
    m_held.emplace_back(id, &value);
}

}  // namespace lanescope::simt
