// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of one launch: each run by a process of its own, held against each other when their reports are merged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/json_text.h"
#include "core/base/result.h"

namespace lanescope::cli {

/// Ranges of bytes of a buffer, ascending, apart; the second number is behind the last.
using ByteRanges = std::vector<std::pair<uint64_t, uint64_t>>;

/// What a part did to one buffer.
struct TouchedBuffer {
    uint64_t address = 0;
    std::string name;
    uint64_t element = 0;  ///< bytes of one; 0: not known
    bool unknown = false;  ///< in too many places: the ranges are empty
    ByteRanges reads;
    ByteRanges writes;
    ByteRanges adds;  ///< by atomics whose results nobody looks at
};

/// Throws Json::exception when \p json is no list of buffers (touched_memory.h of the runtime).
std::vector<TouchedBuffer> touchedBuffersOf(const Json& json);
Json toJson(const std::vector<TouchedBuffer>& buffers);

/// A part of the blocks of a launch, which ran without the others.
struct BlockPart {
    uint32_t launch = 0;
    std::string blocks;  ///< those that are divided, as --blocks has them
    unsigned parts = 1;
    std::vector<TouchedBuffer> buffers;

    [[nodiscard]] bool isOfSameLaunch(const BlockPart& other) const
    {
        return launch == other.launch && blocks == other.blocks && parts == other.parts;
    }
};

/// What a part has touched, as the runtime wrote it to \p path. Errors: the launch was not come to.
Result<std::vector<TouchedBuffer>> readTouched(const std::string& path, uint32_t launch);

/// Why what parts \p first and \p second have done may not be what they do together: the first place that one writes
/// and the other touches. Nothing: they have nothing to do with each other. Atomics of both are no reason, as long as
/// neither looks at what they leave.
std::optional<std::string> dependence(const BlockPart& a, unsigned first, const BlockPart& b, unsigned second);

}  // namespace lanescope::cli
