// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/ir/affine.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lanescope::simt {
namespace {

std::optional<int64_t> sum(int64_t a, int64_t b)
{
    int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

std::optional<int64_t> product(int64_t a, int64_t b)
{
    int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

uint32_t extentOf(const Dim3& extents, uint32_t axis)
{
    return axis == 0 ? extents.x : axis == 1 ? extents.y : extents.z;
}

}  // namespace

std::optional<int64_t> LaunchNumbers::valueOf(const LaunchNumber& number) const
{
    if (number.what == LaunchNumber::What::BlockExtent)
        return extentOf(block, number.index);
    if (number.what == LaunchNumber::What::GridExtent)
        return extentOf(grid, number.index);
    if (number.what == LaunchNumber::What::Computed)
        return computed->valueIn(number.index, *this);
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const std::byte*>(arguments[number.index]) + number.offset, number.bytes);
    const unsigned unused = 64 - 8 * number.bytes;
    if (number.isSigned)
        return static_cast<int64_t>(bits << unused) >> unused;
    return bits > INT64_MAX ? std::nullopt : std::optional(static_cast<int64_t>(bits));
}

/// False: that is too much.
bool LaunchSum::add(const std::vector<LaunchNumber>& factors, int64_t times)
{
    if (times == 0)
        return true;
    const auto [term, isNew] = m_terms.try_emplace(factors, 0);
    const std::optional<int64_t> total = sum(term->second, times);
    if (!total || m_terms.size() > kMostTerms || factors.size() > kMostFactors)
        return false;
    term->second = *total;
    if (*total == 0)
        m_terms.erase(term);
    return true;
}

std::optional<LaunchSum> LaunchSum::plus(const LaunchSum& other, int64_t times) const
{
    LaunchSum result = *this;
    for (const auto& [factors, count] : other.m_terms) {
        const std::optional<int64_t> more = product(count, times);
        if (!more || !result.add(factors, *more))
            return std::nullopt;
    }
    return result;
}

std::optional<LaunchSum> LaunchSum::times(const LaunchSum& other) const
{
    LaunchSum result;
    for (const auto& [factors, count] : m_terms)
        for (const auto& [otherFactors, otherCount] : other.m_terms) {
            std::vector<LaunchNumber> both;
            std::ranges::merge(factors, otherFactors, std::back_inserter(both));
            const std::optional<int64_t> more = product(count, otherCount);
            if (!more || !result.add(both, *more))
                return std::nullopt;
        }
    return result;
}

std::optional<int64_t> LaunchSum::valueIn(const LaunchNumbers& launch) const
{
    std::optional<int64_t> total = 0;
    for (const auto& [factors, count] : m_terms) {
        std::optional<int64_t> term = count;
        for (const LaunchNumber& factor : factors) {
            const std::optional<int64_t> value = launch.valueOf(factor);
            term = term && value ? product(*term, *value) : std::nullopt;
        }
        total = total && term ? sum(*total, *term) : std::nullopt;
    }
    return total;
}

LaunchNumber ComputedNumbers::add(LaunchOperation operation, LaunchSum a, LaunchSum b)
{
    m_computed.push_back({operation, std::move(a), std::move(b)});
    return {LaunchNumber::What::Computed, static_cast<uint32_t>(m_computed.size() - 1)};
}

std::optional<int64_t> ComputedNumbers::valueIn(uint32_t index, const LaunchNumbers& launch) const
{
    const auto& [operation, first, second] = m_computed[index];
    const std::optional<int64_t> a = first.valueIn(launch), b = second.valueIn(launch);
    if (!a || !b)
        return std::nullopt;
    const bool isDivided = operation == LaunchOperation::Quotient || operation == LaunchOperation::Remainder;
    if (isDivided && (*b == 0 || (*a == INT64_MIN && *b == -1)))
        return std::nullopt;
    switch (operation) {
    case LaunchOperation::Quotient:
        return *a / *b;
    case LaunchOperation::Remainder:
        return *a % *b;
    case LaunchOperation::ShiftRight:
        return *b >= 0 && *b < 64 ? std::optional(*a >> *b) : std::nullopt;
    case LaunchOperation::And:
        return *a & *b;
    case LaunchOperation::Least:
        return std::min(*a, *b);
    case LaunchOperation::Greatest:
        return std::max(*a, *b);
    }
    return std::nullopt;
}

std::optional<Affine> Affine::plus(const Affine& other, int64_t count) const
{
    Affine result = *this;
    const auto more = constant.plus(other.constant, count);
    if (!more)
        return std::nullopt;
    result.constant = *more;
    for (const auto& [coordinate, factor] : other.times) {
        const auto both = result.times[coordinate].plus(factor, count);
        if (!both)
            return std::nullopt;
        if (both->isZero())
            result.times.erase(coordinate);
        else
            result.times[coordinate] = *both;
    }
    return result;
}

std::optional<Affine> Affine::multiplied(const Affine& other) const
{
    if (!isOfLaunch() && !other.isOfLaunch())
        return std::nullopt;
    const Affine& varies = isOfLaunch() ? other : *this;
    const LaunchSum& factor = isOfLaunch() ? constant : other.constant;
    Affine result;
    const auto rest = varies.constant.times(factor);
    if (!rest)
        return std::nullopt;
    result.constant = *rest;
    for (const auto& [coordinate, before] : varies.times) {
        const auto now = before.times(factor);
        if (!now)
            return std::nullopt;
        if (!now->isZero())
            result.times.emplace(coordinate, *now);
    }
    return result;
}

std::optional<PlacedAffine> placed(const Affine& affine, const LaunchNumbers& launch)
{
    PlacedAffine result;
    const std::optional<int64_t> constant = affine.constant.valueIn(launch);
    if (!constant)
        return std::nullopt;
    result.constant = *constant;
    for (const auto& [coordinate, factor] : affine.times) {
        const std::optional<int64_t> times = factor.valueIn(launch);
        if (!times)
            return std::nullopt;
        if (coordinate < kOthers)
            result.times[coordinate] = *times;
        else if (*times != 0)
            result.others.push_back({coordinate, *times, std::nullopt});
    }
    return result;
}

LastCoordinates lastCoordinates(const LaunchNumbers& launch)
{
    LastCoordinates last{};
    for (uint32_t axis = 0; axis < kFirstBlockCoordinate; ++axis) {
        last[axis] = int64_t{extentOf(launch.block, axis)} - 1;
        last[kFirstBlockCoordinate + axis] = int64_t{extentOf(launch.grid, axis)} - 1;
    }
    return last;
}

std::optional<ValueRange> rangeOf(const PlacedAffine& affine, const LastCoordinates& last)
{
    std::optional<int64_t> lowest = affine.constant, highest = affine.constant;
    const auto add = [&](int64_t times, int64_t lastNumber) {
        const std::optional<int64_t> span = product(times, lastNumber);
        std::optional<int64_t>& end = times < 0 ? lowest : highest;
        end = end && span ? sum(*end, *span) : std::nullopt;
    };
    for (Coordinate i = 0; i < kOthers; ++i)
        add(affine.times[i], last[i]);
    for (const PlacedOther& other : affine.others) {
        if (!other.last)
            return std::nullopt;
        add(other.times, *other.last);
    }
    if (!lowest || !highest)
        return std::nullopt;
    return ValueRange{*lowest, *highest};
}

bool Fits::holdsIn(const LaunchNumbers& launch) const
{
    const std::optional<PlacedAffine> placedValue = placed(value, launch);
    const std::optional<ValueRange> range = placedValue ? rangeOf(*placedValue, lastCoordinates(launch)) : std::nullopt;
    return range && holdsFor(*range);
}

bool Fits::holdsFor(const ValueRange& range) const
{
    constexpr unsigned kWidest = 64;
    if (bits >= kWidest)
        return isSigned || range.lowest >= 0;
    const int64_t half = int64_t{1} << (bits - 1);
    return isSigned ? range.lowest >= -half && range.highest < half : range.lowest >= 0 && range.highest - half < half;
}

}  // namespace lanescope::simt
