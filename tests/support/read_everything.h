// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks a trace for everything it has, ignoring errors: for fuzzers and tests of damaged files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lanescope::test {

/// Opens the file with the reader and calls all of its methods. Returns the number of events that could be read.
unsigned long readEverything(const std::string& path);

/// Decodes the bytes as a packed chunk of a block of 32 warps with sites of every kind. Returns the number of events.
unsigned long decodeAsChunk(std::span<const uint8_t> bytes);

/// Decodes the bytes as tallies of blocks of 32 warps. Returns the number of runs.
unsigned long decodeAsTallies(std::span<const uint8_t> bytes);

}  // namespace lanescope::test
