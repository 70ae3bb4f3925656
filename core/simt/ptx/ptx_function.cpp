// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ptx/ptx_function.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "core/simt/ptx/pointer_recovery.h"
#include "core/simt/ptx/ptx_to_ir.h"

namespace lanescope::simt {

using llvm::Type;
using llvm::Value;

namespace {

llvm::Type* scalarType(llvm::LLVMContext& context, const PtxVariable& variable, bool withFloats)
{
    if (withFloats && variable.type == "f32")
        return Type::getFloatTy(context);
    if (withFloats && variable.type == "f64")
        return Type::getDoubleTy(context);
    return Type::getIntNTy(context, static_cast<unsigned>(std::max<uint64_t>(bytesOfPtxType(variable.type), 1) * 8));
}

uint64_t bytesOf(const PtxVariable& variable)
{
    return std::max<uint64_t>(bytesOfPtxType(variable.type), 1) * variable.count;
}

/// An array that comes back, as words of its alignment.
Type* resultType(llvm::LLVMContext& context, const PtxVariable& variable)
{
    if (!variable.isArray)
        return scalarType(context, variable, false);
    uint64_t word = std::min<uint64_t>(alignmentOfPtx(variable), 8);
    while (bytesOf(variable) % word != 0)
        word /= 2;
    return llvm::ArrayType::get(Type::getIntNTy(context, static_cast<unsigned>(word) * 8), bytesOf(variable) / word);
}

}  // namespace

uint64_t alignmentOfPtx(const PtxVariable& variable)
{
    const uint64_t own = std::max<uint64_t>(bytesOfPtxType(variable.type), 1);
    const bool isSound = variable.alignment != 0 && (variable.alignment & (variable.alignment - 1)) == 0 &&
                         variable.alignment <= (uint64_t{1} << 20);
    return isSound ? variable.alignment : own;
}

Type* ptxVariableType(llvm::LLVMContext& context, const PtxVariable& variable)
{
    Type* element = scalarType(context, variable, true);
    return variable.isArray || variable.count != 1 ? llvm::ArrayType::get(element, variable.count) : element;
}

llvm::FunctionType* ptxFunctionType(llvm::LLVMContext& context, const std::vector<PtxVariable>& results,
                                    const std::vector<PtxVariable>& parameters, bool isEntry)
{
    std::vector<Type*> types;
    for (const PtxVariable& parameter : parameters)
        types.push_back(parameter.isArray ? static_cast<Type*>(llvm::PointerType::get(context, 0))
                                          : scalarType(context, parameter, isEntry));
    Type* result = results.empty() ? Type::getVoidTy(context) : resultType(context, results.front());
    return llvm::FunctionType::get(result, types, false);
}

llvm::GlobalVariable* addSharedVariable(llvm::Module& module, const PtxVariable& variable, const std::string& name)
{
    Type* type = ptxVariableType(module.getContext(), variable);
    const bool isDynamic = variable.isExternal || variable.count == 0;
    auto* global = new llvm::GlobalVariable(
        module, type, false, isDynamic ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
        isDynamic ? nullptr : llvm::UndefValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal,
        kPtxSharedSpace);
    global->setAlignment(llvm::Align(alignmentOfPtx(variable)));
    return global;
}

// ---- Names ----

PtxNames::Place PtxFunctionBuilder::place(const std::string& name)
{
    if (const auto own = m_places.find(name); own != m_places.end())
        return own->second;
    if (const auto found = m_module.variables.find(name); found != m_module.variables.end()) {
        auto* generic = llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(
            found->second, llvm::PointerType::get(m_function.getContext(), 0));
        return {generic, found->second->getAddressSpace() == kPtxSharedSpace};
    }
    if (llvm::Function* known = function(name))
        return {known, false};
    if (name == kGridWorkspace)
        return {gridWorkspace(), false};
    return {};
}

llvm::Constant* PtxFunctionBuilder::gridWorkspace()
{
    constexpr uint64_t kBytes = 64;
    constexpr unsigned kGlobalSpace = 1;
    auto* type = llvm::ArrayType::get(Type::getInt32Ty(m_function.getContext()), kBytes / 4);
    auto* global = new llvm::GlobalVariable(*m_function.getParent(), type, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::Constant::getNullValue(type), kGridWorkspace, nullptr,
                                            llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
    global->setAlignment(llvm::Align(16));
    m_module.variables[kGridWorkspace] = global;
    return llvm::cast<llvm::Constant>(place(kGridWorkspace).pointer);
}

PtxNames::Parameter PtxFunctionBuilder::parameter(const std::string& name)
{
    const auto found = m_parameters.find(name);
    return found == m_parameters.end() ? Parameter{} : found->second;
}

llvm::Function* PtxFunctionBuilder::function(const std::string& name)
{
    const auto found = m_module.functions.find(name);
    return found == m_module.functions.end() ? nullptr : found->second;
}

const PtxPrototype* PtxFunctionBuilder::prototype(const std::string& name)
{
    const auto found = m_source.body.prototypes.find(name);
    return found == m_source.body.prototypes.end() ? nullptr : &found->second;
}

llvm::FunctionType* PtxFunctionBuilder::typeOf(const PtxPrototype& prototype)
{
    return ptxFunctionType(m_function.getContext(), prototype.results, prototype.parameters, false);
}

std::string PtxFunctionBuilder::problemOf(const PtxStatement& statement, const std::string& what)
{
    const std::string place = " (" + m_module.name + ":" + std::to_string(statement.line) + ")";
    return (what.starts_with("instruction") ? "the PTX " : "the PTX, ") + what + place;
}

Value* PtxFunctionBuilder::result(llvm::IRBuilder<>& build)
{
    if (m_source.results.empty())
        return nullptr;
    const PtxVariable& variable = m_source.results.front();
    Type* type = m_function.getReturnType();
    if (const Parameter scalar = parameter(variable.name); scalar.slot)
        return build.CreateLoad(type, scalar.slot);
    return build.CreateLoad(type, place(variable.name).pointer);
}

// ---- Parameters and variables ----

void PtxFunctionBuilder::declareParameters(llvm::IRBuilder<>& build)
{
    for (size_t i = 0; i < m_source.parameters.size(); ++i) {
        const PtxVariable& parameter = m_source.parameters[i];
        llvm::Argument* argument = m_function.getArg(static_cast<unsigned>(i));
        if (parameter.isArray)
            m_places[parameter.name] = {argument, false};
        else
            m_parameters[parameter.name].value = argument;
    }
    for (const PtxVariable& result : m_source.results)
        declareVariable(build, result);
}

void PtxFunctionBuilder::declareVariable(llvm::IRBuilder<>& build, const PtxVariable& variable)
{
    if (variable.space == "shared") {
        llvm::GlobalVariable* shared = addSharedVariable(*m_function.getParent(), variable, variable.name);
        m_places[variable.name] = {llvm::ConstantExpr::getPointerBitCastOrAddrSpaceCast(shared, build.getPtrTy()),
                                   true};
        return;
    }
    if (variable.space == "param" && !variable.isArray) {
        llvm::AllocaInst* slot = build.CreateAlloca(scalarType(build.getContext(), variable, false));
        m_slots.push_back(slot);
        m_parameters[variable.name].slot = slot;
        return;
    }
    llvm::AllocaInst* array = build.CreateAlloca(ptxVariableType(build.getContext(), variable), nullptr, variable.name);
    array->setAlignment(llvm::Align(alignmentOfPtx(variable)));
    m_places[variable.name] = {array, false};
}

void PtxFunctionBuilder::declareVariables(llvm::IRBuilder<>& build)
{
    for (const PtxVariable& variable : m_source.body.variables)
        declareVariable(build, variable);
}

// ---- The body ----

void PtxFunctionBuilder::build()
{
    m_lines.begin(m_function, m_source);
    llvm::LLVMContext& context = m_function.getContext();
    llvm::IRBuilder<> build(llvm::BasicBlock::Create(context, "", &m_function));
    declareParameters(build);
    declareVariables(build);
    translate(*build.CreateUnreachable());
    simplify();
}

void PtxFunctionBuilder::translate(llvm::Instruction& place)
{
    PtxTranslator translator(place, m_source.body, this);
    try {
        translator.declareRegisters();
        translator.run();
    } catch (const UnknownPtx& problem) {
        PtxStatement whole;
        whole.line = m_source.line;
        translator.note(whole, problem.what);
    }
    llvm::IRBuilder<> build(&place);
    build.SetCurrentDebugLocation(
        m_source.body.statements.empty() ? llvm::DebugLoc() : m_lines.locationOf(m_source.body.statements.back()));
    Value* value = result(build);
    value ? build.CreateRet(value) : build.CreateRetVoid();
    llvm::BasicBlock& end = *place.getParent();
    place.eraseFromParent();
    translator.connectBranches(end);
}

/// What the translation leaves that a compiler would not.
void PtxFunctionBuilder::simplify()
{
    for (llvm::BasicBlock& block : m_function)
        llvm::ConstantFoldTerminator(&block);
    llvm::removeUnreachableBlocks(m_function);
    llvm::DominatorTree dominators(m_function);
    llvm::PromoteMemToReg(m_slots, dominators);
    recoverPointers(m_function);
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(m_function))
        llvm::MergeBlockIntoPredecessor(&block);
}

}  // namespace lanescope::simt
