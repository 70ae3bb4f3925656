// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain writes that an atomic has covered. A cell remembers its last writer; when that is an atomic, other atomics do
// not race with it, but they may with the plain write that it came after.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/simt/checks/packed_cells.h"

namespace lanescope::simt {

/// Of the cells of one object, by cell. Thread-safe.
class HiddenWrites {
public:
    /// Whether there is one at \p since or later.
    [[nodiscard]] bool mayHold(uint32_t since) const { return m_newest.load(std::memory_order_relaxed) >= since; }
    /// \p since: older ones are of no interest any more. Beyond some tens of thousands of others it is forgotten: a
    /// race may be missed, none is made up.
    void add(uint64_t cell, const Toucher& writer, uint32_t since);
    [[nodiscard]] std::optional<Toucher> find(uint64_t cell) const;
    void clear();

private:
    static constexpr size_t kMost = size_t{1} << 16;

    std::atomic<uint32_t> m_newest = 0;
    mutable std::mutex m_mutex;
    std::unordered_map<uint64_t, Toucher> m_writers;
};

}  // namespace lanescope::simt
