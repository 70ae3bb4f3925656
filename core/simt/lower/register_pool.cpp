// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/register_pool.h"

namespace lanescope::simt {

uint32_t RegisterPool::newVector(LaneType lane)
{
    const uint32_t reg = m_file.newVector(lane);
    if (m_spills)
        m_spills->registers.emplace_back(reg, isWide(lane));
    return reg;
}

Operand RegisterPool::newOperand(LaneType lane, Form form)
{
    return {form == Form::Scalar ? newScalar() : newVector(lane), form};
}

Operand RegisterPool::shortLived(LaneType lane, Form form)
{
    std::vector<uint32_t>& candidates = free(isWide(lane));
    if (form == Form::Scalar || candidates.empty())
        return newOperand(lane, form);
    const uint32_t reg = candidates.back();
    candidates.pop_back();
    return {reg, Form::Vector};
}

void RegisterPool::own(Operand held, LaneType lane, const llvm::Instruction& lastUse)
{
    if (held.form == Form::Vector)
        m_owned.push_back({&lastUse, held.reg, isWide(lane)});
}

uint32_t RegisterPool::temporary(LaneType lane)
{
    const uint32_t reg = shortLived(lane, Form::Vector).reg;
    m_temporaries.emplace_back(reg, isWide(lane));
    return reg;
}

void RegisterPool::release(const llvm::Instruction& position)
{
    for (const auto& [reg, wide] : m_temporaries)
        free(wide).push_back(reg);
    m_temporaries.clear();
    std::erase_if(m_owned, [&](const Owned& owned) {
        if (owned.lastUse != &position)
            return false;
        free(owned.wide).push_back(owned.reg);
        return true;
    });
}

}  // namespace lanescope::simt
