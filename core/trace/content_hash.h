// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes for recognising equal contents and damaged chunks; not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::trace {

/// XXH3, 128 bits, so that different buffer contents do not meet by chance.
std::array<uint64_t, 2> contentHash(std::span<const std::byte> bytes);

/// Of a chunk in a file of schema 4 or later: XXH3, 64 bits. Part of the file format.
uint64_t checksum(std::span<const uint8_t> bytes);
/// Of a chunk in a file of schema 1 to 3.
uint64_t oldChecksum(std::span<const uint8_t> bytes);

}  // namespace lanescope::trace
