// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local variables kept in registers, and the recording of their values.

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/simt/lower/function_lowering.h"

namespace lanescope::simt {

using llvm::dyn_cast;

void FunctionLowering::lowerVariableStore(llvm::StoreInst& instr, const llvm::AllocaInst& alloca)
{
    m_values.storeVariable(instr, alloca);
    notePattern(alloca);
    recordVariable(instr, alloca);
}

void FunctionLowering::recordVariable(const llvm::Instruction& instr, const llvm::AllocaInst& alloca)
{
    const FunctionAnalysis::Declaration declaration = m_analysis.declarationOf(alloca);
    if (!m_builder.options().recordVariables || !declaration.isShown())
        return;
    const VariableId id = m_builder.variableFor(*declaration.variable, declaration.where);
    const SiteId where = m_sites.add(trace::SiteKind::VariableWrite, instr, declaration.variable->getName().str(),
                                     valueTypeOf(declaration.variable->getType()));
    m_sites.last().variable = id;
    emitRecord(m_values.variable(alloca), where, *llvm::cast<llvm::StoreInst>(instr).getValueOperand(), instr);
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

void FunctionLowering::emitRecord(const Operand& held, SiteId where, const llvm::Value& written,
                                  const llvm::Instruction& instr)
{
    const bool scalar = held.form == Form::Scalar;
    const auto bytes = static_cast<uint32_t>(m_builder.layout().getTypeStoreSize(written.getType()));
    if (const std::optional<uint64_t> bits = knownBits(written)) {
        Instr& emitted = m_code.emit(runRecordConstant, &instr);
        emitted.b = bytes;
        emitted.c = where.value;
        emitted.imm = *bits;
        return;
    }
    trace::Derivation derivation = scalar ? trace::Derivation{} : derivationOf(written, instr);
    Handler vector = derivation.empty() ? runRecordVariable : runRecordDerived;
    m_sites.last().derivation = std::move(derivation);
    Instr& emitted = m_code.emit(scalar ? runRecordVariableScalar : vector, &instr);
    emitted.a = held.reg;
    emitted.b = bytes;
    emitted.c = where.value;
    emitted.imm = isWide(laneTypeOf(written.getType(), &instr));
}

namespace {

/// The value that a debug record gives to a variable as a whole; null when it says something else.
const llvm::Value* writtenBy(llvm::DbgVariableRecord& record)
{
    const bool isWhole = record.isDbgValue() && !record.getVariable()->isArtificial() &&
                         record.getNumVariableLocationOps() == 1 && record.getExpression()->getNumElements() == 0;
    return isWhole ? record.getVariableLocationOp(0) : nullptr;
}

auto variableRecordsOf(const llvm::Instruction& instr)
{
    return llvm::filterDbgVars(const_cast<llvm::Instruction&>(instr).getDbgRecordRange());
}

}  // namespace

VariableId FunctionLowering::variableOf(llvm::DbgVariableRecord& record)
{
    return m_builder.variableFor(*record.getVariable(), record.getDebugLoc().get());
}

/// Whether the variable was last recorded with this value when control leaves the block.
bool FunctionLowering::leavesWith(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value)
{
    constexpr int kMostBlocks = 16;
    const llvm::BasicBlock* at = &block;
    for (int i = 0; at && i < kMostBlocks; ++i, at = at->getSinglePredecessor())
        for (const llvm::Instruction& instr : llvm::reverse(*at)) {
            if (isa<llvm::CallBase>(instr) && !isa<llvm::IntrinsicInst>(instr))
                return false;  // a recursive call writes the same variables
            const llvm::Value* last = nullptr;
            bool isNamed = false;
            for (llvm::DbgVariableRecord& record : variableRecordsOf(instr))
                if (!record.getVariable()->isArtificial() && variableOf(record) == id) {
                    isNamed = true;
                    last = writtenBy(record);
                }
            if (isNamed)
                return last == &value && isRecordable(value, *at);
        }
    return false;
}

/// Whether the value is there to be recorded to the end of \p block.
bool FunctionLowering::isRecordable(const llvm::Value& value, const llvm::BasicBlock& block) const
{
    if (const auto* source = dyn_cast<llvm::Instruction>(&value))
        return !m_analysis.isFolded(*source) && (source->getParent() == &block || !m_analysis.lastUse(*source));
    return isa<llvm::Argument, llvm::ConstantInt, llvm::ConstantFP>(&value);
}

/// Whether the value, which the variable has from the beginning of \p block on, is what it had on every way there.
bool FunctionLowering::isCarriedInto(const llvm::BasicBlock& block, VariableId id, const llvm::Value& value)
{
    const auto* phi = dyn_cast<llvm::PHINode>(&value);
    if (!phi || phi->getParent() != &block)
        return false;
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (!leavesWith(*phi->getIncomingBlock(i), id, *phi->getIncomingValue(i)))
            return false;
    return true;
}

/// Optimised code has no variables in memory; debug records say which value a variable has from here on. Inlining,
/// unrolling and loops leave many that say nothing new.
void FunctionLowering::recordDebugValues(const llvm::Instruction& instr)
{
    if (!m_builder.options().recordVariables)
        return;
    for (llvm::DbgVariableRecord& record : variableRecordsOf(instr)) {
        const llvm::Value* value = writtenBy(record);
        const auto* source = dyn_cast_or_null<llvm::Instruction>(value);
        bool known = isa_and_nonnull<llvm::Argument>(value) || isa_and_nonnull<llvm::ConstantInt>(value) ||
                     isa_and_nonnull<llvm::ConstantFP>(value) || (source && m_values.find(*source));
        const llvm::Instruction* lastUse = source ? m_analysis.lastUse(*source) : nullptr;
        const bool gone = lastUse && (source->getParent() != instr.getParent() || m_analysis.isBefore(*lastUse, instr));
        if (!known || gone || leavesOf(m_builder.layout(), value->getType(), &instr).size() != 1)
            continue;
        const VariableId id = variableOf(record);
        const auto recorded = llvm::find_if(m_recordedValues, [&](const auto& of) { return of.first == id; });
        const bool isFirst = recorded == m_recordedValues.end();
        const bool isNew = isFirst ? !isCarriedInto(*instr.getParent(), id, *value) : recorded->second != value;
        if (isNew) {
            SiteId where = m_sites.add(trace::SiteKind::VariableWrite, instr, record.getVariable()->getName().str(),
                                       valueTypeOf(record.getVariable()->getType()));
            m_sites.last().where = m_builder.sources().locationOf(instr.getDebugLoc() ? instr.getDebugLoc().get()
                                                                                      : record.getDebugLoc().get());
            m_sites.last().variable = id;
            emitRecord(m_values.operand(value), where, *value, instr);
        }
        if (isFirst)
            m_recordedValues.emplace_back(id, value);
        else
            recorded->second = value;
    }
}

}  // namespace lanescope::simt
