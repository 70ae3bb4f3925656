// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory that threads read while they go round: they do so until some of it is changed by somebody else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <vector>

namespace lanescope::simt {

class PolledMemory {
public:
    void clear() { m_pieces.clear(); }
    /// A thread reads \p bytes at \p at, of the host's memory.
    void add(const std::byte* at, size_t bytes)
    {
        std::vector<std::byte>& known = m_pieces[at];
        if (known.size() < bytes)
            known.assign(at, at + bytes);
    }
    /// What is there from now on is what has been seen.
    void see()
    {
        for (auto& [at, bytes] : m_pieces)
            bytes.assign(at, at + bytes.size());
    }
    [[nodiscard]] bool hasChanged() const
    {
        return std::ranges::any_of(m_pieces, [](const auto& piece) {
            return std::memcmp(piece.first, piece.second.data(), piece.second.size()) != 0;
        });
    }

private:
    std::map<const std::byte*, std::vector<std::byte>> m_pieces;  ///< as seen
};

}  // namespace lanescope::simt
