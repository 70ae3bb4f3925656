// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/address_writer.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

namespace lanescope::simt {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;

MemoryInfo AddressWriter::addressOf(const llvm::Value& pointer)
{
    MemoryInfo info;
    m_shapes.beginAddress();
    add(info, &pointer, 0);
    return info;
}

void AddressWriter::materialise(MemoryInfo& info, const llvm::Instruction* where)
{
    m_builder.program().memory.push_back(info);
    bool scalar = info.base.form == Form::Scalar && info.vectorTermCount == 0;
    Operand address = scalar ? Operand{m_registers.newScalar(), Form::Scalar}
                             : Operand{m_registers.temporary(LaneType::I64), Form::Vector};
    Instr& instr = m_code.emit(scalar ? m_builder.handlers().addressScalar() : m_builder.handlers().address(), where);
    instr.dst = address.reg;
    instr.imm = reinterpret_cast<uint64_t>(&m_builder.program().memory.back());
    MemoryInfo fresh;
    fresh.base = address;
    info.base = fresh.base;
    info.offset = 0;
    info.scalarTermCount = 0;
    info.vectorTermCount = 0;
}

void AddressWriter::addIndex(MemoryInfo& info, const llvm::Value* index, int64_t scale, const llvm::Instruction* where)
{
    unsigned count = 0;
    AddressTerm term;
    m_analysis.forSummands(*index, scale, [&](const llvm::Value& summand, int64_t times) {
        ++count;
        term = addTerm(info, &summand, times, where);
    });
    if (count == 1 && !isa<llvm::ConstantInt>(index))
        m_shapes.noteSubscript(*index, term);
}

AddressTerm AddressWriter::addTerm(MemoryInfo& info, const llvm::Value* index, int64_t scale,
                                   const llvm::Instruction* where)
{
    AddressTerm term;
    term.scale = scale;
    if (const auto* number = dyn_cast<llvm::ConstantInt>(index)) {
        info.offset += number->getSExtValue() * scale;
        return term;
    }
    const unsigned bits = bitsOf(index->getType());
    const LaneType lane = laneTypeOf(index->getType(), where);
    term.wide = isWide(lane);
    term.operand = m_operations.signExtended(m_values.operand(index), bits, lane, where);
    const bool scalar = term.operand.form == Form::Scalar;
    uint8_t& count = scalar ? info.scalarTermCount : info.vectorTermCount;
    if (count == MemoryInfo::kMaxTerms)
        materialise(info, where);
    (scalar ? info.scalarTerms : info.vectorTerms)[count++] = term;
    return term;
}

void AddressWriter::add(MemoryInfo& info, const llvm::Value* pointer, unsigned depth)
{
    const auto* instr = dyn_cast<llvm::Instruction>(pointer);
    bool folded = instr && (depth == 0 || m_analysis.isFolded(*instr));
    if (folded && isa<llvm::AddrSpaceCastInst>(instr) && m_analysis.isFoldedAddress(*instr))
        return add(info, instr->getOperand(0), depth + 1);
    const auto* gep = dyn_cast<llvm::GetElementPtrInst>(pointer);
    if (!gep || !folded || (depth == 0 && !m_analysis.isFolded(*gep) && m_values.find(*gep))) {
        info.base = m_values.operand(pointer);
        return;
    }
    add(info, gep->getPointerOperand(), depth + 1);
    for (auto index = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); index != end; ++index) {
        if (llvm::StructType* structure = index.getStructTypeOrNull()) {
            auto member = static_cast<unsigned>(cast<llvm::ConstantInt>(index.getOperand())->getZExtValue());
            info.offset +=
                static_cast<int64_t>(m_builder.layout().getStructLayout(structure)->getElementOffset(member));
        } else {
            addIndex(info, index.getOperand(),
                     static_cast<int64_t>(index.getSequentialElementStride(m_builder.layout()).getFixedValue()), gep);
        }
    }
}

}  // namespace lanescope::simt
