// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an event names shared memory of another block of its cluster: it has no buffer there, its offset says whose and
// where.
#pragma once

#include <cstdint>
#include <optional>

namespace lanescope::trace {

struct RemoteShared {
    uint32_t rank = 0;    ///< of the block in its cluster
    uint64_t offset = 0;  ///< bytes, in that block's shared memory, as Buffer::sharedOffset

    friend bool operator==(const RemoteShared&, const RemoteShared&) = default;
};

// Chosen as the simulator's addresses of shared memory are (core/simt/memory/address_slots.h), to which mapa adds the
// rank. In traces of before, the offset is one in its array, whose number is added to the upper half.
inline constexpr uint64_t kRemoteShared = uint64_t{0x4000} << 32;
inline constexpr unsigned kRemoteRankShift = 27;

constexpr uint64_t offsetOf(const RemoteShared& place)
{
    return kRemoteShared | uint64_t{place.rank + 1} << kRemoteRankShift | place.offset;
}

/// None: \p offset, of an access without a buffer, names nothing of the kind.
constexpr std::optional<RemoteShared> remoteShared(uint64_t offset)
{
    const auto rank = static_cast<uint32_t>(offset) >> kRemoteRankShift;
    if (offset >> 32 != kRemoteShared >> 32 || rank == 0)
        return std::nullopt;
    return RemoteShared{rank - 1, offset & ((uint64_t{1} << kRemoteRankShift) - 1)};
}

}  // namespace lanescope::trace
