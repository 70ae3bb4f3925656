// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strong types for ids, addresses and grid positions: numbers that must not be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace lanescope {

/// An integer that only compares and hashes with its own kind.
template <typename Tag, typename Rep>
struct StrongId {
    Rep value{};

    constexpr StrongId() = default;
    constexpr explicit StrongId(Rep v) : value(v) {}
    friend constexpr auto operator<=>(StrongId, StrongId) = default;
};

using LaunchId = StrongId<struct LaunchTag, uint32_t>;      ///< 0-based, in order of launch
using SiteId = StrongId<struct SiteTag, uint32_t>;          ///< 0-based, dense over the session
using BufferId = StrongId<struct BufferTag, uint32_t>;      ///< 0-based, dense over the session
using VariableId = StrongId<struct VariableTag, uint32_t>;  ///< 0-based, dense over the session
using SourceId = StrongId<struct SourceTag, uint32_t>;
/// Linear block index within a launch: x + gridDim.x * (y + gridDim.y * z).
using BlockIndex = StrongId<struct BlockTag, uint64_t>;

inline constexpr BufferId kNoBuffer{UINT32_MAX};
inline constexpr SiteId kNoSite{UINT32_MAX};

/// Number of a block's recorded events that have run: 0 (nothing yet) to the block's event count.
using StepIndex = uint64_t;
/// Bit i set: lane i takes part.
using LaneMask = uint32_t;
inline constexpr LaneMask kAllLanes = 0xffffffffU;

inline constexpr int kWarpSize = 32;

/// CUDA's dim3 / threadIdx / blockIdx.
struct Dim3 {
    uint32_t x = 1;
    uint32_t y = 1;
    uint32_t z = 1;

    [[nodiscard]] constexpr uint64_t count() const { return uint64_t{x} * y * z; }
    friend constexpr auto operator<=>(const Dim3&, const Dim3&) = default;
};

/// Linear index of \p position in a box of \p extent, x fastest.
constexpr uint64_t linearIndex(Dim3 position, Dim3 extent)
{
    return position.x + uint64_t{extent.x} * (position.y + uint64_t{extent.y} * position.z);
}

/// Inverse of linearIndex.
constexpr Dim3 positionOf(uint64_t index, Dim3 extent)
{
    return {static_cast<uint32_t>(index % extent.x), static_cast<uint32_t>(index / extent.x % extent.y),
            static_cast<uint32_t>(index / extent.x / extent.y)};
}

}  // namespace lanescope

template <typename Tag, typename Rep>
struct std::hash<lanescope::StrongId<Tag, Rep>> {
    size_t operator()(lanescope::StrongId<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
