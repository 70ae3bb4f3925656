// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>

namespace lanescope::cli {

namespace {

template <typename Number>
std::optional<Number> number(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

Error badInput(const std::string& option, const std::string& found, const std::string& expected)
{
    return {Error::Code::BadInput, fmt::format("found '{}', expected {}", found, expected), option};
}

/// "3:7", ":7", "3:" or "3".
bool parseAxis(const std::string& text, uint32_t& first, uint32_t& last)
{
    const size_t colon = text.find(':');
    if (colon == std::string::npos) {
        const std::optional<uint32_t> only = number<uint32_t>(text);
        if (only) {
            first = *only;
            last = *only + 1;
        }
        return only.has_value();
    }
    const std::string from = text.substr(0, colon);
    const std::string to = text.substr(colon + 1);
    const std::optional<uint32_t> begin = from.empty() ? first : number<uint32_t>(from);
    const std::optional<uint32_t> end = to.empty() ? last : number<uint32_t>(to);
    if (!begin || !end || *begin >= *end)
        return false;
    first = *begin;
    last = *end;
    return true;
}

}  // namespace

Result<uint64_t> parseByteCount(const std::string& text)
{
    std::string digits = text;
    uint64_t unit = 1;
    if (!digits.empty()) {
        switch (digits.back()) {
        case 'K':
        case 'k':
            unit = uint64_t{1} << 10;
            break;
        case 'M':
        case 'm':
            unit = uint64_t{1} << 20;
            break;
        case 'G':
        case 'g':
            unit = uint64_t{1} << 30;
            break;
        default:
            break;
        }
        if (unit > 1)
            digits.pop_back();
    }
    const std::optional<uint64_t> count = number<uint64_t>(digits);
    if (!count || *count > UINT64_MAX / unit)
        return badInput("--max-bytes", text, "a number of bytes such as 1000, 64K, 512M or 2G");
    return *count * unit;
}

Result<BlockRange> parseBlockRange(const std::string& text)
{
    BlockRange range;
    if (text == "all")
        return range;
    uint32_t* first[3] = {&range.first.x, &range.first.y, &range.first.z};
    uint32_t* last[3] = {&range.last.x, &range.last.y, &range.last.z};
    const std::vector<std::string> axes = splitList(text);
    bool good = !axes.empty() && axes.size() <= 3;
    for (size_t i = 0; good && i < axes.size(); ++i)
        good = parseAxis(axes[i], *first[i], *last[i]);
    if (!good)
        return badInput("--blocks", text, "all, or half-open ranges x0:x1,y0:y1,z0:z1");
    return range;
}

Result<std::string> parseSchedule(const std::string& text)
{
    if (text == "lockstep" || text == "sequential" || text == "reverse")
        return text;
    if (text.rfind("random:", 0) == 0 && number<uint64_t>(text.substr(7)))
        return text;
    if (text.rfind("lanes:", 0) == 0 && number<uint64_t>(text.substr(6)))
        return text;
    return badInput("--schedule", text, "lockstep, sequential, reverse, random:SEED or lanes:SEED");
}

Result<PictureSize> parseSize(const std::string& text)
{
    constexpr int kMaxPixels = 16384;
    const size_t x = text.find('x');
    if (x != std::string::npos) {
        const std::optional<int> width = number<int>(text.substr(0, x));
        const std::optional<int> height = number<int>(text.substr(x + 1));
        if (width && height && *width > 0 && *height > 0 && *width <= kMaxPixels && *height <= kMaxPixels)
            return PictureSize{*width, *height};
    }
    return badInput("--size", text, fmt::format("WIDTHxHEIGHT in pixels, each 1 to {}", kMaxPixels));
}

std::vector<std::string> splitList(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');)
        parts.push_back(part);
    return parts;
}

}  // namespace lanescope::cli
