// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registers of one function: new ones, and those that may be used again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/simt/lower/leaves.h"
#include "core/simt/lower/register_file.h"

namespace lanescope::simt {

/// Registers are the function's own for good, unless they are short-lived: those come back when what they hold is used
/// for the last time, and are given out again within the function. Only vectors are worth that; scalars are few.
class RegisterPool {
public:
    /// \p spills gets every vector register there is, for a function that may call itself; null: it does not.
    RegisterPool(RegisterFile& file, SpillList* spills) : m_file(file), m_spills(spills) {}

    uint32_t newVector(LaneType lane);
    uint32_t newScalar() { return m_file.newScalar(); }
    Operand newOperand(LaneType lane, Form form);
    Operand constant(uint64_t bits) { return m_file.constant(bits); }

    /// One that may have been used before; who asks for it must own() it until the value is used for the last time.
    Operand shortLived(LaneType lane, Form form);
    /// The register is free again behind \p lastUse. Scalars are left alone.
    void own(Operand held, LaneType lane, const llvm::Instruction& lastUse);
    /// A vector that is free again behind the instruction that is being lowered.
    uint32_t temporary(LaneType lane);
    /// Frees what nobody uses behind \p position.
    void release(const llvm::Instruction& position);

    /// Null for a function that does not call itself.
    [[nodiscard]] const SpillList* spills() const { return m_spills; }

private:
    struct Owned {
        const llvm::Instruction* lastUse;
        uint32_t reg;
        bool wide;
    };

    std::vector<uint32_t>& free(bool wide) { return wide ? m_freeWide : m_freeNarrow; }

    RegisterFile& m_file;
    SpillList* m_spills;
    std::vector<Owned> m_owned;
    std::vector<std::pair<uint32_t, bool>> m_temporaries;  ///< register, wide
    std::vector<uint32_t> m_freeNarrow, m_freeWide;
};

}  // namespace lanescope::simt
