// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of a module's functions, the parameters that go there, and the way back.
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "core/simt/ptx/ptx_translator.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

namespace {

bool isOfParameter(const PtxStatement& s)
{
    return s.opcode.size() > 1 && s.opcode[1].starts_with("param");
}

/// What an access moves: elements of a vector, or the operand itself.
std::vector<PtxOperand> partsOf(const PtxOperand& operand)
{
    return operand.kind == PtxOperand::Kind::Vector ? operand.elements : std::vector<PtxOperand>{operand};
}

}  // namespace

/// ld.param of a scalar; false: it is none.
bool PtxTranslator::loadParameter(const PtxStatement& s)
{
    const PtxOperand& from = s.operands.at(1);
    const PtxNames::Parameter parameter =
        m_names && isOfParameter(s) ? m_names->parameter(from.name) : PtxNames::Parameter{};
    if (!parameter.value && !parameter.slot)
        return false;
    Value* whole =
        parameter.value ? parameter.value : m_build.CreateLoad(parameter.slot->getAllocatedType(), parameter.slot);
    Type* type = elementInMemory(s);
    const unsigned width = widthOf(type);
    const std::vector<PtxOperand> parts = partsOf(s.operands.at(0));
    for (size_t i = 0; i < parts.size(); ++i) {
        const uint64_t first = static_cast<uint64_t>(from.integer) * 8 + i * width;
        if (first + width > std::max(widthOf(whole->getType()), width))
            unknown(s);
        Value* bitsOfWhole =
            first == 0 ? whole : m_build.CreateLShr(fit(whole, bits(widthOf(whole->getType()))), first);
        Value* value = fit(bitsOfWhole, type);
        Type* target = registerType(parts[i].name);
        if (s.isSigned() && target && target->isIntegerTy())
            value = m_build.CreateSExtOrTrunc(value, target);
        set(parts[i], value);
    }
    return true;
}

bool PtxTranslator::storeParameter(const PtxStatement& s)
{
    const PtxOperand& to = s.operands.at(0);
    const PtxNames::Parameter parameter =
        m_names && isOfParameter(s) ? m_names->parameter(to.name) : PtxNames::Parameter{};
    if (!parameter.slot)
        return false;
    Type* type = elementInMemory(s);
    Type* whole = parameter.slot->getAllocatedType();
    const unsigned width = widthOf(type), all = widthOf(whole);
    const std::vector<PtxOperand> parts = partsOf(s.operands.at(1));
    if (to.integer == 0 && parts.size() == 1) {
        m_build.CreateStore(fit(get(parts[0], type), whole), parameter.slot);
        return true;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        const uint64_t first = static_cast<uint64_t>(to.integer) * 8 + i * width;
        if (first + width > all)
            unknown(s);
        Value* before = fit(m_build.CreateLoad(whole, parameter.slot), bits(all));
        Value* others =
            m_build.CreateAnd(before, m_build.getInt(~llvm::APInt::getBitsSet(all, static_cast<unsigned>(first),
                                                                              static_cast<unsigned>(first + width))));
        Value* part = m_build.CreateShl(fit(fit(get(parts[i], type), bits(width)), bits(all)), first);
        m_build.CreateStore(fit(m_build.CreateOr(others, part), whole), parameter.slot);
    }
    return true;
}

/// Of a call: the variable that was filled in, a struct's address, or a register.
Value* PtxTranslator::argument(const PtxOperand& operand, Type* type)
{
    if (operand.kind != PtxOperand::Kind::Register || read(operand.name))
        return get(operand, type);
    const PtxNames::Parameter parameter = m_names->parameter(operand.name);
    if (parameter.slot)
        return fit(m_build.CreateLoad(parameter.slot->getAllocatedType(), parameter.slot), type);
    if (parameter.value)
        return fit(parameter.value, type);
    Value* pointer = m_names->place(operand.name).pointer;
    if (!pointer || !type->isPointerTy())
        throw UnknownPtx{"argument '" + operand.name + "'"};
    return pointer;
}

void PtxTranslator::storeResult(const PtxOperand& operand, Value* value)
{
    const bool isScalar = value->getType()->isSingleValueType();
    if (registerType(operand.name) && isScalar)
        return set(operand, value);
    const PtxNames::Parameter parameter = m_names->parameter(operand.name);
    if (parameter.slot && isScalar) {
        m_build.CreateStore(fit(value, parameter.slot->getAllocatedType()), parameter.slot);
        return;
    }
    Value* pointer = m_names->place(operand.name).pointer;
    if (!pointer)
        throw UnknownPtx{"result '" + operand.name + "'"};
    m_build.CreateStore(value, pointer);
}

/// A function by its name, or through a register, of the type that the prototype says.
PtxTranslator::Callee PtxTranslator::calleeOf(const PtxStatement& s, const PtxOperand& name,
                                              const PtxOperand* prototype)
{
    llvm::Function* function = m_names->function(name.name);
    if (function && function->getCallingConv() != llvm::CallingConv::PTX_Kernel)
        return {function->getFunctionType(), function};
    const PtxPrototype* known = prototype ? m_names->prototype(prototype->name) : nullptr;
    if (!registerType(name.name))
        throw UnknownPtx{"call of '" + name.name + "', which is no function of the module"};
    if (!known)
        unknown(s);
    return {m_names->typeOf(*known), get(name, m_build.getPtrTy())};
}

/// What a kernel asks CUDA's device runtime for the sake of cooperative groups; null: it is another function. A handle
/// is of the grid, whatever the scope: there is one device.
Value* PtxTranslator::callOfGroups(const std::string& name, llvm::FunctionType* type)
{
    if (name == "cudaCGSynchronize") {
        intrinsic("__ls_grid_sync", m_build.getVoidTy(), {});
        return llvm::Constant::getNullValue(type->getReturnType());
    }
    return name == "cudaCGGetIntrinsicHandle" ? llvm::ConstantInt::get(type->getReturnType(), 1) : nullptr;
}

/// call[.uni] (result), function, (arguments)[, prototype]
void PtxTranslator::call(const PtxStatement& s)
{
    using Kind = PtxOperand::Kind;
    if (!m_names)
        unknown(s);
    size_t next = s.operands.at(0).kind == Kind::List ? 1 : 0;
    const PtxOperand* results = next == 1 ? s.operands.data() : nullptr;
    const PtxOperand& name = s.operands.at(next++);
    const bool hasArguments = next < s.operands.size() && s.operands[next].kind == Kind::List;
    const std::vector<PtxOperand> given = hasArguments ? s.operands[next++].elements : std::vector<PtxOperand>{};
    const auto [type, function] = calleeOf(s, name, next < s.operands.size() ? &s.operands[next] : nullptr);
    if (given.size() != type->getNumParams() ||
        (results && (results->elements.size() != 1 || type->getReturnType()->isVoidTy())))
        throw UnknownPtx{"call of '" + name.name + "' with other parameters than it has"};
    std::vector<Value*> arguments;
    for (unsigned i = 0; i < given.size(); ++i)
        arguments.push_back(argument(given[i], type->getParamType(i)));
    if (Value* result = results ? callOfGroups(name.name, type) : nullptr)
        return storeResult(results->elements[0], result);
    llvm::CallInst* made = m_build.CreateCall(type, function, arguments);
    if (const auto* direct = llvm::dyn_cast<llvm::Function>(function))
        for (unsigned i = 0; i < given.size(); ++i)
            if (Type* byValue = direct->getParamByValType(i))
                made->addParamAttr(i, llvm::Attribute::getWithByValType(m_build.getContext(), byValue));
    if (results)
        storeResult(results->elements[0], made);
}

/// ret
void PtxTranslator::leave(const PtxStatement& s)
{
    if (!m_names)
        unknown(s);
    llvm::Instruction* next = &*m_build.GetInsertPoint();
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(m_build.getTrue(), next, true);
    m_build.SetInsertPoint(end);
    Value* result = m_names->result(m_build);
    result ? m_build.CreateRet(result) : m_build.CreateRetVoid();
    end->eraseFromParent();
    m_build.SetInsertPoint(next);
}

}  // namespace lanescope::simt
