// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a cell holds what it holds: its last write, what the writing thread had read before, who wrote that, and so on
// back to what the block did not write itself.
#pragma once

#include "core/analysis/flow.h"

namespace lanescope::analysis {

/// One cell at one time, in the order of a tree walked depth first.
struct OriginNode {
    uint32_t depth = 0;
    BufferId buffer;
    uint64_t element = 0;
    bool written = false;   ///< by this block; else it is an input, and what follows is unset
    bool repeated = false;  ///< its own origins are under an earlier node
    StepIndex step = 0;     ///< the write's event
    uint32_t thread = 0;
    SiteId site;
    bool known = false;
    std::array<uint8_t, 16> value{};
};

/// The origins of \p element as it is before event \p step. At most \p limit nodes; empty when the buffer is not
/// followed. A thread's reads since its last write count as origins, also those that only steered it.
std::vector<OriginNode> traceOrigin(const Flow& flow, BufferId buffer, uint64_t element, StepIndex step, size_t limit);

}  // namespace lanescope::analysis
