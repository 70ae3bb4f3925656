// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How undefined bits go from operands to results: kept beside the bytecode and read only by warps that hold an
// undefined value. Everything else pays nothing for it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/device/reports.h"
#include "core/trace/model.h"

namespace lanescope::simt {

/// How an operand is held.
enum class Form : uint8_t { Vector, Scalar };

struct Operand {
    uint32_t reg = 0;
    Form form = Form::Vector;
};

struct FlowOperand {
    Operand at;
    uint8_t bits = 32;  ///< of the value; lanes of more than 32 bits are 8 bytes wide
};

enum class FlowKind : uint8_t {
    Define,   ///< the result is defined whatever the operands are
    Gather,   ///< from other lanes: the operation itself says
    Product,  ///< of a warpgroup: as Gather; registers that it uses are looked after (product_registers.h)
    Combine,  ///< any undefined bit makes the whole result undefined
    /// Operands: the value; then, if need be, the bit of it that the result begins with, or the result's further parts.
    Move,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    SignWiden,
    Select,     ///< operands: condition, if true, if false
    Undefined,  ///< a variable begins its life
    Branch,     ///< a use, without a result
    Load,       ///< these read the instruction's MemoryInfo
    Store,
    Atomic,
};

struct FlowAssign {
    FlowKind kind = FlowKind::Combine;
    FlowOperand result;
    bool hasResult = false;
    std::vector<FlowOperand> operands;
};

/// What one LLVM instruction, or one copy, does to definedness.
struct Flow {
    uint32_t length = 1;  ///< bytecode instructions it covers; results change after the last
    std::vector<FlowAssign> assigns;
    trace::SourceLocation where;
    device::DeclaredVariable variable;  ///< Undefined: which; declared at `where`
};

/// Flows that begin at one bytecode instruction: index in Program::flows + 1, 0 = none.
struct FlowSlots {
    uint32_t outer = 0;  ///< of the LLVM instruction
    uint32_t inner = 0;  ///< of this bytecode instruction alone
};

}  // namespace lanescope::simt
