// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/program_end.h"

#include <charconv>
#include <csignal>
#include <cstring>

namespace lanescope::trace {

namespace {

constexpr const char* kNames[] = {"", "exited", "signal", "limit", "interrupted", "not-started"};

}  // namespace

std::string signalName(int number)
{
    const char* const name = sigabbrev_np(number);
    return name ? std::string("SIG") + name : "signal " + std::to_string(number);
}

ProgramEnd ProgramEnd::ofSignal(int number)
{
    const bool wasAsked = number == SIGINT || number == SIGTERM || number == SIGHUP;
    return {wasAsked ? How::Interrupted : How::Signal, std::nullopt, signalName(number)};
}

const char* ProgramEnd::name() const
{
    return kNames[static_cast<size_t>(how)];
}

std::string ProgramEnd::text() const
{
    std::string text = name();
    if (status)
        text += ' ' + std::to_string(*status);
    if (!signal.empty())
        text += ' ' + signal;
    return text;
}

ProgramEnd ProgramEnd::of(std::string_view text)
{
    const size_t space = text.find(' ');
    const std::string_view name = text.substr(0, space);
    const std::string_view rest = space == std::string_view::npos ? "" : text.substr(space + 1);
    ProgramEnd end;
    for (size_t i = 1; i < std::size(kNames); ++i)
        if (name == kNames[i])
            end.how = static_cast<How>(i);
    if (end.how == How::Unknown || rest.empty())
        return end;
    int status = 0;
    const auto [last, code] = std::from_chars(rest.data(), rest.data() + rest.size(), status);
    if (code == std::errc{} && last == rest.data() + rest.size())
        end.status = status;
    else
        end.signal = rest;
    return end;
}

}  // namespace lanescope::trace
