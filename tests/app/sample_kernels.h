// SPDX-License-Identifier: GPL-3.0-or-later
// Small kernels written straight into a trace, in many shapes, so that the window's tests need no compiler.
#pragma once

#include <functional>
#include <string>

#include "core/trace/writer.h"

namespace lanescope::test {

/// out = a × b of size², tiles of tile², grid of ⌈size/tile⌉²: two shared tiles, two barriers a tile.
void writeTiledMatmul(trace::TraceWriter& writer, uint32_t size, uint32_t tile);
/// out[i] = a[i] + 10 with `threads` threads a block; lanes past the end idle (a diverging guard).
void writeMap(trace::TraceWriter& writer, uint32_t elements, uint32_t threads, uint32_t blocks);
/// out[r][c] = a[r][c] + 10 on a size² matrix with side² threads, some of them idle.
void writeMap2d(trace::TraceWriter& writer, uint32_t size, uint32_t side);

/// out[i] = a[somewhere]: `blocks` blocks of 256 threads, each warp gathering `gathers` times from 1024x1024 random
/// values, all of them recorded: 128 bytes a gather that do not compress.
void writeGather(trace::TraceWriter& writer, uint32_t blocks, uint32_t gathers);

/// Writes a whole trace file by one of the functions above; asserts that it worked.
std::string writeTrace(const std::string& path, const std::function<void(trace::TraceWriter&)>& kernel,
                       std::optional<trace::ProcessRank> rank = {});

/// The session record of such a trace.
trace::SessionInfo sampleSession(const std::string& program);

}  // namespace lanescope::test
