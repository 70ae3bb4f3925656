// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/json_columns.h"

#include <nlohmann/json.hpp>

namespace lanescope::trace {

namespace {

using nlohmann::json;

std::string dump(const json& value)
{
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json dimJson(Dim3 d)
{
    return json::array({d.x, d.y, d.z});
}

json accessJson(const FindingAccess& a)
{
    return {{"source", a.where.source.value}, {"line", a.where.line}, {"column", a.where.column},
            {"expression", a.expression},     {"access", a.access},   {"block", dimJson(a.block)},
            {"thread", dimJson(a.thread)},    {"epoch", a.epoch},     {"step", a.step}};
}

std::string textOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

uint64_t numberOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}

Dim3 dimOf(const json& object, const char* key)
{
    const auto at = object.find(key);
    if (at == object.end() || !at->is_array() || at->size() != 3)
        return {0, 0, 0};
    const auto part = [&](size_t i) {
        return (*at)[i].is_number_unsigned() ? static_cast<uint32_t>((*at)[i].get<uint64_t>()) : 0U;
    };
    return {part(0), part(1), part(2)};
}

LaunchArgument argumentOf(const json& object)
{
    LaunchArgument argument{textOf(object, "name"), textOf(object, "type"), textOf(object, "text"), {}};
    if (object.is_object() && object.contains("buffer"))
        argument.buffer = BufferId{static_cast<uint32_t>(numberOf(object, "buffer"))};
    return argument;
}

FindingAccess findingAccessOf(const json& object)
{
    FindingAccess access;
    access.where = {SourceId{static_cast<uint32_t>(numberOf(object, "source"))},
                    static_cast<uint32_t>(numberOf(object, "line")), static_cast<uint32_t>(numberOf(object, "column"))};
    access.expression = textOf(object, "expression");
    access.access = textOf(object, "access");
    access.block = dimOf(object, "block");
    access.thread = dimOf(object, "thread");
    access.epoch = static_cast<uint32_t>(numberOf(object, "epoch"));
    access.step = numberOf(object, "step");
    return access;
}

constexpr const char* kCall = "call";

/// To the first occurrence, or to the one that it says it belongs to; or a call.
void addAccess(const json& object, Finding& finding)
{
    const std::string which = textOf(object, "instance");
    if (which.empty())
        return finding.accesses.push_back(findingAccessOf(object));
    if (which == kCall)
        return finding.calls.push_back(findingAccessOf(object));
    if (finding.instances.empty() || finding.instances.back().which != which) {
        finding.instances.push_back({which, {}, {}});
        if (const auto cell = object.find("cell"); cell != object.end() && cell->is_array())
            for (const json& index : *cell)
                finding.instances.back().cell.push_back(index.is_number_integer() ? index.get<int64_t>() : 0);
    }
    finding.instances.back().accesses.push_back(findingAccessOf(object));
}

/// Of the access that carries them; others have none.
void addNumbers(const json& access, Finding& finding)
{
    const auto numbers = access.is_object() ? access.find("numbers") : access.end();
    if (numbers == access.end() || !numbers->is_object())
        return;
    for (const auto& [name, value] : numbers->items())
        if (value.is_number())
            finding.numbers.emplace_back(name, value.get<double>());
}

/// No array where the text is none.
json arrayOf(const std::string& text)
{
    json value = json::parse(text, nullptr, false);
    return value.is_array() ? value : json();
}

}  // namespace

std::string argumentsJson(const std::vector<LaunchArgument>& arguments)
{
    json array = json::array();
    for (const LaunchArgument& a : arguments) {
        json object{{"name", a.name}, {"type", a.type}, {"text", a.text}};
        if (a.buffer)
            object["buffer"] = a.buffer->value;
        array.push_back(std::move(object));
    }
    return dump(array);
}

bool readArguments(const std::string& text, std::vector<LaunchArgument>& arguments)
{
    const json array = arrayOf(text);
    for (const json& argument : array)
        arguments.push_back(argumentOf(argument));
    return array.is_array();
}

std::string accessesJson(const Finding& finding)
{
    json array = json::array();
    for (const FindingAccess& access : finding.accesses)
        array.push_back(accessJson(access));
    for (const FindingInstance& instance : finding.instances)
        for (const FindingAccess& access : instance.accesses) {
            array.push_back(accessJson(access));
            array.back()["instance"] = instance.which;
            array.back()["cell"] = instance.cell;
        }
    for (const FindingAccess& call : finding.calls) {
        array.push_back(accessJson(call));
        array.back()["instance"] = kCall;
    }
    if (!array.empty() && !finding.help.empty())
        array[0]["help"] = finding.help;
    if (!array.empty() && !finding.numbers.empty())
        for (const auto& [name, value] : finding.numbers)
            array[0]["numbers"][name] = value;
    return dump(array);
}

bool readAccesses(const std::string& text, Finding& finding)
{
    const json array = arrayOf(text);
    for (const json& access : array) {
        addAccess(access, finding);
        if (finding.help.empty())
            finding.help = textOf(access, "help");
        addNumbers(access, finding);
    }
    return array.is_array();
}

}  // namespace lanescope::trace
