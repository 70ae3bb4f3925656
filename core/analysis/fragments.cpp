// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/fragments.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace lanescope::analysis {

namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kRowsOfWarp = 16;

std::vector<std::string_view> partsOf(std::string_view opcode)
{
    std::vector<std::string_view> parts;
    while (!opcode.empty()) {
        const size_t dot = std::min(opcode.find('.'), opcode.size());
        parts.push_back(opcode.substr(0, dot));
        opcode.remove_prefix(std::min(dot + 1, opcode.size()));
    }
    return parts;
}

/// Bits of an element; 0: no type.
uint32_t bitsOf(std::string_view type)
{
    struct Type {
        std::string_view name;
        uint32_t bits;
    };
    constexpr Type kTypes[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64},
                               {"s32", 32}, {"s8", 8},    {"u8", 8},    {"s4", 4},   {"u4", 4},
                               {"b1", 1},   {"e4m3", 8},  {"e5m2", 8}};
    const auto* found = std::ranges::find(kTypes, type, &Type::name);
    return found == std::end(kTypes) ? 0 : found->bits;
}

/// How many of them a register of 32 bits holds.
uint32_t packedIn(std::string_view type)
{
    return std::max(1U, 32 / bitsOf(type));
}

struct Shape {
    uint32_t m = 0, n = 0, k = 0;
};

/// "m16n8k16"
std::optional<Shape> shapeOf(std::string_view part)
{
    Shape shape;
    const auto number = [&](char letter, uint32_t& out) {
        if (!part.starts_with(letter))
            return false;
        const auto [end, error] = std::from_chars(part.data() + 1, part.data() + part.size(), out);
        part.remove_prefix(static_cast<size_t>(end - part.data()));
        return error == std::errc();
    };
    return number('m', shape.m) && number('n', shape.n) && number('k', shape.k) && part.empty() ? std::optional(shape)
                                                                                                : std::nullopt;
}

/// \p place: row and column of lane, register and part.
template <typename Place>
Fragment fragment(std::string name, std::string_view type, uint32_t rows, uint32_t cols, uint32_t perRegister,
                  Place place)
{
    Fragment result{std::move(name), std::string(type), rows, cols, perRegister, {}};
    result.elements.resize(uint64_t{rows} * cols);
    const uint32_t registers = rows * cols / kLanes / perRegister;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
        for (uint32_t reg = 0; reg < registers; ++reg)
            for (uint32_t part = 0; part < perRegister; ++part) {
                const auto [row, col] = place(lane, reg, part);
                result.elements[uint64_t{row} * cols + col] = {static_cast<uint8_t>(lane), static_cast<uint8_t>(reg),
                                                               static_cast<uint8_t>(part)};
            }
    return result;
}

using RowAndColumn = std::pair<uint32_t, uint32_t>;

Fragment left(uint32_t rows, uint32_t depth, std::string_view type)
{
    const uint32_t packed = packedIn(type), halves = rows / 8;
    return fragment("A", type, rows, depth, packed, [=](uint32_t lane, uint32_t reg, uint32_t part) {
        return RowAndColumn(lane / 4 + 8 * (reg % halves), (reg / halves * 4 + lane % 4) * packed + part);
    });
}

Fragment right(uint32_t depth, uint32_t cols, std::string_view type)
{
    const uint32_t packed = packedIn(type);
    return fragment("B", type, depth, cols, packed, [=](uint32_t lane, uint32_t reg, uint32_t part) {
        return RowAndColumn((reg * 4 + lane % 4) * packed + part, lane / 4);
    });
}

/// Pairs of neighbours, of rows eight apart, every eight columns.
Fragment sums(uint32_t rows, uint32_t cols, std::string_view type)
{
    const uint32_t packed = packedIn(type), halves = rows / 8;
    return fragment("D", type, rows, cols, packed, [=](uint32_t lane, uint32_t reg, uint32_t part) {
        const uint32_t index = reg * packed + part;
        return RowAndColumn(lane / 4 + 8 * (index / 2 % halves), index / 2 / halves * 8 + lane % 4 * 2 + index % 2);
    });
}

MatrixInstruction product(const std::vector<std::string_view>& parts)
{
    std::optional<Shape> shape;
    std::vector<std::string_view> types;
    for (const std::string_view part : parts) {
        if (const std::optional<Shape> found = shapeOf(part))
            shape = found;
        else if (bitsOf(part) != 0)
            types.push_back(part);
    }
    const bool isGroup = parts[0] == "wgmma";
    const bool isSparse = std::ranges::any_of(parts, [](std::string_view part) { return part.starts_with("sp"); });
    if (!shape || types.size() < 3 || isSparse || (shape->m == 8 && shape->k == 4 && types[1] == "f16"))
        return {};
    const uint32_t rows = isGroup ? kRowsOfWarp : shape->m;
    MatrixInstruction result;
    result.title =
        fmt::format("{} m{}n{}k{}, {} = {} x {}", parts[0], shape->m, shape->n, shape->k, types[0], types[1], types[2]);
    result.fragments.push_back(left(rows, shape->k, types[1]));
    if (!isGroup)
        result.fragments.push_back(right(shape->k, shape->n, types[2]));
    result.fragments.push_back(sums(rows, shape->n, types[0]));
    return result;
}

MatrixInstruction transfer(const std::vector<std::string_view>& parts)
{
    const auto has = [&](std::string_view part) { return std::ranges::find(parts, part) != parts.end(); };
    if (!has("m8n8") || !has("b16"))
        return {};
    const uint32_t count = has("x4") ? 4 : has("x2") ? 2 : 1;
    MatrixInstruction result;
    result.isTransposed = has("trans");
    result.movesMemory = true;
    result.title =
        fmt::format("{}, {} of 8 x 8 x 16 bits{}", parts[0], count, result.isTransposed ? ", transposed" : "");
    for (uint32_t matrix = 0; matrix < count; ++matrix) {
        Fragment each =
            fragment(fmt::format("matrix {}", matrix), "b16", 8, 8, 2, [&](uint32_t lane, uint32_t, uint32_t part) {
                const RowAndColumn plain(lane / 4, lane % 4 * 2 + part);
                return result.isTransposed ? RowAndColumn(plain.second, plain.first) : plain;
            });
        for (FragmentElement& element : each.elements)
            element.reg = static_cast<uint8_t>(matrix);
        result.fragments.push_back(std::move(each));
    }
    return result;
}

}  // namespace

MatrixInstruction fragmentsOf(const std::string& instruction)
{
    const std::vector<std::string_view> parts = partsOf(instruction);
    if (parts.empty())
        return {};
    if (parts[0] == "mma" || (parts[0] == "wgmma" && parts.size() > 1 && parts[1] == "mma_async"))
        return product(parts);
    return parts[0] == "ldmatrix" || parts[0] == "stmatrix" ? transfer(parts) : MatrixInstruction{};
}

}  // namespace lanescope::analysis
