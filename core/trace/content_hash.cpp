// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/content_hash.h"

// Compiled in rather than linked: a program that we are loaded into may bring an xxHash of its own, of any version.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace lanescope::trace {

std::array<uint64_t, 2> contentHash(std::span<const std::byte> bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.low64, hash.high64};
}

uint64_t checksum(std::span<const uint8_t> bytes)
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace lanescope::trace
