// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/register_places.h"

#include <charconv>

#include <fmt/format.h>

namespace lanescope::trace {

namespace {

using Kind = RegisterPlace::Kind;

constexpr uint32_t kMostBytesIn = 15;

bool readNumber(std::string_view& text, uint32_t& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{})
        return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
}

std::optional<RegisterPlace> placeOf(std::string_view token)
{
    if (token == "-")
        return RegisterPlace{};
    if (!token.starts_with('a') && !token.starts_with('v'))
        return std::nullopt;
    RegisterPlace place{token.front() == 'a' ? Kind::Access : Kind::Variable};
    token.remove_prefix(1);
    if (!readNumber(token, place.id))
        return std::nullopt;
    if (token.starts_with('+')) {
        token.remove_prefix(1);
        if (!readNumber(token, place.byte) || place.byte > kMostBytesIn)
            return std::nullopt;
    }
    return token.empty() ? std::optional(place) : std::nullopt;
}

}  // namespace

std::string registersText(const std::vector<RegisterPlace>& places)
{
    std::string text;
    for (const RegisterPlace& place : places) {
        if (!text.empty())
            text += ' ';
        if (place.kind == Kind::Unknown)
            text += '-';
        else
            text += fmt::format("{}{}", place.kind == Kind::Access ? 'a' : 'v', place.id);
        if (place.byte != 0)
            text += fmt::format("+{}", place.byte);
    }
    return text;
}

std::optional<std::vector<RegisterPlace>> registerPlacesOf(std::string_view text)
{
    std::vector<RegisterPlace> places;
    while (!text.empty()) {
        const size_t end = text.find(' ');
        const std::optional<RegisterPlace> place = placeOf(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!place || places.size() == kMaxRegisterPlaces)
            return std::nullopt;
        places.push_back(*place);
    }
    return places;
}

}  // namespace lanescope::trace
