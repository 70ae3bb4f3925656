// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/focus_text.h"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace lanescope::replay {

namespace {

Error bad(const std::string& found, const char* expected)
{
    return {Error::Code::BadInput, fmt::format("focus: \"{}\", expected {}", found, expected), {}};
}

template <typename T>
std::optional<T> number(std::string_view text)
{
    T value{};
    const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && rest == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// "1,2,3", "(1,2,3)"; missing parts are 0.
std::optional<Dim3> position(std::string_view text)
{
    if (text.size() >= 2 && text.front() == '(' && text.back() == ')')
        text = text.substr(1, text.size() - 2);
    Dim3 result{0, 0, 0};
    for (uint32_t* part : {&result.x, &result.y, &result.z}) {
        const size_t comma = text.find(',');
        const std::optional<uint32_t> value = number<uint32_t>(text.substr(0, comma));
        if (!value)
            return std::nullopt;
        *part = *value;
        if (comma == std::string_view::npos)
            return result;
        text.remove_prefix(comma + 1);
    }
    return std::nullopt;
}

std::optional<FocusParts::Step> step(std::string_view text)
{
    if (text == "first")
        return FocusParts::Step{0, 0.0};
    if (text == "last")
        return FocusParts::Step{0, 100.0};
    if (text.ends_with('%')) {
        const std::optional<double> percent = number<double>(text.substr(0, text.size() - 1));
        if (!percent || !(*percent >= 0 && *percent <= 100))
            return std::nullopt;
        return FocusParts::Step{0, percent};
    }
    const std::optional<StepIndex> value = number<StepIndex>(text);
    return value ? std::optional(FocusParts::Step{*value, {}}) : std::nullopt;
}

Result<void> parsePart(FocusParts& parts, const std::string& word)
{
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
        parts.step = step(word);
        if (!parts.step)
            return bad(word, "a step, first, last, a percentage, or launch= block= step= epoch= thread= buffer= cell=");
        return {};
    }
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    bool good = true;
    if (key == "launch") {
        const auto id = number<uint32_t>(value);
        good = id.has_value();
        parts.launch = LaunchId{id.value_or(0)};
    } else if (key == "block") {
        good = (parts.block = position(value)).has_value();
    } else if (key == "step") {
        good = (parts.step = step(value)).has_value();
    } else if (key == "epoch") {
        good = (parts.epoch = number<uint32_t>(value)).has_value();
    } else if (key == "thread") {
        good = (parts.thread = position(value)).has_value();
    } else if (key == "buffer") {
        const auto id = number<uint32_t>(value);
        good = id.has_value();
        parts.buffer = BufferId{id.value_or(0)};
    } else if (key == "cell") {
        good = (parts.cell = number<uint64_t>(value)).has_value();
    } else {
        return bad(word, "launch, block, step, epoch, thread, buffer or cell");
    }
    if (!good)
        return bad(word, key == "block" || key == "thread" ? "x,y,z"
                         : key == "step"                   ? "a number, first, last or a percentage"
                                                           : "a number");
    return {};
}

std::string text(Dim3 p)
{
    return fmt::format("({},{},{})", p.x, p.y, p.z);
}

}  // namespace

std::string focusText(const Focus& focus)
{
    std::string result = fmt::format("launch={} block={} step={} thread={}", focus.launch.value, text(focus.block),
                                     focus.step, text(focus.thread));
    if (focus.buffer)
        result += fmt::format(" buffer={} cell={}", focus.buffer->value, focus.cell);
    return result;
}

Result<FocusParts> parseFocusParts(const std::string& text)
{
    FocusParts parts;
    std::istringstream words(text);
    for (std::string word; words >> word;)
        if (Result<void> done = parsePart(parts, word); !done.ok())
            return done.error();
    return parts;
}

}  // namespace lanescope::replay
