// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checksum of traces before xxHash. No trace is written with it any more.
#include <cstring>

#include "core/trace/content_hash.h"

namespace lanescope::trace {

namespace {

// Multipliers are MurmurHash3's and SplitMix64's; the mixing is MurmurHash3 x64's body, two lanes of 8 bytes.
constexpr uint64_t kA = 0x87c37b91114253d5ULL;
constexpr uint64_t kB = 0x4cf5ad432745937fULL;

constexpr uint64_t rotate(uint64_t v, int by)
{
    return (v << by) | (v >> (64 - by));
}

constexpr uint64_t finish(uint64_t v)
{
    v ^= v >> 30;
    v *= 0xbf58476d1ce4e5b9ULL;
    v ^= v >> 27;
    v *= 0x94d049bb133111ebULL;
    return v ^ (v >> 31);
}

struct Lanes {
    uint64_t first = 0x9e3779b97f4a7c15ULL;
    uint64_t second = 0x2545f4914f6cdd1dULL;

    void mix(uint64_t a, uint64_t b)
    {
        first ^= rotate(a * kA, 31) * kB;
        first = (rotate(first, 27) + second) * 5 + 0x52dce729;
        second ^= rotate(b * kB, 33) * kA;
        second = (rotate(second, 31) + first) * 5 + 0x38495ab5;
    }
};

}  // namespace

uint64_t oldChecksum(std::span<const uint8_t> bytes)
{
    Lanes lanes;
    size_t at = 0;
    uint64_t words[2];
    for (; at + sizeof words <= bytes.size(); at += sizeof words) {
        std::memcpy(words, bytes.data() + at, sizeof words);
        lanes.mix(words[0], words[1]);
    }
    words[0] = words[1] = 0;
    if (at < bytes.size())
        std::memcpy(words, bytes.data() + at, bytes.size() - at);
    lanes.mix(words[0], words[1]);
    lanes.mix(bytes.size(), bytes.size());
    // Without the sign bit of SQLite's integers.
    return finish(lanes.first + lanes.second) & INT64_MAX;
}

}  // namespace lanescope::trace
