// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/write_analysis.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace lanescope::simt {
namespace {

using llvm::dyn_cast;
using llvm::isa;

class Roots {
public:
    Roots(WrittenMemory& out, const llvm::Function& kernel) : m_out(out), m_kernel(kernel) {}

    void add(const llvm::Value* pointer)
    {
        if (m_out.anything || !m_seen.insert(pointer).second)
            return;
        pointer = pointer->stripInBoundsOffsets()->stripPointerCasts();
        if (const auto* op = dyn_cast<llvm::GEPOperator>(pointer))
            return add(op->getPointerOperand());
        if (const auto* cast = dyn_cast<llvm::AddrSpaceCastInst>(pointer))
            return add(cast->getPointerOperand());
        if (const auto* argument = dyn_cast<llvm::Argument>(pointer))
            return addArgument(*argument);
        if (const auto* global = dyn_cast<llvm::GlobalVariable>(pointer)) {
            if (global->getAddressSpace() != 3)
                m_out.globals.insert(global->getName().str());
            return;
        }
        if (isa<llvm::AllocaInst>(pointer))
            return;
        if (const auto* phi = dyn_cast<llvm::PHINode>(pointer)) {
            for (const llvm::Use& incoming : phi->incoming_values())
                add(incoming.get());
            return;
        }
        if (const auto* select = dyn_cast<llvm::SelectInst>(pointer)) {
            add(select->getTrueValue());
            return add(select->getFalseValue());
        }
        if (const auto* load = dyn_cast<llvm::LoadInst>(pointer))
            return addHeld(*load);
        m_out.anything = true;
    }

private:
    void addArgument(const llvm::Argument& argument)
    {
        if (argument.hasByValAttr())
            return;
        const llvm::Function* function = argument.getParent();
        if (function == &m_kernel) {
            m_out.parameters.insert(argument.getArgNo());
            return;
        }
        // What is handed to it, wherever it is called.
        for (const llvm::User* user : function->users()) {
            const auto* call = dyn_cast<llvm::CallInst>(user);
            if (call && call->getCalledFunction() == function)
                add(call->getArgOperand(argument.getArgNo()));
            else
                m_out.anything = true;
        }
    }

    /// A pointer kept in a local variable is any that was stored there.
    void addHeld(const llvm::LoadInst& load)
    {
        const auto* variable = dyn_cast<llvm::AllocaInst>(load.getPointerOperand());
        if (!variable || !variable->getAllocatedType()->isPointerTy()) {
            m_out.anything = true;
            return;
        }
        for (const llvm::User* user : variable->users()) {
            if (const auto* store = dyn_cast<llvm::StoreInst>(user); store && store->getPointerOperand() == variable)
                add(store->getValueOperand());
            else if (!isa<llvm::LoadInst>(user))
                m_out.anything = true;
        }
    }

    WrittenMemory& m_out;
    const llvm::Function& m_kernel;
    llvm::DenseSet<const llvm::Value*> m_seen;
};

enum class Touch { Write, Read, Atomic, Narrow };

/// Accesses of less than 4 bytes.
void addNarrow(const llvm::Instruction& instr, Roots& roots)
{
    const auto isNarrow = [&](llvm::Type* type) {
        return type->isSized() && instr.getDataLayout().getTypeStoreSize(type->getScalarType()) < 4;
    };
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instr); load && isNarrow(load->getType()))
        roots.add(load->getPointerOperand());
    else if (const auto* store = dyn_cast<llvm::StoreInst>(&instr);
             store && isNarrow(store->getValueOperand()->getType()))
        roots.add(store->getPointerOperand());
}

void addRead(const llvm::Instruction& instr, Roots& roots)
{
    if (const auto* load = dyn_cast<llvm::LoadInst>(&instr))
        roots.add(load->getPointerOperand());
    else if (const auto* copy = dyn_cast<llvm::AnyMemTransferInst>(&instr))
        roots.add(copy->getRawSource());
}

void addAtomic(const llvm::Instruction& instr, Roots& roots)
{
    if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instr))
        roots.add(rmw->getPointerOperand());
    else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr))
        roots.add(exchange->getPointerOperand());
}

void addInstruction(const llvm::Instruction& instr, Touch touch, Roots& roots)
{
    if (touch == Touch::Read)
        return addRead(instr, roots);
    if (touch == Touch::Atomic)
        return addAtomic(instr, roots);
    if (touch == Touch::Narrow)
        return addNarrow(instr, roots);
    if (const auto* store = dyn_cast<llvm::StoreInst>(&instr))
        roots.add(store->getPointerOperand());
    else if (const auto* rmw = dyn_cast<llvm::AtomicRMWInst>(&instr))
        roots.add(rmw->getPointerOperand());
    else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instr))
        roots.add(exchange->getPointerOperand());
    else if (const auto* memory = dyn_cast<llvm::AnyMemIntrinsic>(&instr))
        roots.add(memory->getRawDest());
}

void addFunction(llvm::Function& function, Touch touch, Roots& roots, WrittenMemory& out,
                 llvm::DenseSet<llvm::Function*>& seen)
{
    if (function.isDeclaration() || !seen.insert(&function).second)
        return;
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instr : block) {
            addInstruction(instr, touch, roots);
            if (auto* call = dyn_cast<llvm::CallInst>(&instr)) {
                if (llvm::Function* callee = call->getCalledFunction();
                    callee && !callee->getName().starts_with("__ls_tensor."))
                    addFunction(*callee, touch, roots, out, seen);
                else
                    out.anything = true;
            }
        }
}

WrittenMemory touched(llvm::Function& kernel, Touch touch)
{
    WrittenMemory out;
    Roots roots(out, kernel);
    llvm::DenseSet<llvm::Function*> seen;
    addFunction(kernel, touch, roots, out, seen);
    return out;
}

}  // namespace

WrittenMemory writtenMemory(llvm::Function& kernel)
{
    return touched(kernel, Touch::Write);
}

WrittenMemory readMemory(llvm::Function& kernel)
{
    return touched(kernel, Touch::Read);
}

WrittenMemory atomicMemory(llvm::Function& kernel)
{
    return touched(kernel, Touch::Atomic);
}

WrittenMemory narrowMemory(llvm::Function& kernel)
{
    return touched(kernel, Touch::Narrow);
}

void addRoots(const llvm::Value& pointer, const llvm::Function& kernel, WrittenMemory& memory)
{
    Roots(memory, kernel).add(&pointer);
}

}  // namespace lanescope::simt
