// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of numbers for the hot paths of checks: no allocation for each, and emptied at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanescope::simt {

/// Of numbers that are not 0; open addressing.
class KeySet {
public:
    void insert(uint64_t key)
    {
        if (m_count * 2 >= m_slots.size())
            grow();
        uint64_t& slot = m_slots[find(key)];
        m_count += slot == 0;
        slot = key;
    }
    [[nodiscard]] bool contains(uint64_t key) const { return m_count != 0 && m_slots[find(key)] == key; }
    [[nodiscard]] size_t size() const { return m_count; }

    template <typename F>
    void forEach(F f) const
    {
        for (const uint64_t key : m_slots)
            if (key != 0)
                f(key);
    }

    void clear()
    {
        // What few use need not stay as large as many had made it.
        if (m_slots.size() > kMostKept)
            m_slots = {};
        else if (m_count != 0)
            std::ranges::fill(m_slots, 0);
        m_count = 0;
    }

private:
    static constexpr size_t kFewest = 64, kMostKept = 4096;

    /// Where \p key is, or may be put. There is a free slot.
    [[nodiscard]] size_t find(uint64_t key) const
    {
        // Fibonacci hashing: the product's high bits depend on all of the key's.
        const size_t last = m_slots.size() - 1;
        size_t at = (key * 0x9e3779b97f4a7c15U) >> (64 - std::countr_zero(m_slots.size()));
        while (m_slots[at] != 0 && m_slots[at] != key)
            at = (at + 1) & last;
        return at;
    }
    void grow()
    {
        std::vector<uint64_t> before(std::max(m_slots.size() * 2, kFewest));
        before.swap(m_slots);
        for (const uint64_t key : before)
            if (key != 0)
                m_slots[find(key)] = key;
    }

    std::vector<uint64_t> m_slots;  ///< a power of two, or none; 0: free
    size_t m_count = 0;
};

}  // namespace lanescope::simt
