// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What people and the trace are told of kernels, their arguments and buffers.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include "core/device/module.h"
#include "core/simt/code/program.h"
#include "core/simt/ir/kernel_resources.h"
#include "core/simt/launch/loaded_module.h"
#include "core/simt/launch/tensor_arguments.h"
#include "core/simt/ptx/ptx_lines.h"

namespace lanescope::simt {
namespace {

std::string displayNameOf(const llvm::Function& function)
{
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        return subprogram->getName().str();
    std::string name = llvm::demangle(function.getName().str());
    return name.substr(0, name.find('('));
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

/// The value of the parameter of that name, a number of 8 bytes; none: the kernel has no such parameter.
std::optional<uint64_t> wordNamed(const device::KernelInfo& info, const std::string& name,
                                  std::span<const void* const> arguments)
{
    const auto found = std::ranges::find(info.parameters, name, &device::KernelParameter::name);
    if (found == info.parameters.end() || found->bytes != sizeof(uint64_t))
        return std::nullopt;
    uint64_t value = 0;
    std::memcpy(&value, arguments[static_cast<size_t>(found - info.parameters.begin())], sizeof value);
    return value;
}

/// Of an array whose extents and strides (bytes) are parameters, too, as Numba passes its arrays: the extents,
/// outermost first. Empty: it is no such array, or does not lie row after row.
std::vector<uint64_t> passedExtents(const device::KernelInfo& info, const std::string& name, uint64_t elementBytes,
                                    std::span<const void* const> arguments)
{
    std::vector<uint64_t> extents, strides;
    for (;;) {
        const auto extent = wordNamed(info, fmt::format("{}.shape[{}]", name, extents.size()), arguments);
        const auto stride = wordNamed(info, fmt::format("{}.strides[{}]", name, extents.size()), arguments);
        if (!extent || !stride)
            break;
        extents.push_back(*extent);
        strides.push_back(*stride);
    }
    uint64_t row = elementBytes;
    for (size_t d = extents.size(); d-- > 0; row *= extents[d])
        if (strides[d] != row)
            return {};
    return extents;
}

/// Of a tensor whose layout is one of run time, as Mojo passes it in a struct: words of 8 bytes, the address, the
/// extents, then the strides, in elements; the innermost, 1, is not there where compilation knows it. The extents,
/// outermost first; empty: the words say nothing of the kind, or the tensor does not lie row after row, or is not all
/// of the buffer.
std::vector<uint64_t> extentsInTensor(std::span<const std::byte> bytes, uint64_t elements)
{
    std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint64_t));
    for (size_t rank = 1; 2 * rank <= words.size(); ++rank) {
        uint64_t row = 1;
        bool isRowAfterRow = true;
        for (size_t d = rank; d > 0 && isRowAfterRow; --d) {
            const bool isStride = d == rank || words[rank + d] == row;
            isRowAfterRow = isStride && words[d] != 0 && row <= elements / words[d];
            row *= words[d];
        }
        if (isRowAfterRow && row == elements)
            return {words.begin() + 1, words.begin() + 1 + static_cast<std::ptrdiff_t>(rank)};
    }
    return {};
}

/// Where a parameter points to arrays, the buffer has as many of them as fit.
std::vector<uint64_t> declaredExtents(const llvm::DIType* pointee, uint64_t bytes)
{
    const DeclaredShape shape = shapeOf(pointee);
    uint64_t each = shape.element.totalBytes();
    for (const uint64_t extent : shape.dims)
        each *= extent;
    std::vector<uint64_t> extents = shape.dims;
    if (each != 0 && bytes % each == 0 && bytes != each && !extents.empty())
        extents.insert(extents.begin(), bytes / each);
    return extents;
}

/// The address that is in an argument.
uint64_t addressIn(const void* argument, uint64_t offset)
{
    uint64_t address = 0;
    std::memcpy(&address, static_cast<const std::byte*>(argument) + offset, sizeof address);
    return address;
}

}  // namespace

device::KernelInfo LoadedModule::kernelInfo(llvm::Function& function)
{
    device::KernelInfo info;
    info.name = function.getName().str();
    info.displayName = displayNameOf(function);
    info.blockWord = blockWordOf(function);
    if (const llvm::DISubprogram* subprogram = function.getSubprogram())
        info.where = {m_sources.idOf(subprogram->getFile()), subprogram->getLine(), 0};
    const std::vector<DescribedParameter>& described =
        m_described.emplace(&function, describeParameters(function)).first->second;
    for (llvm::Argument& argument : function.args()) {
        const DescribedParameter& known = described[argument.getArgNo()];
        device::KernelParameter parameter;
        llvm::Type* type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
        parameter.bytes = m_module->getDataLayout().getTypeAllocSize(type);
        parameter.alignment = m_module->getDataLayout().getABITypeAlign(type).value();
        parameter.name = known.name;
        if (known.type)
            parameter.typeName = typeName(known.type);
        for (const auto& [part, element, isPassedWithExtents] : known.pointers)
            parameter.pointers.push_back({part.offset, part.name, part.typeName});
        info.parameters.push_back(std::move(parameter));
    }
    info.resources = resourcesOf(function);
    return info;
}

void LoadedModule::nameBuffers(const device::KernelInfo& info, std::span<const DescribedParameter> described,
                               std::span<const void* const> arguments)
{
    for (size_t i = 0; i < described.size(); ++i) {
        const auto* const bytes = static_cast<const std::byte*>(arguments[i]);
        const std::span<const std::byte> tensor(bytes, described[i].isTensor ? info.parameters[i].bytes : 0);
        for (const DescribedPointer& pointer : described[i].pointers)
            nameBuffer(info, pointer, addressIn(bytes, pointer.part.offset), arguments, tensor);
    }
    nameTensors(info, arguments);
}

/// After those of pointers: a pointer's name is the program's own for the memory, a map's may be of a part of it.
void LoadedModule::nameTensors(const device::KernelInfo& info, std::span<const void* const> arguments)
{
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        const device::KernelParameter& parameter = info.parameters[i];
        const std::vector<TensorArgument> tensors =
            tensorsIn({static_cast<const std::byte*>(arguments[i]), parameter.bytes});
        for (const TensorArgument& tensor : tensors) {
            const auto buffer = device::DeviceMemory::isDeviceAddress(tensor.map.address)
                                    ? m_memory.find(tensor.map.address)
                                    : std::nullopt;
            if (!buffer)
                continue;
            const bool isAll = buffer->address == tensor.map.address;
            m_memory.describe(
                tensor.map.address,
                tensors.size() == 1 ? parameter.name : fmt::format("{}.{}", parameter.name, tensor.offset),
                elementOf(tensor.map), isAll ? extentsInMemory(tensor.map, buffer->bytes) : std::vector<uint64_t>());
        }
    }
}

void LoadedModule::nameBuffer(const device::KernelInfo& info, const DescribedPointer& pointer, uint64_t address,
                              std::span<const void* const> arguments, std::span<const std::byte> tensor)
{
    const auto buffer = device::DeviceMemory::isDeviceAddress(address) ? m_memory.find(address) : std::nullopt;
    if (!buffer)
        return;
    const auto& [part, element, isPassedWithExtents] = pointer;
    std::vector<uint64_t> extents;
    if (isPassedWithExtents)
        extents = passedExtents(info, part.name, element.totalBytes(), arguments);
    if (extents.empty() && part.pointee)
        extents = declaredExtents(part.pointee, buffer->bytes);
    if (extents.empty() && !tensor.empty())
        extents = extentsInTensor(tensor, buffer->bytes / std::max<uint64_t>(element.totalBytes(), 1));
    m_memory.describe(address, part.name, element, extents);
}

void LoadedModule::describeLaunch(trace::Launch& launch, const device::KernelInfo& info,
                                  std::span<const DescribedParameter> described, std::span<const void* const> arguments)
{
    launch.kernel = info.displayName;
    launch.blockWord = info.blockWord;
    launch.where = {writerSource(info.where.source), info.where.line, 0};
    for (size_t i = 0; i < info.parameters.size(); ++i) {
        trace::LaunchArgument argument;
        argument.name = info.parameters[i].name;
        argument.type = info.parameters[i].typeName;
        argument.text = valueText(described[i].value, arguments[i], info.parameters[i].bytes);
        if (info.parameters[i].pointers.size() == 1) {
            const uint64_t address = addressIn(arguments[i], info.parameters[i].pointers.front().offset);
            if (auto allocation =
                    device::DeviceMemory::isDeviceAddress(address) ? m_memory.find(address) : std::nullopt) {
                argument.buffer = allocation->buffer;
                uint64_t offset = address - allocation->address;
                argument.text = offset ? fmt::format("{} + {} bytes", allocation->name, offset) : allocation->name;
            }
        }
        describeTensor(argument, {static_cast<const std::byte*>(arguments[i]), info.parameters[i].bytes});
        launch.arguments.push_back(std::move(argument));
    }
}

/// Of an argument that has one tensor map in it.
void LoadedModule::describeTensor(trace::LaunchArgument& argument, std::span<const std::byte> bytes) const
{
    const std::vector<TensorArgument> tensors = tensorsIn(bytes);
    if (tensors.size() != 1)
        return;
    const device::TensorMap& map = tensors.front().map;
    const auto allocation =
        device::DeviceMemory::isDeviceAddress(map.address) ? m_memory.find(map.address) : std::nullopt;
    if (allocation)
        argument.buffer = allocation->buffer;
    argument.text = textOf(map, allocation ? allocation->name : fmt::format("0x{:x}", map.address));
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
    buffer.device = allocation.device;
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
