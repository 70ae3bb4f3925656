// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous operations under way, for the race check. Until the thread that issued a copy (cp.async) awaits it, or
// somebody the phase of the mbarrier that counts its bytes, nobody may touch the cells it fills, whatever barriers lie
// between; nor may anybody write what a bulk copy or a product still reads. The bytes themselves move at once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/simt/code/instruction.h"

namespace lanescope::simt {

struct Block;
struct RaceCells;

/// One lane's copy into shared memory.
struct AsyncCopy {
    uint8_t lane = 0;
    uint32_t group = 0;  ///< how often the lane had committed when it issued the copy
    uint32_t offset = 0;
    uint32_t bytes = 0;
    RaceCells* cells = nullptr;
    uint32_t block = 0;
};

/// A copy in bulk into shared memory whose bytes an mbarrier counts.
struct BulkCopy {
    AsyncCopy copy;
    Block* issuer = nullptr;
    uint32_t thread = 0;   ///< of the issuer
    uint32_t issued = 0;   ///< time of the issuer's block
    uint64_t barrier = 0;  ///< address, without the rank of a block
    uint32_t phase = 0;    ///< of the barrier, which completes when the bytes have come
    uint32_t staticSite = 0;
    /// What has been said of it: one mistake is one finding.
    enum class Told : uint8_t { Nothing, Race, NotAwaited } told = Told::Nothing;
};

/// What one lane's operation reads of shared memory.
struct AsyncRead {
    uint8_t lane = 0;
    uint32_t group = 0;  ///< how often the lane had committed when it issued it
    uint32_t bytes = 0;
    uint32_t since = 0;  ///< time when it was issued
    uint32_t staticSite = 0;
    uint64_t address = 0;
};

struct AsyncReads {
    std::vector<AsyncRead> pending;
    std::array<uint32_t, kWarpSize> committed{};  ///< groups, by lane
};

/// Those of a warp that are not awaited yet.
struct AsyncCopies {
    std::vector<AsyncCopy> pending;
    std::array<uint32_t, kWarpSize> committed{};  ///< groups, by lane
};

}  // namespace lanescope::simt
