// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/arguments.h"

#include <fmt/format.h>

#include <cstring>

#include "core/attach/names.h"

namespace lanescope::attach {

namespace {

/// An argument's value for people.
std::string textOf(const void* value, uint32_t bytes, const std::string& type)
{
    const auto as = [&]<typename Value>(Value number) {
        std::memcpy(&number, value, sizeof number);
        return fmt::format("{}", number);
    };
    const std::optional<trace::ValueType> scalar = scalarNamed(type);
    if (!scalar || scalar->components != 1 || scalar->totalBytes() != bytes)
        return fmt::format("{} bytes", bytes);
    if (scalar->kind == trace::ScalarKind::Float && bytes >= 4)
        return bytes == 4 ? as(float{}) : as(double{});
    if (scalar->kind == trace::ScalarKind::Signed)
        return bytes == 1 ? as(int8_t{}) : bytes == 2 ? as(int16_t{}) : bytes == 4 ? as(int32_t{}) : as(int64_t{});
    return bytes == 1   ? fmt::format("{}", *static_cast<const uint8_t*>(value))
           : bytes == 2 ? as(uint16_t{})
           : bytes == 4 ? as(uint32_t{})
                        : as(uint64_t{});
}

}  // namespace

std::optional<trace::ValueType> describeArguments(trace::Launch& launch, const CubinFunction& kernel, void** values,
                                                  const std::string& source, const Regions& regions, MemoryMap& memory,
                                                  trace::TraceWriter& writer)
{
    const std::vector<std::string> types = parameterTypes(demangled(kernel.name));
    const std::vector<std::string> names = parameterNames(source, launch.kernel, kernel.parameters.size());
    std::optional<trace::ValueType> word;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
        const CubinParameter& parameter = kernel.parameters[i];
        trace::LaunchArgument argument;
        argument.name = i < names.size() ? names[i] : fmt::format("argument {}", i);
        argument.type = types.size() == kernel.parameters.size() ? types[i] : "";
        const std::optional<trace::ValueType> pointee = pointeeOf(argument.type);
        if (!word && pointee)
            word = pointee;
        if (values) {
            const void* value = values[i];
            uint64_t address = 0;
            if (parameter.bytes == sizeof address)
                std::memcpy(&address, value, sizeof address);
            const Region* region = address ? regions.at(address) : nullptr;
            if (region && (pointee || argument.type.ends_with('*'))) {
                if (address == region->address)
                    memory.describe(address, i < names.size() ? names[i] : "", pointee.value_or(kUnknownWord));
                const trace::Buffer buffer = memory.buffer(region->address);
                writer.putBuffer(buffer);
                argument.buffer = buffer.id;
                argument.text = buffer.name;
            } else {
                argument.text = textOf(value, parameter.bytes, argument.type);
            }
        }
        launch.arguments.push_back(std::move(argument));
    }
    return word;
}

}  // namespace lanescope::attach
