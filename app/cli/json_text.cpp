// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/replay/replay.h"

namespace lanescope::cli {

namespace {

template <typename T>
T read(const void* bytes)
{
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

Json integerJson(uint32_t bytes, bool isSigned, const void* data)
{
    switch (bytes) {
    case 1:
        return isSigned ? Json(read<int8_t>(data)) : Json(read<uint8_t>(data));
    case 2:
        return isSigned ? Json(read<int16_t>(data)) : Json(read<uint16_t>(data));
    case 4:
        return isSigned ? Json(read<int32_t>(data)) : Json(read<uint32_t>(data));
    default:
        return isSigned ? Json(read<int64_t>(data)) : Json(read<uint64_t>(data));
    }
}

/// JSON has no infinities and no NaN: those become text. Floats keep the digits that read back.
Json floatJson(const trace::ValueType& type, const void* data)
{
    const double value = type.bytes == 8 ? read<double>(data) : read<float>(data);
    if (!std::isfinite(value))
        return replay::valueText(type, data);
    return type.bytes == 8 ? Json(value) : Json(Json::parse(fmt::format("{}", read<float>(data)), nullptr, false));
}

Json scalarJson(const trace::ValueType& type, const void* data)
{
    switch (type.kind) {
    case trace::ScalarKind::Float:
        if (type.bytes == 4 || type.bytes == 8)
            return floatJson(type, data);
        break;
    case trace::ScalarKind::Bool:
        return read<uint8_t>(data) != 0;
    case trace::ScalarKind::Signed:
    case trace::ScalarKind::Unsigned:
    case trace::ScalarKind::Char:
        if (type.bytes <= 8)
            return integerJson(type.bytes, type.kind != trace::ScalarKind::Unsigned, data);
        break;
    default:
        break;
    }
    return replay::valueText(type, data);
}

}  // namespace

std::string jsonText(const Json& document)
{
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

void printJson(const Json& document)
{
    const std::string text = jsonText(document);
    std::fwrite(text.data(), 1, text.size(), stdout);
}

Json toJson(Dim3 position)
{
    return {position.x, position.y, position.z};
}

Json toJson(const trace::ProgramEnd& end)
{
    if (end.how == trace::ProgramEnd::How::Unknown)
        return {};
    Json json = {{"how", end.name()}};
    if (end.status)
        json["status"] = *end.status;
    if (!end.signal.empty())
        json["signal"] = end.signal;
    return json;
}

Json exitJson(const trace::ProgramEnd& end)
{
    return end.status ? Json(*end.status) : Json();
}

std::string positionText(Dim3 position, Dim3 extent)
{
    if (extent.z > 1)
        return fmt::format("({},{},{})", position.x, position.y, position.z);
    if (extent.y > 1)
        return fmt::format("({},{})", position.x, position.y);
    return fmt::format("({})", position.x);
}

std::string locationText(const trace::Catalog& catalog, const trace::SourceLocation& where)
{
    return fmt::format("{}:{}:{}", trace::pathOf(catalog, where.source), where.line, where.column);
}

const char* spaceName(trace::Space space)
{
    switch (space) {
    case trace::Space::Global:
        return "global";
    case trace::Space::Shared:
        return "shared";
    case trace::Space::Constant:
        return "constant";
    case trace::Space::Local:
        return "local";
    }
    return "unknown";
}

/// Whole numbers without a fraction: 32, not 32.0.
Json numberJson(double value)
{
    return value == std::floor(value) && std::abs(value) < 1e15 ? Json(static_cast<int64_t>(value)) : Json(value);
}

Json accessesJson(const trace::Catalog& catalog, const std::vector<trace::FindingAccess>& list)
{
    Json accesses = Json::array();
    for (const trace::FindingAccess& access : list)
        accesses.push_back({{"file", trace::pathOf(catalog, access.where.source)},
                            {"line", access.where.line},
                            {"column", access.where.column},
                            {"expression", access.expression},
                            {"access", access.access},
                            {"block", toJson(access.block)},
                            {"thread", toJson(access.thread)},
                            {"epoch", access.epoch},
                            {"step", access.step}});
    return accesses;
}

Json toJson(const trace::Catalog& catalog, const findings::ToldFinding& finding)
{
    Json json = {{"kind", nameOf(finding.kind)},
                 {"severity", nameOf(finding.severity)},
                 {"message", finding.message},
                 {"count", finding.count},
                 {"kernel", finding.kernel},
                 {"launch", finding.launch.value},
                 {"buffer", finding.buffer},
                 {"cell", finding.cell},
                 {"accesses", accessesJson(catalog, finding.accesses)}};
    if (!finding.help.empty())
        json["help"] = finding.help;
    if (!finding.calls.empty())
        json["calls"] = accessesJson(catalog, finding.calls);
    for (const trace::FindingInstance& instance : finding.instances)
        json[instance.which] = {{"cell", instance.cell}, {"accesses", accessesJson(catalog, instance.accesses)}};
    for (const auto& [name, value] : finding.numbers)
        json[name] = numberJson(value);
    const char* const together = familyOf(finding.kind) == Family::Race ? "pairs" : "together";
    for (const trace::Finding& one : finding.together)
        json[together].push_back({{"message", one.message},
                                  {"count", one.count},
                                  {"launch", one.launch.value},
                                  {"buffer", one.buffer},
                                  {"cell", one.cell},
                                  {"accesses", accessesJson(catalog, one.accesses)}});
    return json;
}

Json valueJson(const trace::ValueType& type, const void* bytes)
{
    if (type.components <= 1)
        return scalarJson(type, bytes);
    Json components = Json::array();
    for (uint32_t i = 0; i < type.components; ++i)
        components.push_back(scalarJson(type, static_cast<const char*>(bytes) + size_t{i} * type.bytes));
    return components;
}

}  // namespace lanescope::cli
