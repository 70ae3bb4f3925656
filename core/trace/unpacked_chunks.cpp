// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/unpacked_chunks.h"

#include <algorithm>

namespace lanescope::trace {

const UnpackedChunk* UnpackedChunks::find(int64_t id, Detail detail)
{
    const auto found = std::find_if(m_chunks.begin(), m_chunks.end(), [&](const Kept& kept) { return kept.id == id; });
    if (found == m_chunks.end() || found->chunk.detail() < detail)
        return nullptr;
    m_chunks.splice(m_chunks.begin(), m_chunks, found);
    return &found->chunk;
}

UnpackedChunk& UnpackedChunks::add(int64_t id)
{
    std::erase_if(m_chunks, [&](const Kept& kept) { return kept.id == id; });
    size_t bytes = 0;
    for (const Kept& kept : m_chunks)
        bytes += kept.chunk.bytes();
    // The last one makes room and gives its memory to the new one.
    if (bytes <= kMostBytes) {
        m_chunks.emplace_front();
    } else {
        while (m_chunks.size() > 1 && bytes - m_chunks.back().chunk.bytes() > kMostBytes) {
            bytes -= m_chunks.back().chunk.bytes();
            m_chunks.pop_back();
        }
        m_chunks.splice(m_chunks.begin(), m_chunks, std::prev(m_chunks.end()));
    }
    m_chunks.front().id = id;
    return m_chunks.front().chunk;
}

}  // namespace lanescope::trace
