// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/atomic_lowering.h"

#include "core/simt/lower/access_analysis.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/ptx/atomic_operation.h"
#include "core/simt/ptx/sync_scope.h"

namespace lanescope::simt {

namespace {

AtomicOp atomicOpOf(const llvm::AtomicRMWInst& instr)
{
    if (const std::optional<AtomicOp> op = atomicOperation(instr.getOperation(), *instr.getType()))
        return *op;
    throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
}

/// Updates that leave the same value whatever their order. Sums of floats do not: they are rounded.
bool commutes(AtomicOp op, bool isFloat)
{
    switch (op) {
    case AtomicOp::Add:
    case AtomicOp::Sub:
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
    case AtomicOp::UMax:
    case AtomicOp::UMin:
        return true;
    case AtomicOp::Max:
    case AtomicOp::Min:
        return !isFloat;
    default:
        return false;
    }
}

unsigned atomicBytes(llvm::Type* type, const llvm::Instruction& instr)
{
    auto bits = static_cast<unsigned>(type->isVectorTy() ? type->getPrimitiveSizeInBits().getFixedValue()
                                                         : uint64_t{bitsOf(type)});
    const bool isPair = type->isVectorTy() && isHalf(type) && bits == 32;
    if ((type->isVectorTy() && !isPair) || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        throw Unsupported{"the instruction '" + describe(instr) + "'", &instr};
    return bits / 8;
}

}  // namespace

void AtomicLowering::emit(const AtomicInfo& info, uint32_t address, const llvm::Instruction& instr)
{
    m_builder.program().atomics.push_back(info);
    Instr& emitted = m_code.emit(runAtomic, &instr);
    emitted.a = address;
    emitted.imm = reinterpret_cast<uint64_t>(&m_builder.program().atomics.back());
}

void AtomicLowering::lowerUpdate(llvm::AtomicRMWInst& instr)
{
    AtomicInfo info;
    info.op = atomicOpOf(instr);
    info.isFloat = instr.getType()->isFPOrFPVectorTy();
    // Of a pair of halves both, in one word.
    const Parts added = m_values.parts(instr.getValOperand());
    info.operand = added[0];
    if (added.size() > 1) {
        info.operand = {m_registers.temporary(LaneType::I32), Form::Vector};
        m_operations.binary(BinaryOp::Shl, LaneType::I32, info.operand, added[1], m_registers.constant(16), &instr);
        m_operations.binary(BinaryOp::Or, LaneType::I32, info.operand, info.operand, added[0], &instr);
    }
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(instr.getType(), instr));
    info.memory.alignment = info.memory.bytes;
    m_accesses.describe(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, instr.getType());
    info.memory.clusterScope = info.memory.isArrival || instr.getSyncScopeID() == clusterScope(instr.getContext());
    info.memory.blockScope = info.memory.clusterScope || instr.getSyncScopeID() == blockScope(instr.getContext());
    info.memory.isVolatile = testsFlag(instr);
    if (mayReachOtherBlocks(instr, instr.getPointerOperand())) {
        const bool anyOrder = commutes(info.op, info.isFloat) && isUnused(instr);
        const bool isSum = commutes(info.op, false) && isUnused(instr);
        m_builder.program().addsGlobally |= anyOrder;
        m_builder.program().needsOneHostThread |= !anyOrder;
        m_builder.program().handsOver |= !isSum;
    }
    uint32_t address = m_operations.asVector(m_values.operand(instr.getPointerOperand()), LaneType::I64);
    const Parts out = m_values.destinations(instr);
    info.dst = out.size() == 1 ? out[0].reg : m_registers.temporary(LaneType::I32);
    emit(info, address, instr);
    if (out.size() == 1)
        return;
    m_operations.binary(BinaryOp::And, LaneType::I32, out[0], {info.dst, Form::Vector}, m_registers.constant(0xffff),
                        &instr);
    m_operations.binary(BinaryOp::LShr, LaneType::I32, out[1], {info.dst, Form::Vector}, m_registers.constant(16),
                        &instr);
}

void AtomicLowering::lowerCompareExchange(llvm::AtomicCmpXchgInst& instr)
{
    AtomicInfo info;
    info.op = AtomicOp::CompareExchange;
    llvm::Type* type = instr.getNewValOperand()->getType();
    info.operand = m_values.operand(instr.getNewValOperand());
    info.compare = m_values.operand(instr.getCompareOperand());
    info.memory.bytes = static_cast<uint8_t>(atomicBytes(type, instr));
    info.memory.alignment = info.memory.bytes;
    m_accesses.describe(info.memory, instr, instr.getPointerOperand(), trace::SiteKind::Atomic, type);
    info.memory.clusterScope = instr.getSyncScopeID() == clusterScope(instr.getContext());
    info.memory.blockScope = info.memory.clusterScope || instr.getSyncScopeID() == blockScope(instr.getContext());
    info.memory.isVolatile = testsFlag(instr);
    m_builder.program().noteHandingOver(mayReachOtherBlocks(instr, instr.getPointerOperand()));
    uint32_t address = m_operations.asVector(m_values.operand(instr.getPointerOperand()), LaneType::I64);
    Parts out = m_values.destinations(instr);
    info.dst = out[0].reg;
    info.successDst = out[1].reg;
    emit(info, address, instr);
}

}  // namespace lanescope::simt
