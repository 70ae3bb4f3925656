// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a kernel's registers lie, those of all the functions that it calls included.
#pragma once

#include <cstdint>
#include <map>

#include "core/simt/code/program.h"
#include "core/simt/lower/leaves.h"

namespace lanescope::simt {

/// Hands out registers that nobody else has. Vectors lie one behind the other in the warp's register file; scalars are
/// numbered, and begin as zero or as a constant.
class RegisterFile {
public:
    explicit RegisterFile(Program& program);

    /// Byte offset in the register file.
    uint32_t newVector(LaneType lane);
    /// Index in the scalar file.
    uint32_t newScalar();
    /// The scalar that holds \p bits from the launch on; there is one for each value.
    Operand constant(uint64_t bits);

private:
    Program& m_program;
    std::map<uint64_t, uint32_t> m_constants;
};

}  // namespace lanescope::simt
