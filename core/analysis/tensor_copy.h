// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One copy of a box of a tensor (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor), as its recorded accesses show it:
// which 16 bytes of shared memory hold what of the tensor, and what is outside and was filled.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/tensor_map.h"
#include "core/replay/replay.h"

namespace lanescope::analysis {

/// 16 bytes of the box, in its order: the innermost dimension first.
struct TensorPiece {
    std::optional<uint64_t> shared;  ///< bytes, in the array; none: a store does not read it, it lies outside
    std::optional<uint64_t> global;  ///< address of the first byte inside the tensor; none: there is none
    uint32_t bytes = 0;              ///< of it that are inside the tensor
    StepIndex step = 0;              ///< of its first access
};

struct TensorCopy {
    enum class Way : uint8_t { Load, Store, Reduce };
    Way way = Way::Load;
    SiteId site;
    std::string instruction;
    uint16_t warp = 0;
    int lane = 0;
    StepIndex first = 0, last = 0;         ///< of its accesses
    std::optional<BufferId> shared;        ///< array; none: it is another block's alone
    std::optional<BufferId> tensor;        ///< buffer; none: all of the box lies outside
    std::vector<uint32_t> targets;         ///< ranks of other blocks that the box goes to, ascending
    std::optional<device::TensorMap> map;  ///< none: not found among the kernel's parameters
    std::string parameter;                 ///< that the map is or is in
    std::array<int64_t, device::TensorMap::kMostDimensions> corner{};  ///< in elements, where known
    bool isCornerKnown = false;
    std::vector<TensorPiece> pieces;
    /// Coordinates of each pixel that a copy for im2col reads, in their order, those of its first channel; none: it
    /// lies outside. Empty: of a store that leaves some out, or of a map that is not known.
    std::vector<std::optional<std::array<int64_t, device::TensorMap::kMostDimensions>>> pixels;

    [[nodiscard]] bool holds(StepIndex step) const { return step >= first && step <= last; }
};

/// Whether the site is a part of such a copy.
bool isTensorCopy(const trace::Site& site);

/// All of a block, by step. Empty: it copies no boxes, or the trace is older than those that name instructions.
/// Cost: decodes the block once.
Result<std::vector<TensorCopy>> traceTensorCopies(replay::Session& session, LaunchId launch, BlockIndex block);

}  // namespace lanescope::analysis
