// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local variables kept in registers, and the recording of their values.
#include "core/simt/lowering.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>

namespace lanescope::simt {

using llvm::dyn_cast;

void FunctionLowering::lowerVariableLoad(llvm::LoadInst& instr, const llvm::AllocaInst& alloca)
{
    const Variable& variable = m_variables[&alloca];
    if (m_lastUse.count(&instr)) {
        m_values[&instr] = variable.parts;
        m_aliases[&instr] = &alloca;
        return;
    }
    LaneType lane = laneTypeOf(instr.getType(), &instr);
    Operand copy = newOperand(lane, variable.parts[0].form == Form::Scalar && isUniform(instr), false);
    copyTo(copy, variable.parts[0], lane);
    m_values[&instr] = {copy};
}

void FunctionLowering::lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& alloca)
{
    Operand value = operand(instr.getValueOperand());
    Operand target = m_variables[&alloca].parts[0];
    if (target.form != value.form || target.reg != value.reg) {
        detachAliases(&alloca, instr);
        copyTo(target, operand(instr.getValueOperand()), laneTypeOf(alloca.getAllocatedType(), &instr));
    }
    notePattern(alloca);
    recordVariable(instr, alloca);
}

void FunctionLowering::recordVariable(const llvm::Instruction& instr, const llvm::AllocaInst& alloca)
{
    const Variable& variable = m_variables[&alloca];
    // Artificial ones (this, the hidden parts of a range-for) are not the programmer's.
    if (!m_builder.options().recordVariables || !variable.debug || variable.debug->isArtificial())
        return;
    VariableId id = m_builder.variableFor(*variable.debug, variable.declared);
    SiteId where = site(trace::SiteKind::VariableWrite, instr, variable.debug->getName().str(),
                        valueTypeOf(variable.debug->getType()));
    m_builder.program().sites.back().variable = id;
    bool scalar = variable.parts[0].form == Form::Scalar;
    trace::Derivation derivation = scalar ? trace::Derivation{} : derivationOf(instr);
    Handler vector = derivation.empty() ? runRecordVariable : runRecordDerived;
    m_builder.program().sites.back().derivation = std::move(derivation);
    Instr& emitted = emit(scalar ? runRecordVariableScalar : vector, &instr);
    emitted.a = variable.parts[0].reg;
    emitted.b = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(alloca.getAllocatedType()));
    emitted.c = where.value;
    emitted.imm = isWide(laneTypeOf(alloca.getAllocatedType(), &instr));
}

/// Optimised code has no variables in memory; debug records say which value a variable has from here on.
void FunctionLowering::recordDebugValues(const llvm::Instruction& instr)
{
    if (!m_builder.options().recordVariables)
        return;
    for (llvm::DbgVariableRecord& record :
         llvm::filterDbgVars(const_cast<llvm::Instruction&>(instr).getDbgRecordRange())) {
        if (!record.isDbgValue() || record.getVariable()->isArtificial() || record.getNumVariableLocationOps() != 1 ||
            record.getExpression()->getNumElements() != 0)
            continue;
        const llvm::Value* value = record.getVariableLocationOp(0);
        const auto* source = dyn_cast_or_null<llvm::Instruction>(value);
        bool known = isa_and_nonnull<llvm::Argument>(value) || isa_and_nonnull<llvm::ConstantInt>(value) ||
                     isa_and_nonnull<llvm::ConstantFP>(value) || (source && m_values.count(source));
        bool gone = source && m_lastUse.count(source) &&
                    (source->getParent() != instr.getParent() || m_order[m_lastUse[source]] < m_order[&instr]);
        if (!known || gone || m_builder.leaves(value->getType(), &instr).size() != 1)
            continue;
        VariableId id = m_builder.variableFor(*record.getVariable(), record.getDebugLoc().get());
        SiteId where = site(trace::SiteKind::VariableWrite, instr, record.getVariable()->getName().str(),
                            valueTypeOf(record.getVariable()->getType()));
        m_builder.program().sites.back().where = m_builder.sources().locationOf(
            instr.getDebugLoc() ? instr.getDebugLoc().get() : record.getDebugLoc().get());
        m_builder.program().sites.back().variable = id;
        Operand held = operand(value);
        Instr& emitted = emit(held.form == Form::Scalar ? runRecordVariableScalar : runRecordVariable, &instr);
        emitted.a = held.reg;
        emitted.b = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(value->getType()));
        emitted.c = where.value;
        emitted.imm = isWide(m_builder.leaves(value->getType(), &instr).front().lane);
    }
}

}  // namespace lanescope::simt
