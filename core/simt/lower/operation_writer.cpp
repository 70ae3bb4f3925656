// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/operation_writer.h"

#include "core/base/assert.h"

namespace lanescope::simt {

void OperationWriter::binary(BinaryOp op, LaneType lane, Operand dst, Operand a, Operand b,
                             const llvm::Instruction* where)
{
    if (dst.form == Form::Vector && a.form == Form::Scalar && b.form == Form::Scalar)
        a = {asVector(a, lane), Form::Vector};
    Instr& instr = m_code.emit(m_handlers.binary(op, lane, a.form, b.form), where);
    instr.dst = dst.reg;
    instr.a = a.reg;
    instr.b = b.reg;
}

void OperationWriter::unary(UnaryOp op, LaneType lane, Operand dst, Operand a, const llvm::Instruction* where)
{
    uint32_t source = dst.form == Form::Vector ? asVector(a, lane) : a.reg;
    Instr& instr = m_code.emit(m_handlers.unary(op, lane, dst.form), where);
    instr.dst = dst.reg;
    instr.a = source;
}

void OperationWriter::cast(CastOp op, LaneType from, LaneType to, unsigned fromBits, unsigned toBits, Operand dst,
                           Operand a, const llvm::Instruction* where)
{
    uint32_t source = dst.form == Form::Vector ? asVector(a, from) : a.reg;
    Instr& instr = m_code.emit(m_handlers.cast(op, from, to, dst.form), where);
    instr.dst = dst.reg;
    instr.a = source;
    instr.imm = fromBits | toBits << 8;
}

Instr& OperationWriter::ternary(TernaryOp op, LaneType lane, Operand dst, const uint32_t (&operands)[3],
                                const llvm::Instruction* where)
{
    Instr& instr = m_code.emit(m_handlers.ternary(op, lane, dst.form == Form::Scalar), where);
    instr.dst = dst.reg;
    instr.a = operands[0];
    instr.b = operands[1];
    instr.c = operands[2];
    return instr;
}

void OperationWriter::firstLane(Operand dst, uint32_t from, LaneType lane, const llvm::Instruction* where)
{
    Instr& instr = m_code.emit(m_handlers.firstLane(lane), where);
    instr.dst = dst.reg;
    instr.a = from;
}

void OperationWriter::maskTo(unsigned bits, LaneType lane, Operand value, const llvm::Instruction* where)
{
    if (bits != 32 && bits != 64)
        cast(CastOp::Mask, lane, lane, bits, bits, value, value, where);
}

Operand OperationWriter::signExtended(Operand value, unsigned bits, LaneType lane, const llvm::Instruction* where)
{
    if (bits == 32 || bits == 64)
        return value;
    Operand wide = value.form == Form::Scalar ? Operand{m_registers.newScalar(), Form::Scalar}
                                              : Operand{m_registers.temporary(lane), Form::Vector};
    cast(CastOp::Sext, lane, lane, bits, isWide(lane) ? 64 : 32, wide, value, where);
    return wide;
}

uint32_t OperationWriter::asVector(Operand operand, LaneType lane)
{
    if (operand.form == Form::Vector)
        return operand.reg;
    uint32_t reg = m_registers.temporary(lane);
    Instr& instr = m_code.emit(m_handlers.broadcast(lane), nullptr);
    instr.dst = reg;
    instr.a = operand.reg;
    describeCopy({reg, Form::Vector}, operand, lane);
    return reg;
}

void OperationWriter::copy(Operand to, Operand from, LaneType lane)
{
    if (to.form == from.form && to.reg == from.reg)
        return;
    LS_ASSERT(to.form == Form::Vector || from.form == Form::Scalar);
    Handler handler = to.form == Form::Vector && from.form == Form::Scalar
                          ? m_handlers.broadcast(lane)
                          : m_handlers.unary(UnaryOp::Copy, isWide(lane) ? LaneType::I64 : LaneType::I32, to.form);
    Instr& instr = m_code.emit(handler, nullptr);
    instr.dst = to.reg;
    instr.a = from.reg;
    describeCopy(to, from, lane);
}

void OperationWriter::describeCopy(Operand to, Operand from, LaneType lane)
{
    Flow flow;
    auto bits = static_cast<uint8_t>(isWide(lane) ? 64 : 32);
    flow.assigns.push_back({FlowKind::Move, {to, bits}, true, {{from, bits}}});
    m_code.describeLast(std::move(flow));
}

}  // namespace lanescope::simt
