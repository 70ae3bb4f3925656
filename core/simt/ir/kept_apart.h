// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffers the threads of a launch keep apart in: no two of them touch a byte that one of them writes. That is so
// where every access is at a place that tells the thread, a[i] of thread i, or elsewhere than all that is written,
// whatever the rest of the program does. Nobody can race there, and nobody has to look. Nor can anybody where all that
// is done is to read.
//
// The places are sums of the thread's coordinates, and of rounds of loops, times what the launch says (affine.h);
// places_apart.h says whether they meet.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include <llvm/IR/Function.h>

#include "core/simt/ir/affine_reader.h"
#include "core/simt/ir/places_apart.h"
#include "core/simt/ir/write_analysis.h"

namespace lanescope::simt {

/// What is known of one kernel, whatever the launch.
class KeptApart {
public:
    explicit KeptApart(llvm::Function& kernel);

    /// Accesses of which it is not known where they are.
    [[nodiscard]] const WrittenMemory& unclear() const { return m_unclear; }
    /// Atomics that all blocks see as such, which never race with each other.
    [[nodiscard]] const WrittenMemory& atomics() const { return m_atomics; }
    /// Address slots of the buffers that parameters point to which threads keep apart in, or only read, if nothing that
    /// is unclear, nor an atomic, touches them.
    [[nodiscard]] std::set<uint64_t> slots(LaunchNumbers launch) const;
    /// Those of all that is touched otherwise than by atomics or what is unclear.
    [[nodiscard]] std::set<uint64_t> touchedSlots(const LaunchNumbers& launch) const;

private:
    struct Access {
        AffineAddress at;
        uint32_t bytes;
        bool isWrite;
        size_t bounds;  ///< index in m_bounds

        [[nodiscard]] uint64_t baseIn(const LaunchNumbers& launch) const
        {
            return static_cast<uint64_t>(launch.valueOf(at.base).value_or(0));
        }
        [[nodiscard]] uint64_t slotIn(const LaunchNumbers& launch) const { return baseIn(launch) >> 32; }
    };
    class Reading;
    class Placing;

    ComputedNumbers m_computed;
    std::vector<Access> m_accesses;
    std::vector<std::vector<AffineBound>> m_bounds;  ///< by basic block
    std::vector<LoopLimit> m_limits;
    std::set<Coordinate> m_rounds;  ///< of loops
    WrittenMemory m_unclear;
    WrittenMemory m_atomics;
};

}  // namespace lanescope::simt
