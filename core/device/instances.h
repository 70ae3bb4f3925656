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
    /// \p times: so many that are like it. Returns which kind they are of, for addAgain.
    size_t add(const Instance& instance, bool twoSides, uint64_t times = 1);
    /// As many more of \p kind.
    void addAgain(size_t kind, uint64_t times)
    {
        if (kind < m_kinds.size())
            m_kinds[kind].count += times;
    }
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
    /// Its place in m_kinds; behind kMostKinds: it is not counted.
    size_t count(const Kind& kind);

    static constexpr size_t kMostKinds = 8;
    Instance m_smallest;
    std::vector<Kind> m_kinds;
};

}  // namespace lanescope::device
