// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes of global memory have been written: a bit for each, which blocks of several host threads set.
#pragma once

#include <cstdint>

namespace lanescope::simt {

/// The words of bits that \p bytes from \p offset on have theirs in, and which bits: f(word, mask), as long as it
/// returns true. Memory has whole words of them.
template <typename Bits, typename F>
[[gnu::always_inline]] inline bool forWordsOfBits(Bits* bits, uint64_t offset, unsigned bytes, F f)
{
    constexpr unsigned kWord = 64;
    for (const uint64_t end = offset + bytes; offset < end;) {
        const auto first = static_cast<unsigned>(offset % kWord);
        const uint64_t left = end - offset;
        const unsigned count = left < kWord - first ? static_cast<unsigned>(left) : kWord - first;
        if (!f(bits + offset / kWord * (kWord / 8), ~uint64_t{0} >> (kWord - count) << first))
            return false;
        offset += count;
    }
    return true;
}

[[gnu::always_inline]] inline bool areAllSet(const uint8_t* word, uint64_t mask)
{
    return (__atomic_load_n(reinterpret_cast<const uint64_t*>(word), __ATOMIC_RELAXED) & mask) == mask;
}

/// Of \p bytes from \p offset on. Writes only what is not set: the bits of a buffer are in the caches of all threads.
[[gnu::always_inline]] inline void setInitialised(uint8_t* bits, uint64_t offset, unsigned bytes)
{
    forWordsOfBits(bits, offset, bytes, [](uint8_t* word, uint64_t mask) {
        if (!areAllSet(word, mask))
            __atomic_fetch_or(reinterpret_cast<uint64_t*>(word), mask, __ATOMIC_RELAXED);
        return true;
    });
}

/// Whether a row of so many bytes is set.
template <unsigned bytes>
[[gnu::always_inline]] inline bool isRunInitialised(const uint8_t* bits, uint64_t offset)
{
    if constexpr (bytes % 64 != 0) {
        return forWordsOfBits(bits, offset, bytes, areAllSet);
    } else {
        const uint8_t* const first = bits + offset / 64 * 8;
        const auto before = static_cast<unsigned>(offset % 64);
        bool areSet = areAllSet(first, ~uint64_t{0} << before);
        for (unsigned i = 1; i < bytes / 64; ++i)
            areSet &= areAllSet(first + i * 8, ~uint64_t{0});
        // Where it begins with a word, the last one is looked at again.
        return areSet & areAllSet(first + (bytes / 64 - (before == 0)) * 8, (uint64_t{1} << before) - 1);
    }
}

/// Bits of global memory, as setInitialised sets them.
[[gnu::always_inline]] inline bool areInitialised(const uint8_t* bits, uint64_t offset, unsigned bytes)
{
    return forWordsOfBits(bits, offset, bytes, areAllSet);
}

}  // namespace lanescope::simt
