// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing of the command's own argument forms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace lanescope::cli {

/// "1000", "64K", "512M", "2G" (powers of 1024).
Result<uint64_t> parseByteCount(const std::string& text);

/// Half-open in each direction.
struct BlockRange {
    Dim3 first{0, 0, 0};
    Dim3 last{UINT32_MAX, UINT32_MAX, UINT32_MAX};
};

/// "x0:x1,y0:y1,z0:z1"; axes may be missing, and "2" is "2:3"; "all".
Result<BlockRange> parseBlockRange(const std::string& text);

/// "lockstep", "sequential", "reverse" or "random:SEED", unchanged.
Result<std::string> parseSchedule(const std::string& text);

/// "1600x1000".
struct PictureSize {
    int width = 0;
    int height = 0;
};
Result<PictureSize> parseSize(const std::string& text);

/// The elements of a comma-separated list; none for an empty text.
std::vector<std::string> splitList(const std::string& text);

}  // namespace lanescope::cli
