// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/session_values.h"

#include <charconv>
#include <vector>

namespace lanescope::trace {

namespace {

template <typename T>
bool parseNumber(const std::string& text, T& value)
{
    const char* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, value);
    return code == std::errc{} && rest == end;
}

SessionValue text(const char* key, std::string SessionInfo::* field)
{
    return {key, [=](const SessionInfo& session) { return session.*field; },
            [=](const std::string& found, SessionInfo& session) {
                session.*field = found;
                return true;
            }};
}

SessionValue flag(const char* key, bool SessionInfo::* field)
{
    return {key, [=](const SessionInfo& session) { return session.*field ? "1" : "0"; },
            [=](const std::string& found, SessionInfo& session) {
                session.*field = found == "1";
                return true;
            }};
}

SessionValue stopReason(const char* key, StopReason SessionInfo::* field)
{
    return {key, [=](const SessionInfo& session) { return (session.*field).text(); },
            [=](const std::string& found, SessionInfo& session) {
                session.*field = StopReason::of(found);
                return true;
            }};
}

SessionValue programEnd(const char* key, ProgramEnd SessionInfo::* field)
{
    return {key,
            [=](const SessionInfo& session) -> std::optional<std::string> {
                const ProgramEnd& end = session.*field;
                return end.how != ProgramEnd::How::Unknown ? std::optional(end.text()) : std::nullopt;
            },
            [=](const std::string& found, SessionInfo& session) {
                session.*field = ProgramEnd::of(found);
                return true;
            }};
}

SessionValue processRank(const char* key, std::optional<ProcessRank> SessionInfo::* field)
{
    return {key,
            [=](const SessionInfo& session) -> std::optional<std::string> {
                const std::optional<ProcessRank>& rank = session.*field;
                return rank ? std::optional(rankText(*rank)) : std::nullopt;
            },
            [=](const std::string& found, SessionInfo& session) {
                session.*field = rankFrom(found);
                return (session.*field).has_value();
            }};
}

/// All that older traces have of a program's end; read only. The empty text is none.
SessionValue exitStatus(const char* key, ProgramEnd SessionInfo::* field)
{
    return {key, [](const SessionInfo&) -> std::optional<std::string> { return std::nullopt; },
            [=](const std::string& found, SessionInfo& session) {
                int status = 0;
                if (!found.empty() && !parseNumber(found, status))
                    return false;
                if (!found.empty() && (session.*field).how == ProgramEnd::How::Unknown)
                    session.*field = ProgramEnd::exited(status);
                return true;
            }};
}

/// Only what is known is stored.
SessionValue property(const char* key, uint32_t DeviceProperties::* field)
{
    return {
        key,
        [=](const SessionInfo& session) -> std::optional<std::string> {
            const uint32_t value = session.properties.*field;
            return value != 0 ? std::optional(std::to_string(value)) : std::nullopt;
        },
        [=](const std::string& found, SessionInfo& session) { return parseNumber(found, session.properties.*field); }};
}

}  // namespace

std::span<const SessionValue> sessionValues()
{
    // Never destroyed, as tables.
    static const auto& values = *new std::vector<SessionValue>{
        text("program", &SessionInfo::program),
        text("command_line", &SessionInfo::commandLine),
        text("device", &SessionInfo::device),
        text("mode", &SessionInfo::mode),
        text("schedule", &SessionInfo::schedule),
        text("producer", &SessionInfo::producer),
        text("libraries", &SessionInfo::libraries),
        flag("variables_recorded", &SessionInfo::variablesRecorded),
        processRank("rank", &SessionInfo::rank),
        programEnd("program_end", &SessionInfo::programEnd),
        exitStatus("program_exit", &SessionInfo::programEnd),
        flag("finished", &SessionInfo::finished),
        stopReason("stop_reason", &SessionInfo::stopReason),
        property("device_capability", &DeviceProperties::capability),
        property("device_multiprocessors", &DeviceProperties::multiprocessors),
        property("device_clock_khz", &DeviceProperties::clockKilohertz),
        property("device_memory_clock_khz", &DeviceProperties::memoryClockKilohertz),
        property("device_memory_bus_bits", &DeviceProperties::memoryBusBits),
    };
    return values;
}

}  // namespace lanescope::trace
