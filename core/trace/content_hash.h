// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hashes for recognising equal contents and damaged chunks; not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lanescope::trace {

/// 128 bits, so that different buffer contents do not meet by chance. Part of the file format: never change it.
std::array<uint64_t, 2> contentHash(std::span<const std::byte> bytes);

/// The lower 63 bits of one half, as SQLite's integers are signed.
int64_t checksum(std::span<const uint8_t> bytes);

}  // namespace lanescope::trace
