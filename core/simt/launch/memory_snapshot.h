// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory that a launch may write, as it was before: for a launch that starts over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simt/launch/launch_plan.h"

namespace lanescope::simt {

class MemorySnapshot {
public:
    explicit MemorySnapshot(const LaunchPlan& plan);
    void restore() const;
    /// How much memory one is of.
    static uint64_t bytes(const LaunchPlan& plan);

private:
    struct Piece {
        const ObjectEntry* entry;
        std::vector<std::byte> bytes;
        std::vector<uint8_t> initialised;
    };
    std::vector<Piece> m_pieces;
};

}  // namespace lanescope::simt
