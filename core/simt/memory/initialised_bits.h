// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of global memory have been written: a bit for each, which blocks of several host threads set.
#pragma once

#include <cstdint>

namespace lanescope::simt {

/// Of \p bytes from \p offset on. Writes only what is not set: the bits of a buffer are in the caches of all threads.
[[gnu::always_inline]] inline void setInitialised(uint8_t* bits, uint64_t offset, unsigned bytes)
{
    for (uint64_t byte = offset; byte < offset + bytes;) {
        unsigned bit = byte % 8;
        unsigned count = 8 - bit < offset + bytes - byte ? 8 - bit : static_cast<unsigned>(offset + bytes - byte);
        auto wanted = static_cast<uint8_t>(((1u << count) - 1) << bit);
        uint8_t* at = bits + byte / 8;
        if ((__atomic_load_n(at, __ATOMIC_RELAXED) & wanted) != wanted)
            __atomic_fetch_or(at, wanted, __ATOMIC_RELAXED);
        byte += count;
    }
}

/// Bits of global memory, as setInitialised sets them.
[[gnu::always_inline]] inline bool areInitialised(const uint8_t* bits, uint64_t offset, unsigned bytes)
{
    for (uint64_t byte = offset; byte < offset + bytes; ++byte)
        if (!(__atomic_load_n(bits + byte / 8, __ATOMIC_RELAXED) >> (byte % 8) & 1u))
            return false;
    return true;
}

}  // namespace lanescope::simt
