// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single operations on operands of either form: scalars are broadcast where a vector is needed.
#pragma once

#include <cstdint>

#include "core/simt/code/operations.h"
#include "core/simt/lower/code_writer.h"
#include "core/simt/lower/register_pool.h"
#include "core/simt/machine/handlers.h"

namespace lanescope::simt {

/// Appends one operation, and what it needs to have its operands where they must be. \p where, which may be null, is
/// the instruction that a refusal names.
class OperationWriter {
public:
    OperationWriter(CodeWriter& code, RegisterPool& registers, const HandlerSet& handlers)
        : m_code(code), m_registers(registers), m_handlers(handlers)
    {
    }

    void binary(BinaryOp op, LaneType lane, Operand dst, Operand a, Operand b, const llvm::Instruction* where);
    void unary(UnaryOp op, LaneType lane, Operand dst, Operand a, const llvm::Instruction* where);
    void cast(CastOp op, LaneType from, LaneType to, unsigned fromBits, unsigned toBits, Operand dst, Operand a,
              const llvm::Instruction* where);
    /// \p a, \p b, \p c: of \p dst's form.
    Instr& ternary(TernaryOp op, LaneType lane, Operand dst, const uint32_t (&operands)[3],
                   const llvm::Instruction* where);
    /// Scalar \p dst = the first active lane of vector \p from.
    void firstLane(Operand dst, uint32_t from, LaneType lane, const llvm::Instruction* where);

    /// Clears what is above \p bits in a lane.
    void maskTo(unsigned bits, LaneType lane, Operand value, const llvm::Instruction* where);
    /// A narrow integer with its sign filling the lane.
    Operand signExtended(Operand value, unsigned bits, LaneType lane, const llvm::Instruction* where);

    /// Its register, or a temporary that it is broadcast to.
    uint32_t asVector(Operand operand, LaneType lane);
    /// Copies, by as many bits as \p lane has; a vector never goes to a scalar. Describes itself.
    void copy(Operand to, Operand from, LaneType lane);
    /// Says of the code's last instruction that it copies, undefined bits too.
    void describeCopy(Operand to, Operand from, LaneType lane);

private:
    CodeWriter& m_code;
    RegisterPool& m_registers;
    const HandlerSet& m_handlers;
};

}  // namespace lanescope::simt
