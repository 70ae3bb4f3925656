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
    constexpr uint64_t kMostAligned = 4096;
    const uint64_t own = std::max<uint64_t>(bytesOfPtxType(variable.type), 1);
    const bool isSound = variable.alignment != 0 && (variable.alignment & (variable.alignment - 1)) == 0 &&
                         variable.alignment <= kMostAligned;
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

// ---- Variables of the source ----

/// Those that are in registers.
void PtxFunctionBuilder::findVariables()
{
    m_known = m_lines.debugInfo().find(m_source.name);
    if (!m_known)
        return;
    m_variables.resize(m_known->variables.size());
    for (size_t i = 0; i < m_known->variables.size(); ++i) {
        const PtxSourceVariable& variable = m_known->variables[i];
        for (size_t place = 0; place < variable.places.size() && !variable.isParameter; ++place) {
            if (!variable.places[place].name.starts_with('%'))
                continue;
            m_held[variable.places[place].name].emplace_back(i, place);
            m_begun[variable.places[place].first].emplace_back(i, place);
        }
    }
}

/// A variable has a new value where its register is written, and where another register becomes its.
void PtxFunctionBuilder::passed(const PtxStatement& statement, PtxTranslator& translator)
{
    if (m_held.empty())
        return;
    const auto index = static_cast<uint64_t>(&statement - m_source.body.statements.data());
    const auto write = [&](const std::vector<std::pair<size_t, size_t>>& held) {
        for (const auto& [variable, place] : held) {
            const PtxSourceVariable::Place& where = m_known->variables[variable].places[place];
            if (index + 1 < where.first || index >= where.last)
                continue;
            if (llvm::Value* value = translator.valueOf(where.name))
                writeVariable(variable, *value, statement, translator.build());
        }
    };
    if (const auto begun = m_begun.find(index + 1); begun != m_begun.end())
        write(begun->second);
    const auto wrote = [&](const PtxOperand& operand) {
        if (const auto held = m_held.find(operand.name); held != m_held.end())
            write(held->second);
    };
    if (statement.label.empty() && !statement.operands.empty()) {
        wrote(statement.operands[0]);
        for (const PtxOperand& each : statement.operands[0].elements)
            wrote(each);
    }
}

/// Null: it is not told, or no variable of the program.
llvm::DIType* PtxFunctionBuilder::typeOf(const PtxSourceVariable& variable)
{
    return m_module.values.isEmpty() ? m_types.typeOf(variable.type)
                                     : m_module.values.typeOf(m_lines.builder(), variable);
}

/// A variable whose line is not told has its values where they are computed.
void PtxFunctionBuilder::writeVariable(size_t variable, llvm::Value& value, const PtxStatement& statement,
                                       llvm::IRBuilder<>& build)
{
    const PtxSourceVariable& known = m_known->variables[variable];
    llvm::DISubprogram* subprogram = m_function.getSubprogram();
    llvm::DIFile* file = m_lines.fileOf(known.file);
    if (!m_variables[variable]) {
        llvm::DIType* type = typeOf(known);
        if (!type)
            return;
        m_variables[variable] =
            m_lines.builder().createAutoVariable(subprogram, known.name, file, known.line, type, true);
    }
    const llvm::DebugLoc at = known.line
                                  ? llvm::DebugLoc(llvm::DILocation::get(build.getContext(), known.line, 0, subprogram))
                                  : m_lines.placeInFunction(statement);
    m_lines.builder().insertDbgValueIntrinsic(&value, m_variables[variable], m_lines.builder().createExpression(), at,
                                              &*build.GetInsertPoint());
}

// ---- The body ----

void PtxFunctionBuilder::build()
{
    m_lines.begin(m_function, m_source);
    findVariables();
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
