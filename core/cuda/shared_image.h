// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one of a block's shared arrays holds as its events go by, as replay will see it: a load that gave just this need
// not carry its values. Others (two lanes wrote one cell, an order that the clock could not tell) keep theirs.
#pragma once

#include <cstring>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::cuda {

class SharedImage {
public:
    explicit SharedImage(uint64_t bytes) : m_bytes(bytes), m_written(bytes) {}

    /// \p offset + \p bytes must lie in the array.
    void store(uint64_t offset, const std::byte* value, size_t bytes)
    {
        std::memcpy(m_bytes.data() + offset, value, bytes);
        std::memset(m_written.data() + offset, 1, bytes);
    }
    /// Whether the array holds \p bytes bytes of \p value at \p offset, all of them written by the block.
    [[nodiscard]] bool holds(uint64_t offset, const std::byte* value, size_t bytes) const
    {
        return std::memcmp(m_bytes.data() + offset, value, bytes) == 0 &&
               std::memchr(m_written.data() + offset, 0, bytes) == nullptr;
    }

    /// The same for a whole warp; lane i's value is at i × bytes.
    void storeLanes(const uint32_t* offsets, const std::byte* values, size_t bytes)
    {
        if (stepBetween(offsets) == bytes)
            return store(offsets[0], values, kWarpSize * bytes);
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            store(offsets[lane], values + lane * bytes, bytes);
    }
    [[nodiscard]] bool holdsLanes(const uint32_t* offsets, const std::byte* values, size_t bytes) const
    {
        const uint64_t step = stepBetween(offsets);
        if (step == bytes)
            return holds(offsets[0], values, kWarpSize * bytes);
        if (step == 0)
            return holds(offsets[0], values, bytes) &&
                   std::memcmp(values, values + bytes, (kWarpSize - 1) * bytes) == 0;
        if (bytes == sizeof(uint32_t))
            return holdsWords(offsets, values);
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            if (!holds(offsets[lane], values + lane * bytes, bytes))
                return false;
        return true;
    }

private:
    /// What each lane's offset is more than the one's before it; UINT64_MAX: not always the same.
    static uint64_t stepBetween(const uint32_t* offsets)
    {
        const uint32_t step = offsets[1] - offsets[0];
        uint32_t different = 0;
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
            different |= offsets[lane] ^ (offsets[0] + lane * step);
        return different == 0 ? step : UINT64_MAX;
    }

    [[nodiscard]] bool holdsWords(const uint32_t* offsets, const std::byte* values) const
    {
        uint32_t different = 0;
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            different |= (wordAt(m_bytes.data() + offsets[lane]) ^ wordAt(values + lane * sizeof(uint32_t))) |
                         (wordAt(m_written.data() + offsets[lane]) ^ 0x01010101u);
        return different == 0;
    }
    static uint32_t wordAt(const void* at)
    {
        uint32_t word = 0;
        std::memcpy(&word, at, sizeof word);
        return word;
    }

    std::vector<std::byte> m_bytes;
    std::vector<uint8_t> m_written;
};

}  // namespace lanescope::cuda
