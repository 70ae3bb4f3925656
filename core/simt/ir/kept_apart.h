// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffers the threads of a launch keep apart in: no two of them touch the same byte. That is so where every
// access is at a place that tells the thread, a[i] of thread i, whatever the rest of the program does. Nobody can race
// there, and nobody has to look. Nor can anybody where all that is done is to read.
//
// The places are sums of the thread's coordinates times what the launch says (affine.h). Two threads' places differ
// where the coordinates are digits: each is multiplied with more than all that the smaller ones come to, as x and y in
// y * n + x are as long as x < n, which the code asks before.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include <llvm/IR/Function.h>

#include "core/simt/ir/affine_reader.h"
#include "core/simt/ir/write_analysis.h"

namespace lanescope::simt {

/// An upper bound of a sum of coordinates, in one launch.
struct PlacedBound {
    std::array<int64_t, kOthers> times{};
    int64_t most = 0;
    bool operator==(const PlacedBound&) const = default;
};

/// Where one access of a launch touches an object.
struct PlacedAccess {
    PlacedAffine offset;  ///< in bytes
    uint32_t bytes = 0;
    std::vector<PlacedBound> bounds;  ///< that hold for whoever gets there
};

/// Whether no two threads of a launch touch the same byte by these accesses. False: perhaps.
bool areApart(const std::vector<PlacedAccess>& accesses, const LastCoordinates& last);

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

    ComputedNumbers m_computed;
    std::vector<Access> m_accesses;
    std::vector<std::vector<AffineBound>> m_bounds;  ///< by basic block
    WrittenMemory m_unclear;
    WrittenMemory m_atomics;
};

}  // namespace lanescope::simt
