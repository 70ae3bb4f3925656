// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of global memory have been written: a bit for each, which blocks of several host threads set.
#pragma once

#include <cstdint>

namespace lanescope::simt {

/// Of 64 bytes, the first a multiple of as many.
[[gnu::always_inline]] inline bool areAllSet(const uint8_t* bits, uint64_t byte)
{
    const auto* word = reinterpret_cast<const uint64_t*>(bits + byte / 8);
    return __atomic_load_n(word, __ATOMIC_RELAXED) == ~uint64_t{0};
}

/// Of \p bytes from \p offset on. Writes only what is not set: the bits of a buffer are in the caches of all threads.
[[gnu::always_inline]] inline void setInitialised(uint8_t* bits, uint64_t offset, unsigned bytes)
{
    // Mostly a row is set already.
    while (bytes >= 64 && offset % 64 == 0 && areAllSet(bits, offset)) {
        offset += 64;
        bytes -= 64;
    }
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

/// Whether a row of so many bytes is set; false also where it does not begin at a multiple of 64.
template <unsigned bytes>
[[gnu::always_inline]] inline bool isRunInitialised(const uint8_t* bits, uint64_t offset)
{
    if constexpr (bytes % 64 != 0)
        return false;
    if (offset % 64 != 0)
        return false;
    for (unsigned i = 0; i < bytes; i += 64)
        if (!areAllSet(bits, offset + i))
            return false;
    return true;
}

/// Bits of global memory, as setInitialised sets them.
[[gnu::always_inline]] inline bool areInitialised(const uint8_t* bits, uint64_t offset, unsigned bytes)
{
    for (uint64_t byte = offset; byte < offset + bytes;) {
        if (byte % 64 == 0 && offset + bytes - byte >= 64) {
            if (!areAllSet(bits, byte))
                return false;
            byte += 64;
        } else {
            if (!(__atomic_load_n(bits + byte / 8, __ATOMIC_RELAXED) >> (byte % 8) & 1u))
                return false;
            ++byte;
        }
    }
    return true;
}

}  // namespace lanescope::simt
