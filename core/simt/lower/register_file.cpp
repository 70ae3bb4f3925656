// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/register_file.h"

namespace lanescope::simt {

RegisterFile::RegisterFile(Program& program) : m_program(program)
{
    m_program.scalars.resize(kFirstFreeScalar);
}

uint32_t RegisterFile::newVector(LaneType lane)
{
    uint32_t reg = m_program.registerBytes;
    m_program.registerBytes += isWide(lane) ? 256 : 128;
    if (isWide(lane))
        m_program.wideRegisters.push_back(reg);
    return reg;
}

uint32_t RegisterFile::newScalar()
{
    m_program.scalars.push_back(0);
    return static_cast<uint32_t>(m_program.scalars.size() - 1);
}

Operand RegisterFile::constant(uint64_t bits)
{
    auto [entry, isNew] = m_constants.try_emplace(bits, 0);
    if (isNew) {
        entry->second = newScalar();
        m_program.scalars[entry->second] = bits;
        m_program.constantScalars.push_back(entry->second);
    }
    return {entry->second, Form::Scalar};
}

}  // namespace lanescope::simt
