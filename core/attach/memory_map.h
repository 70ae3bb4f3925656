// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that a program has had the GPU give it, by address. What a recorded kernel uses of it becomes a buffer of
// the trace: programs have much that no kernel ever looks at.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/trace/model.h"

namespace lanescope::attach {

struct Region {
    uint64_t address = 0;
    uint64_t bytes = 0;
    bool isOfHost = false;  ///< the host can read it where it is
};

/// Regions of one moment, for many questions from many threads.
class Regions {
public:
    explicit Regions(std::vector<Region> byAddress) : m_regions(std::move(byAddress)) {}
    /// Null: nothing was there.
    [[nodiscard]] const Region* at(uint64_t address) const;
    [[nodiscard]] const std::vector<Region>& all() const { return m_regions; }

private:
    std::vector<Region> m_regions;
};

/// Thread-safe.
class MemoryMap {
public:
    /// \p origin: "cudaMalloc #2". What lies in memory that is known already is that memory.
    void add(const Region& region, const std::string& origin);
    void remove(uint64_t address);
    [[nodiscard]] Regions regions() const;
    /// The first name and type that the memory which begins at \p address gets are its own. An empty name: none yet.
    void describe(uint64_t address, const std::string& name, const trace::ValueType& element);
    /// The buffer for the memory that begins at \p address; it is numbered when it is first asked for.
    [[nodiscard]] trace::Buffer buffer(uint64_t address);
    /// An id for a buffer that is not in global memory.
    [[nodiscard]] BufferId newBuffer();

private:
    struct Known {
        trace::Buffer buffer;
        bool isOfHost = false;
        bool isDescribed = false;
    };

    mutable std::mutex m_lock;
    std::map<uint64_t, Known> m_live;
    uint32_t m_buffers = 0;  ///< numbered so far
};

}  // namespace lanescope::attach
