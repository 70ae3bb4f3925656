// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What if a shared array were laid out otherwise? The recorded accesses, scored again with padded or swizzled rows.
#pragma once

#include <vector>

#include "core/analysis/analysis.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// One pattern of lanes over one shared buffer, and how often it came.
struct SharedRequest {
    SiteId site;
    BufferId buffer;
    LaneMask mask = 0;
    uint32_t bytes = 4;                        ///< per lane
    std::array<uint32_t, kWarpSize> offset{};  ///< bytes in the buffer, by lane
    uint64_t count = 0;
};

struct SharedRequests {
    std::vector<SharedRequest> patterns;
    bool cut = false;  ///< more patterns than are kept
};

/// Distinct shared-memory requests of the launch whose lanes stay in one buffer. Streams over the launch.
Result<SharedRequests> collectSharedRequests(trace::TraceReader& reader, LaunchId launch);
Result<SharedRequests> collectSharedRequests(trace::TraceReader& reader, const StepsOfBlock& steps);

enum class Swizzle : uint8_t {
    None,
    XorRow,    ///< column XOR row, within a row of a power of two of elements
    RotateRow  ///< column + row, modulo the row's length
};

struct SharedLayout {
    uint32_t padElements = 0;  ///< added to each row
    Swizzle swizzle = Swizzle::None;
};

/// Byte offset of an element's byte under \p layout. \p offset: in the buffer as it is. Buffers of one dimension have
/// no rows to pad; they fold at `rowOf` elements.
uint64_t relaidOffset(const trace::Buffer& buffer, uint64_t offset, const SharedLayout& layout);
/// Elements of a row: the last dimension; 32 for a buffer of one dimension.
uint64_t rowElements(const trace::Buffer& buffer);

struct SharedSiteCost {
    SiteId site;
    uint64_t requests = 0;
    uint64_t wavefronts = 0;
    uint64_t conflicts = 0;
    uint32_t maxDegree = 0;
};

struct SharedCosts {
    std::vector<SharedSiteCost> sites;  ///< ascending by site
    uint64_t wavefronts = 0;
    uint64_t conflicts = 0;
    uint64_t extraBytes = 0;  ///< per block
};

/// \p buffers: by id, with dims filled in. About 0.2 µs per pattern.
SharedCosts scoreShared(const SharedRequests& requests, const std::vector<trace::Buffer>& buffers,
                        const SharedLayout& layout);

}  // namespace lanescope::analysis
