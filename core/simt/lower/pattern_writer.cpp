// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/pattern_writer.h"

namespace lanescope::simt {

void PatternWriter::note(const llvm::Value& valueOrVariable)
{
    const LanePatterns::ByScale* patterns = m_patterns.of(valueOrVariable);
    if (!patterns)
        return;
    const Operand noted = m_values.registerOf(valueOrVariable);
    if (noted.form != Form::Vector)
        return;
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&valueOrVariable);
    const LaneType lane = laneTypeOf(variable ? variable->getAllocatedType() : valueOrVariable.getType(), nullptr);
    const std::optional<int32_t> step = variable ? std::nullopt : m_patterns.rowStepOf(valueOrVariable);
    for (const auto& [scale, pattern] : *patterns) {
        Instr& instr = m_code.emit(m_handlers.notePattern(isWide(lane)), nullptr);
        instr.a = noted.reg;
        instr.b = static_cast<uint32_t>(scale);
        instr.c = step.value_or(0) != 0 ? knownRowStep(*step) : 0;
        instr.imm = pattern;
    }
}

void PatternWriter::use(MemoryInfo& info, const llvm::Value& pointer) const
{
    const bool isBase = info.base.form == Form::Vector;
    if (!isBase && info.vectorTermCount == 0) {
        info.pattern = kUniformPattern;
        return;
    }
    const LanePatterns::Part part = m_patterns.onlyPartOf(pointer);
    const LanePatterns::ByScale* patterns = part.value ? m_patterns.of(*part.value) : nullptr;
    if (!patterns || info.vectorTermCount != (isBase ? 0 : 1))
        return;
    const AddressTerm& term = info.vectorTerms[0];
    const Operand noted = m_values.registerOf(*part.value);
    // A copy of the variable, made before it changed, is another register.
    const bool isNoted = noted.form == Form::Vector && noted.reg == (isBase ? info.base.reg : term.operand.reg);
    const auto pattern = patterns->find(isBase ? 1 : term.scale);
    if (isNoted && pattern != patterns->end())
        info.pattern = pattern->second;
}

}  // namespace lanescope::simt
