// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/lower/local_storage.h"

#include <algorithm>

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/simt/memory/address_slots.h"

namespace lanescope::simt {

using llvm::dyn_cast;

namespace {

/// What says which variable \p alloca is. With optimisation, each of its stores may say so instead.
llvm::SmallVector<llvm::DbgVariableRecord*> declarationsOf(llvm::AllocaInst& alloca)
{
    const llvm::TinyPtrVector<llvm::DbgVariableRecord*> declares = llvm::findDVRDeclares(&alloca);
    if (declares.empty())
        return llvm::at::getDVRAssignmentMarkers(&alloca);
    return {declares.begin(), declares.end()};
}

}  // namespace

void LocalStorage::place(const llvm::AllocaInst& alloca)
{
    if (m_analysis.promoted(&alloca)) {
        const Form form = m_analysis.isUniform(alloca) ? Form::Scalar : Form::Vector;
        const LaneType lane = laneTypeOf(alloca.getAllocatedType(), &alloca);
        const Operand held = m_registers.newOperand(lane, form);
        if (form == Form::Scalar)
            m_builder.program().variableScalars.push_back(held.reg);
        else
            m_builder.program().variableVectors.emplace_back(held.reg, isWide(lane) ? 256 : 128);
        m_values.placeVariable(alloca, held);
        return;
    }
    const auto* count = dyn_cast<llvm::ConstantInt>(alloca.getArraySize());
    if (!count || !alloca.isStaticAlloca()) {
        m_hasDynamic = true;
        return;
    }
    const uint64_t bytes = m_builder.layout().getTypeAllocSize(alloca.getAllocatedType()) * count->getZExtValue();
    if (!m_analysis.isRecursive()) {
        placeObject(alloca, bytes);
        return;
    }
    const uint64_t alignment = std::max<uint64_t>(alloca.getAlign().value(), 16);
    const uint64_t offset = (m_frameBytes + alignment - 1) / alignment * alignment;
    m_inFrame.emplace_back(&alloca, offset);
    m_frameBytes = offset + bytes;
    m_values.set(alloca, {m_registers.newOperand(LaneType::I64, Form::Vector)});
}

void LocalStorage::placeObject(const llvm::AllocaInst& alloca, uint64_t bytes)
{
    MemoryObject object;
    object.name = alloca.getName().str();
    object.key = m_builder.keyOf(alloca);
    DeclaredShape shape = shapeOf(alloca.getAllocatedType(), m_builder.layout());
    for (const llvm::DbgVariableRecord* record : declarationsOf(const_cast<llvm::AllocaInst&>(alloca))) {
        object.name = record->getVariable()->getName().str();
        shape = shapeOf(record->getVariable()->getType());
        object.declaredAt =
            fmt::format("{}:{}", pathOf(record->getVariable()->getFile()), record->getVariable()->getLine());
    }
    object.element = shape.element;
    object.dims = shape.dims;
    object.bytes = bytes;
    m_values.placeObject(alloca, m_builder.placeLocal(std::move(object), alloca.getAlign().value()));
}

uint32_t LocalStorage::allocate(uint32_t bytes, const llvm::Instruction* where)
{
    m_builder.needStack();
    const uint32_t address = m_registers.newVector(LaneType::I64);
    Instr& emitted = m_code.emit(runEnterFrame, where);
    emitted.dst = address;
    emitted.a = bytes;
    return address;
}

void LocalStorage::enterFrame()
{
    if (!hasFrame())
        return;
    m_frame = allocate(m_operations.asVector(m_registers.constant(m_frameBytes), LaneType::I64), nullptr);
    for (const auto& [alloca, offset] : m_inFrame)
        m_operations.binary(BinaryOp::Add, LaneType::I64, m_values.operand(alloca), {m_frame, Form::Vector},
                            m_registers.constant(offset), nullptr);
}

void LocalStorage::leaveFrame(const llvm::Instruction& where)
{
    if (hasFrame())
        m_operations.unary(UnaryOp::Copy, LaneType::I64, {kStackReg, Form::Vector}, {m_frame, Form::Vector}, &where);
}

bool LocalStorage::forgetsObjects() const
{
    return m_analysis.function().getReturnType()->isPointerTy() && !m_values.objects().empty();
}

void LocalStorage::beginObjects()
{
    if (forgetsObjects())
        emitOnObjects(runBeginObjects, slotsOfAll(), nullptr);
}

void LocalStorage::forgetObjects(const llvm::ReturnInst& where)
{
    if (forgetsObjects())
        emitOnObjects(runForgetObjects, slotsOfAll(), &where);
}

void LocalStorage::passScopes(const llvm::Instruction& next)
{
    emitOnObjects(runForgetObjects, slotsOf(m_endedScopes.endedBefore(next)), &next);
    emitOnObjects(runBeginObjects, slotsOf(m_endedScopes.begunBefore(next)), &next);
}

std::vector<uint64_t> LocalStorage::slotsOf(const EndedScopes::Variables& variables) const
{
    std::vector<uint64_t> slotsOfObjects;
    for (const llvm::AllocaInst* variable : variables)
        if (const auto object = m_values.objects().find(variable); object != m_values.objects().end())
            slotsOfObjects.push_back(object->second >> 32);
    return slotsOfObjects;
}

std::vector<uint64_t> LocalStorage::slotsOfAll() const
{
    std::vector<uint64_t> slotsOfObjects;
    for (const auto& [alloca, address] : m_values.objects())
        slotsOfObjects.push_back(address >> 32);
    return slotsOfObjects;
}

void LocalStorage::emitOnObjects(Handler handler, std::vector<uint64_t> slotsOfObjects, const llvm::Instruction* where)
{
    std::erase_if(slotsOfObjects, [&](uint64_t slot) { return m_builder.isShared(slot); });
    if (slotsOfObjects.empty())
        return;
    std::ranges::sort(slotsOfObjects);
    m_code.emit(handler, where).imm =
        reinterpret_cast<uint64_t>(&m_builder.program().frames.emplace_back(std::move(slotsOfObjects)));
}

void LocalStorage::reach(const llvm::AllocaInst& alloca)
{
    if (alloca.isStaticAlloca())
        return;
    const Operand count = m_values.operand(alloca.getArraySize());
    const LaneType lane = laneTypeOf(alloca.getArraySize()->getType(), &alloca);
    const Operand wide{m_registers.temporary(LaneType::I64), Form::Vector};
    const Operand bytes{m_registers.temporary(LaneType::I64), Form::Vector};
    if (isWide(lane))
        m_operations.copy(wide, count, lane);
    else
        m_operations.cast(CastOp::Zext32To64, lane, LaneType::I64, 32, 64, wide, count, &alloca);
    const uint64_t each = m_builder.layout().getTypeAllocSize(alloca.getAllocatedType());
    m_operations.binary(BinaryOp::Mul, LaneType::I64, bytes, wide, m_registers.constant(each), &alloca);
    m_values.set(alloca, {{allocate(bytes.reg, &alloca), Form::Vector}});
}

}  // namespace lanescope::simt
