// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/breakpoint.h"

#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <regex>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

/// threadIdx.x and the like; none for other names.
std::optional<double> positionValue(const std::string& name, const replay::BlockCursor& cursor,
                                    const trace::Launch& launch, uint64_t thread)
{
    if (name == "lane")
        return double(thread % kWarpSize);
    if (name.size() < 3 || name[name.size() - 2] != '.')
        return std::nullopt;
    const std::string base = name.substr(0, name.size() - 2);
    const Dim3 position = base == "threadIdx"  ? positionOf(thread, launch.block)
                          : base == "blockIdx" ? positionOf(cursor.block().value, launch.grid)
                          : base == "blockDim" ? launch.block
                                               : launch.grid;
    if (base != "threadIdx" && base != "blockIdx" && base != "blockDim" && base != "gridDim")
        return std::nullopt;
    switch (name.back()) {
    case 'x':
        return position.x;
    case 'y':
        return position.y;
    case 'z':
        return position.z;
    default:
        return std::nullopt;
    }
}

/// Of the variables with this name, the one that the lane wrote last.
std::optional<double> variableValue(const std::string& name, replay::BlockCursor& cursor, const trace::Catalog& catalog,
                                    uint32_t warp, size_t lane)
{
    std::optional<double> value;
    StepIndex latest = 0;
    for (const trace::Variable& variable : catalog.variables) {
        if (variable.name != name)
            continue;
        const replay::VariableImage& image = cursor.variable(variable.id, warp);
        if (((image.written >> lane) & 1) == 0 || image.lastWrite[lane] < latest)
            continue;
        latest = image.lastWrite[lane];
        value = numberOf(variable.type, image.value[lane].data());
    }
    return value;
}

}  // namespace

Condition::Operand Condition::operandOf(const std::string& word)
{
    Operand operand;
    const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), operand.number);
    if (error != std::errc{} || at != word.data() + word.size())
        operand.name = word;
    return operand;
}

Result<Condition> Condition::parse(const std::string& text)
{
    static const std::array<std::pair<const char*, Comparison>, 6> kComparisons{{{"==", Comparison::Equal},
                                                                                 {"!=", Comparison::NotEqual},
                                                                                 {"<=", Comparison::LessEqual},
                                                                                 {">=", Comparison::GreaterEqual},
                                                                                 {"<", Comparison::Less},
                                                                                 {">", Comparison::Greater}}};
    static const std::regex kTerm(R"(\s*([\w.+-]+)\s*(==|!=|<=|>=|<|>)\s*([\w.+-]+)\s*)");
    Condition condition;
    if (text.find_first_not_of(' ') == std::string::npos)
        return condition;
    for (size_t from = 0; from <= text.size();) {
        const size_t end = std::min(text.find("&&", from), text.size());
        const std::string term = text.substr(from, end - from);
        std::smatch match;
        if (!std::regex_match(term, match, kTerm))
            return Error{Error::Code::BadInput,
                         "condition '" + term + "', expected comparisons like acc > 5 && threadIdx.x == 3",
                         {}};
        for (const auto& [sign, comparison] : kComparisons)
            if (match[2] == sign)
                condition.m_terms.push_back({operandOf(match[1]), comparison, operandOf(match[3])});
        from = end + 2;
    }
    return condition;
}

bool Condition::compares(double left, Comparison comparison, double right)
{
    switch (comparison) {
    case Comparison::Equal:
        return left == right;
    case Comparison::NotEqual:
        return left != right;
    case Comparison::Less:
        return left < right;
    case Comparison::LessEqual:
        return left <= right;
    case Comparison::Greater:
        return left > right;
    case Comparison::GreaterEqual:
        return left >= right;
    }
    return false;
}

bool Condition::holds(replay::BlockCursor& cursor, const trace::Catalog& catalog, uint32_t warp, LaneMask lanes) const
{
    if (m_terms.empty())
        return true;
    const trace::Launch& launch = catalog.launches[cursor.launch().value];
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(lanes));
        const auto valueOf = [&](const Operand& operand) -> std::optional<double> {
            if (operand.name.empty())
                return operand.number;
            if (const auto place = positionValue(operand.name, cursor, launch, uint64_t{warp} * kWarpSize + lane))
                return place;
            return variableValue(operand.name, cursor, catalog, warp, lane);
        };
        bool all = true;
        for (const Term& term : m_terms) {
            const auto left = valueOf(term.left);
            const auto right = valueOf(term.right);
            all = all && left && right && compares(*left, term.comparison, *right);
        }
        if (all)
            return true;
    }
    return false;
}

}  // namespace lanescope::gui
