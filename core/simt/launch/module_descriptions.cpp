// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people and the trace are told of kernels, their arguments and buffers.
#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugProgramInstruction.h>

#include "core/device/module.h"
#include "core/simt/code/program.h"
#include "core/simt/ir/kernel_resources.h"
#include "core/simt/launch/loaded_module.h"

namespace lanescope::simt {
namespace {

std::string displayNameOf(const llvm::Function& function)
{
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        return subprogram->getName().str();
    std::string name = llvm::demangle(function.getName().str());
    return name.substr(0, name.find('('));
}

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

std::string valueText(const trace::ValueType& type, const void* bytes, uint64_t size)
{
    auto as = [&]<typename T>(T) {
        T value{};
        std::memcpy(&value, bytes, std::min<uint64_t>(sizeof value, size));
        return value;
    };
    if (type.components != 1)
        return fmt::format("{} bytes", size);
    switch (type.kind) {
    case trace::ScalarKind::Float:
        if (size == 4)
            return fmt::format("{}", as(float{}));
        return size == 8 ? fmt::format("{}", as(double{})) : fmt::format("{} bytes", size);
    case trace::ScalarKind::Bool:
        return as(uint8_t{}) ? "true" : "false";
    case trace::ScalarKind::Signed:
    case trace::ScalarKind::Char:
        return size == 1   ? fmt::format("{}", int{as(int8_t{})})
               : size == 2 ? fmt::format("{}", as(int16_t{}))
               : size == 4 ? fmt::format("{}", as(int32_t{}))
                           : fmt::format("{}", as(int64_t{}));
    case trace::ScalarKind::Unsigned:
        return fmt::format("{}", as(uint64_t{}));
    case trace::ScalarKind::Pointer:
        return fmt::format("0x{:x}", as(uint64_t{}));
    case trace::ScalarKind::Bytes:
        break;
    }
    return fmt::format("{} bytes", size);
}

}  // namespace

device::KernelInfo LoadedModule::kernelInfo(llvm::Function& function)
{
    device::KernelInfo info;
    info.name = function.getName().str();
    info.displayName = displayNameOf(function);
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        info.where = {m_sources.idOf(subprogram->getFile()), subprogram->getLine(), 0};
    auto names = parameterVariables(function);
    for (llvm::Argument& argument : function.args()) {
        device::KernelParameter parameter;
        llvm::Type* type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
        parameter.bytes = m_module->getDataLayout().getTypeAllocSize(type);
        parameter.alignment = m_module->getDataLayout().getABITypeAlign(type).value();
        parameter.isPointer = argument.getType()->isPointerTy() && !argument.hasByValAttr();
        auto variable = names.find(argument.getArgNo());
        parameter.name =
            variable != names.end() ? variable->second->getName().str() : fmt::format("arg{}", argument.getArgNo());
        if (variable != names.end())
            parameter.typeName = typeName(variable->second->getType());
        info.parameters.push_back(std::move(parameter));
    }
    info.resources = resourcesOf(function);
    return info;
}

void LoadedModule::nameBuffers(const device::KernelInfo& info, llvm::Function& function,
                               std::span<const void* const> arguments)
{
    auto variables = parameterVariables(function);
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        if (!info.parameters[i].isPointer)
            continue;
        uint64_t address = 0;
        std::memcpy(&address, arguments[i], sizeof address);
        if (!device::DeviceMemory::isDeviceAddress(address))
            continue;
        auto variable = variables.find(static_cast<unsigned>(i));
        const llvm::DIType* type = variable == variables.end() ? nullptr : pointee(variable->second->getType());
        trace::ValueType element = type ? valueTypeOf(type) : trace::ValueType{trace::ScalarKind::Bytes, 1, 1, "char"};
        for (const char* qualifier : {"const ", "volatile "})
            if (element.name.starts_with(qualifier))
                element.name = element.name.substr(std::strlen(qualifier));
        m_memory.describe(address, info.parameters[i].name, element);
    }
}

void LoadedModule::describeLaunch(trace::Launch& launch, const device::KernelInfo& info, llvm::Function& function,
                                  std::span<const void* const> arguments)
{
    launch.kernel = info.displayName;
    launch.where = {writerSource(info.where.source), info.where.line, 0};
    auto variables = parameterVariables(function);
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        trace::LaunchArgument argument;
        argument.name = info.parameters[i].name;
        argument.type = info.parameters[i].typeName;
        auto variable = variables.find(static_cast<unsigned>(i));
        trace::ValueType type = variable == variables.end() ? trace::ValueType{trace::ScalarKind::Bytes, 1, 1, ""}
                                                            : valueTypeOf(variable->second->getType());
        argument.text = valueText(type, arguments[i], info.parameters[i].bytes);
        if (info.parameters[i].isPointer) {
            uint64_t address = 0;
            std::memcpy(&address, arguments[i], sizeof address);
            if (auto allocation =
                    device::DeviceMemory::isDeviceAddress(address) ? m_memory.find(address) : std::nullopt) {
                argument.buffer = allocation->buffer;
                uint64_t offset = address - allocation->address;
                argument.text = offset ? fmt::format("{} + {} bytes", allocation->name, offset) : allocation->name;
            }
        }
        launch.arguments.push_back(std::move(argument));
    }
}

trace::Buffer LoadedModule::bufferOf(const device::Allocation& allocation) const
{
    trace::Buffer buffer;
    buffer.id = allocation.buffer;
    buffer.name = allocation.name.empty() ? allocation.origin : allocation.name;
    buffer.space = allocation.constant ? trace::Space::Constant : trace::Space::Global;
    buffer.element =
        allocation.name.empty() ? trace::ValueType{trace::ScalarKind::Bytes, 1, 1, "char"} : allocation.element;
    buffer.bytes = allocation.bytes;
    uint32_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    buffer.dims = allocation.dims.empty() || allocation.name.empty() ? std::vector<uint64_t>{allocation.bytes / element}
                                                                     : allocation.dims;
    buffer.deviceAddress = allocation.address;
    buffer.allocatedAt = allocation.origin;
    return buffer;
}

trace::Buffer LoadedModule::bufferOf(const MemoryObject& object, BufferId id, const trace::Launch& launch, bool shared,
                                     uint64_t offset, uint64_t bytes) const
{
    trace::Buffer buffer;
    buffer.id = id;
    buffer.name = object.name;
    buffer.space = shared ? trace::Space::Shared : trace::Space::Local;
    buffer.element = object.element;
    buffer.dims = object.dims;
    uint32_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
    if (object.dynamic || buffer.dims.empty())
        buffer.dims = {bytes / element};
    buffer.bytes = bytes;
    buffer.launch = launch.id;
    buffer.sharedOffset = shared ? offset : 0;
    buffer.allocatedAt = object.declaredAt;
    return buffer;
}

}  // namespace lanescope::simt
