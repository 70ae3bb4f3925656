// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of many small blocks stay unpacked while their blocks are read, whatever the order: those that ran beside each
// other on several host threads lie in as many chunks.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

#include "core/trace/chunk_packer.h"

namespace lanescope::trace {

/// The chunks used last, by ids that the caller gives: each call takes O(1), however small chunks are, and however many
/// there is room for. Not thread-safe.
class UnpackedChunks {
public:
    /// Null: it is not here with at least \p detail. Valid until the next call.
    const UnpackedChunk* find(int64_t id, Detail detail);
    /// One to unpack into; it is found by \p id from now on, unless drop() follows. What was used longest ago makes
    /// room.
    UnpackedChunk& add(int64_t id);
    /// Forgets what add() gave last, before anything else is asked.
    void drop();
    /// All of them.
    void clear();

    /// What they have in memory together, or one that is larger.
    static constexpr size_t kMostBytes = 16 << 20;

private:
    struct Kept {
        int64_t id = 0;
        size_t bytes = 0;  ///< as counted in m_bytes
        UnpackedChunk chunk;
    };
    using Chunks = std::list<Kept>;
    void count(Kept& kept);
    void forget(Chunks::iterator kept);

    Chunks m_chunks;  ///< what was used last comes first
    std::unordered_map<int64_t, Chunks::iterator> m_byId;
    Kept* m_added = nullptr;  ///< last; how large it becomes is known afterwards
    size_t m_bytes = 0;       ///< of all others
};

}  // namespace lanescope::trace
