// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/described_parameters.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Module.h>

#include "core/simt/ptx/ptx_entries.h"

namespace lanescope::simt {
namespace {

using llvm::dyn_cast_or_null;

/// Names and types of a function's parameters, from its debug information.
std::map<unsigned, const llvm::DILocalVariable*> parameterVariables(llvm::Function& function)
{
    std::map<unsigned, const llvm::DILocalVariable*> result;
    auto consider = [&](const llvm::DILocalVariable* variable) {
        if (variable->isParameter() && variable->getScope()->getSubprogram() == function.getSubprogram())
            result.emplace(variable->getArg() - 1, variable);
    };
    for (llvm::BasicBlock& block : function)
        for (llvm::Instruction& instr : block)
            for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instr.getDbgRecordRange()))
                consider(record.getVariable());
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        for (const llvm::DINode* node : subprogram->getRetainedNodes())
            if (const auto* variable = dyn_cast_or_null<llvm::DILocalVariable>(node))
                consider(variable);
    return result;
}

const llvm::DIType* pointee(const llvm::DIType* type)
{
    while (const auto* derived = dyn_cast_or_null<llvm::DIDerivedType>(type)) {
        if (derived->getTag() == llvm::dwarf::DW_TAG_pointer_type)
            return derived->getBaseType();
        type = derived->getBaseType();
    }
    return nullptr;
}

/// \p variable: null where debug information says nothing of it.
std::vector<PointerPart> pointersOf(const llvm::Argument& argument, const llvm::DILocalVariable* variable)
{
    const llvm::DIType* type = variable ? variable->getType() : nullptr;
    const std::string name = variable ? variable->getName().str() : fmt::format("arg{}", argument.getArgNo());
    if (argument.hasByValAttr()) {
        std::vector<PointerPart> parts = type ? pointersIn(type, name) : std::vector<PointerPart>{};
        const uint64_t bytes = argument.getParent()->getDataLayout().getTypeAllocSize(argument.getParamByValType());
        std::erase_if(parts, [&](const PointerPart& part) {
            return bytes < sizeof(uint64_t) || part.offset > bytes - sizeof(uint64_t);
        });
        return parts;
    }
    if (!argument.getType()->isPointerTy())
        return {};
    return {{0, name, type ? typeName(type) : std::string(), pointee(type)}};
}

trace::ValueType elementOf(const PointerPart& part)
{
    trace::ValueType element =
        part.pointee ? shapeOf(part.pointee).element : trace::ValueType{trace::ScalarKind::Bytes, 1, 1, "char"};
    for (const char* qualifier : {"const ", "volatile "})
        if (element.name.starts_with(qualifier))
            element.name = element.name.substr(std::strlen(qualifier));
    return element;
}

}  // namespace

std::vector<DescribedParameter> describeParameters(llvm::Function& function)
{
    const auto variables = parameterVariables(function);
    std::vector<DescribedParameter> parameters;
    for (const llvm::Argument& argument : function.args()) {
        const auto found = variables.find(argument.getArgNo());
        const llvm::DILocalVariable* variable = found == variables.end() ? nullptr : found->second;
        DescribedParameter parameter;
        parameter.name = variable ? variable->getName().str() : fmt::format("arg{}", argument.getArgNo());
        parameter.type = variable ? variable->getType() : nullptr;
        parameter.value =
            variable ? valueTypeOf(variable->getType()) : trace::ValueType{trace::ScalarKind::Bytes, 1, 1, ""};
        parameter.isTensor = argument.hasByValAttr() && parameter.type && parameter.type->getName() == kTensorStruct;
        for (PointerPart& part : pointersOf(argument, variable)) {
            trace::ValueType element = elementOf(part);
            parameter.pointers.push_back({std::move(part), std::move(element)});
        }
        parameters.push_back(std::move(parameter));
    }
    const auto hasName = [&](const std::string& name) {
        return std::ranges::find(parameters, name, &DescribedParameter::name) != parameters.end();
    };
    for (DescribedParameter& parameter : parameters)
        for (DescribedPointer& pointer : parameter.pointers)
            pointer.isPassedWithExtents = hasName(pointer.part.name + ".shape[0]");
    return parameters;
}

}  // namespace lanescope::simt
