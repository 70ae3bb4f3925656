// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/layout/cute_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace lanescope::layout {
namespace {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// The arguments of the template \p name where it first stands in \p type; empty: it does not.
std::vector<std::string_view> argumentsOf(std::string_view type, std::string_view name)
{
    size_t at = 0;
    for (;; ++at) {
        at = type.find(name, at);
        if (at == std::string_view::npos)
            return {};
        const bool begins =
            at == 0 || (std::isalnum(static_cast<unsigned char>(type[at - 1])) == 0 && type[at - 1] != '_');
        if (begins && type.substr(at + name.size()).starts_with('<'))
            break;
    }
    std::vector<std::string_view> all;
    size_t begin = at + name.size() + 1, depth = 0;
    for (size_t i = begin; i < type.size(); ++i) {
        const bool isEnd = type[i] == '>' && depth == 0;
        if (isEnd || (type[i] == ',' && depth == 0)) {
            if (const std::string_view argument = trimmed(type.substr(begin, i - begin)); !argument.empty())
                all.push_back(argument);
            begin = i + 1;
        }
        if (isEnd)
            return all;
        if (type[i] == '<')
            ++depth;
        else if (type[i] == '>')
            --depth;
    }
    return {};
}

/// Of a shape, a stride or a size in all: offsets, which are sums of their products, are far from where numbers end.
constexpr int64_t kMostNumber = int64_t{1} << 30;

std::optional<int64_t> numberIn(std::string_view text)
{
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Suffixes (8L, 8UL) may follow.
    const bool isWhole = error == std::errc() && std::all_of(end, text.data() + text.size(), [](char c) {
                             return c == 'u' || c == 'U' || c == 'l' || c == 'L';
                         });
    return isWhole && value >= -kMostNumber && value <= kMostNumber ? std::optional(value) : std::nullopt;
}

/// \p depth: how many tuples it is in.
std::optional<CuteTuple> tupleOf(std::string_view type, int depth = 0)
{
    constexpr int kDeepest = 16;
    if (depth > kDeepest)
        return std::nullopt;
    constexpr std::array kDynamic{"int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"};
    type = trimmed(type);
    if (std::ranges::find(kDynamic, type) != kDynamic.end())
        return CuteTuple{};
    for (const std::string_view qualifier : {"cute::", "std::", "cuda::"})
        if (type.starts_with(qualifier))
            return tupleOf(type.substr(qualifier.size()), depth + 1);
    if (type.starts_with("C<") || type.starts_with("constant<") || type.starts_with("integral_constant<")) {
        const auto arguments = argumentsOf(type, type.substr(0, type.find('<')));
        const auto number = arguments.empty() ? std::nullopt : numberIn(arguments.back());
        return number ? std::optional(CuteTuple{true, number, {}}) : std::nullopt;
    }
    if (!type.starts_with("tuple<"))
        return std::nullopt;
    CuteTuple all{false, std::nullopt, {}};
    for (const std::string_view argument : argumentsOf(type, "tuple")) {
        auto part = tupleOf(argument, depth + 1);
        if (!part)
            return std::nullopt;
        all.parts.push_back(std::move(*part));
    }
    return all;
}

bool isAlike(const CuteTuple& shape, const CuteTuple& stride)
{
    return shape.isNumber == stride.isNumber && shape.parts.size() == stride.parts.size() &&
           std::ranges::equal(shape.parts, stride.parts, isAlike);
}

bool isKnown(const CuteTuple& tuple)
{
    return tuple.isNumber ? tuple.number.has_value() : std::ranges::all_of(tuple.parts, isKnown);
}

/// Of a shape that is known; 0: it has an extent below 1, or is too large.
int64_t sizeOf(const CuteTuple& shape)
{
    int64_t size = shape.isNumber ? *shape.number : 1;
    for (const CuteTuple& part : shape.parts) {
        const int64_t inner = sizeOf(part);
        size = inner < 1 || size > kMostNumber / inner ? 0 : size * inner;
    }
    return std::max<int64_t>(size, 0);
}

/// Of coordinate \p index of a mode, whose first parts go round first.
int64_t offsetIn(const CuteTuple& shape, const CuteTuple& stride, int64_t index)
{
    if (shape.isNumber)
        return index * *stride.number;
    int64_t offset = 0;
    for (size_t i = 0; i < shape.parts.size(); ++i) {
        const int64_t size = sizeOf(shape.parts[i]);
        offset += offsetIn(shape.parts[i], stride.parts[i], i + 1 == shape.parts.size() ? index : index % size);
        index /= size;
    }
    return offset;
}

std::optional<Swizzle> swizzleOf(std::string_view type)
{
    const auto arguments = argumentsOf(type, "Swizzle");
    if (arguments.size() != 3)
        return std::nullopt;
    std::array<int, 3> numbers{};
    for (size_t i = 0; i < numbers.size(); ++i) {
        const auto number = numberIn(arguments[i]);
        constexpr int64_t kMost = 20;
        if (!number || *number < -kMost || *number > kMost)
            return std::nullopt;
        numbers[i] = static_cast<int>(*number);
    }
    const Swizzle swizzle{numbers[0], numbers[1], numbers[2]};
    return swizzle.bits < 0 || swizzle.base < 0 ? std::nullopt : std::optional(swizzle);
}

}  // namespace

std::string CuteTuple::text() const
{
    if (isNumber)
        return number ? std::to_string(*number) : "?";
    std::string text = "(";
    for (size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : ",") + parts[i].text();
    return text + ")";
}

std::string CuteLayout::text() const
{
    std::string text = shape.text() + ":" + stride.text();
    if (swizzle)
        text = swizzle->text() + " o " + text;
    return isPointerSwizzled ? text + ", its pointer swizzled" : text;
}

std::optional<int64_t> CuteLayout::rows() const
{
    if (isPointerSwizzled || !isKnown(shape) || !isKnown(stride) || sizeOf(shape) < 1)
        return std::nullopt;
    return shape.isNumber || shape.parts.size() < 2 ? 1 : sizeOf(shape.parts[0]);
}

std::optional<int64_t> CuteLayout::cols() const
{
    if (!rows())
        return std::nullopt;
    return shape.isNumber || shape.parts.size() < 2 ? sizeOf(shape) : sizeOf(shape.parts[1]);
}

int64_t CuteLayout::at(int64_t row, int64_t col) const
{
    const bool isRow = shape.isNumber || shape.parts.size() < 2;
    const int64_t offset =
        isRow ? offsetIn(shape, stride, col)
              : offsetIn(shape.parts[0], stride.parts[0], row) + offsetIn(shape.parts[1], stride.parts[1], col);
    return swizzle ? (*swizzle)(offset) : offset;
}

std::optional<CuteLayout> cuteLayoutOf(std::string_view type)
{
    const auto arguments = argumentsOf(type, "Layout");
    if (arguments.size() != 2)
        return std::nullopt;
    auto shape = tupleOf(arguments[0]), stride = tupleOf(arguments[1]);
    if (!shape || !stride || !isAlike(*shape, *stride))
        return std::nullopt;
    CuteLayout layout{std::move(*shape), std::move(*stride), std::nullopt,
                      type.find("swizzle_ptr<") != std::string_view::npos};
    if (const auto composed = argumentsOf(type, "ComposedLayout"); !composed.empty()) {
        layout.swizzle = swizzleOf(composed[0]);
        if (!layout.swizzle)
            return std::nullopt;
    }
    return layout;
}

}  // namespace lanescope::layout
