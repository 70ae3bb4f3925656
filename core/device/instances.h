// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of a mistake that many threads make, the occurrences worth showing: the first of this run, the smallest (lowest
// blocks and threads: the one to think through by hand) and the typical one (of the kind that occurs most).
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.h"

namespace lanescope::device {

/// One occurrence: of one thread, [0], or of the two sides of a race.
struct Instance {
    uint64_t blocks[2] = {};
    uint32_t threads[2] = {};
    uint64_t address = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
};

class Instances {
public:
    void add(const Instance& instance, bool twoSides);
    /// \p swapped: the sides of \p other are the other way round.
    void merge(const Instances& other, bool swapped);
    [[nodiscard]] bool empty() const { return m_kinds.empty(); }
    /// Not when empty.
    [[nodiscard]] const Instance& smallest() const { return m_smallest; }
    [[nodiscard]] const Instance& typical() const;

private:
    /// How far apart the two sides are, or where in its block the one thread is.
    struct Kind {
        int64_t blocks = 0;
        int64_t threads = 0;
        uint64_t count = 0;
        Instance first;
    };
    void count(const Kind& kind);

    static constexpr size_t kMostKinds = 8;
    Instance m_smallest;
    std::vector<Kind> m_kinds;
};

}  // namespace lanescope::device
