// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of a kernel as sums: where a thread stands, times what is the same in all of a launch. What such sums come
// to is known once there is a launch.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::simt {

/// What a launch has one value of: (part of) a kernel's parameter, an extent of the block or the grid, or what is
/// computed of such and is no sum of products.
struct LaunchNumber {
    enum class What : uint8_t { Parameter, BlockExtent, GridExtent, Computed };
    What what = What::Parameter;
    uint32_t index = 0;   ///< which parameter, which axis, or which of the computed numbers
    uint32_t offset = 0;  ///< in the parameter's bytes
    uint8_t bytes = 4;
    bool isSigned = true;

    auto operator<=>(const LaunchNumber&) const = default;
};

class ComputedNumbers;

/// A launch, for what is asked of it here.
struct LaunchNumbers {
    Dim3 block;
    Dim3 grid;
    std::span<const void* const> arguments;
    const ComputedNumbers* computed = nullptr;

    /// None: it is of more than 63 bits, or not defined.
    [[nodiscard]] std::optional<int64_t> valueOf(const LaunchNumber& number) const;
};

/// A sum of products of launch numbers. What does not fit, in how much is written down or in what it comes to, is
/// nullopt.
class LaunchSum {
public:
    LaunchSum() = default;
    explicit LaunchSum(int64_t constant) { add({}, constant); }
    explicit LaunchSum(const LaunchNumber& number) { add({number}, 1); }

    [[nodiscard]] bool isZero() const { return m_terms.empty(); }
    [[nodiscard]] std::optional<LaunchSum> plus(const LaunchSum& other, int64_t times = 1) const;
    [[nodiscard]] std::optional<LaunchSum> times(const LaunchSum& other) const;
    [[nodiscard]] std::optional<int64_t> valueIn(const LaunchNumbers& launch) const;
    bool operator==(const LaunchSum&) const = default;

private:
    static constexpr size_t kMostTerms = 32, kMostFactors = 6;
    bool add(const std::vector<LaunchNumber>& factors, int64_t times);

    std::map<std::vector<LaunchNumber>, int64_t> m_terms;  ///< factors, ascending, and how often; never 0
};

/// How a number is computed of two others; integers as they are in C, which fit wherever they are asked for.
enum class LaunchOperation : uint8_t { Quotient, Remainder, ShiftRight, And, Least, Greatest };

/// Numbers that are computed, each of those before it.
class ComputedNumbers {
public:
    LaunchNumber add(LaunchOperation operation, LaunchSum a, LaunchSum b);
    [[nodiscard]] std::optional<int64_t> valueIn(uint32_t index, const LaunchNumbers& launch) const;

private:
    struct Computed {
        LaunchOperation operation;
        LaunchSum a, b;
    };
    std::vector<Computed> m_computed;
};

/// Coordinates of a thread: threadIdx.x, y, z and blockIdx.x, y, z. Those from kOthers on are anything, in each thread
/// and each time.
using Coordinate = uint32_t;
inline constexpr Coordinate kFirstBlockCoordinate = 3, kOthers = 6;

/// An integer: what coordinates are multiplied with, and what is added.
struct Affine {
    std::map<Coordinate, LaunchSum> times;  ///< none is zero
    LaunchSum constant;

    [[nodiscard]] bool isOfLaunch() const { return times.empty(); }
    [[nodiscard]] std::optional<Affine> plus(const Affine& other, int64_t count = 1) const;
    /// None where both have coordinates, too.
    [[nodiscard]] std::optional<Affine> multiplied(const Affine& other) const;
    bool operator==(const Affine&) const = default;

    static Affine of(Coordinate coordinate) { return {{{coordinate, LaunchSum(1)}}, {}}; }
    static Affine of(LaunchSum constant) { return {{}, std::move(constant)}; }
};

/// Another coordinate of an affine integer in one launch.
struct PlacedOther {
    Coordinate coordinate = kOthers;
    int64_t times = 0;            ///< not 0
    std::optional<int64_t> last;  ///< it is from 0 to that; none: it may be anything
};

/// An affine integer in one launch.
struct PlacedAffine {
    std::array<int64_t, kOthers> times{};
    std::vector<PlacedOther> others;
    int64_t constant = 0;
};
std::optional<PlacedAffine> placed(const Affine& affine, const LaunchNumbers& launch);

/// The last value of each coordinate; the first is 0.
using LastCoordinates = std::array<int64_t, kOthers>;
LastCoordinates lastCoordinates(const LaunchNumbers& launch);

struct ValueRange {
    int64_t lowest = 0;
    int64_t highest = 0;

    bool operator==(const ValueRange&) const = default;
};
/// From the lowest to the highest value; none where it may be anything.
std::optional<ValueRange> rangeOf(const PlacedAffine& affine, const LastCoordinates& last);

/// That an integer fits into so many bits: else what was computed wraps around, and is something else.
struct Fits {
    Affine value;
    unsigned bits = 32;
    bool isSigned = true;

    /// Whether it does in all threads of a launch.
    [[nodiscard]] bool holdsIn(const LaunchNumbers& launch) const;
    /// Whether all of these do.
    [[nodiscard]] bool holdsFor(const ValueRange& range) const;
};

}  // namespace lanescope::simt
