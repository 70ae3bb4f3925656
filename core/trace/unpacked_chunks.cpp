// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/unpacked_chunks.h"

#include <iterator>
#include <utility>

namespace lanescope::trace {

void UnpackedChunks::count(Kept& kept)
{
    const size_t before = std::exchange(kept.bytes, sizeof(Kept) + kept.chunk.bytes());
    m_bytes += kept.bytes - before;
}

void UnpackedChunks::forget(Chunks::iterator kept)
{
    m_bytes -= kept->bytes;
    m_byId.erase(kept->id);
    m_chunks.erase(kept);
}

const UnpackedChunk* UnpackedChunks::find(int64_t id, Detail detail)
{
    const auto found = m_byId.find(id);
    if (found == m_byId.end() || found->second->chunk.detail() < detail)
        return nullptr;
    m_chunks.splice(m_chunks.begin(), m_chunks, found->second);
    return &found->second->chunk;
}

UnpackedChunk& UnpackedChunks::add(int64_t id)
{
    if (m_added)
        count(*m_added);
    if (const auto known = m_byId.find(id); known != m_byId.end())
        forget(known->second);
    // The last one makes room and gives its memory to the new one.
    if (m_bytes <= kMostBytes) {
        m_chunks.emplace_front();
    } else {
        while (m_chunks.size() > 1 && m_bytes - m_chunks.back().bytes > kMostBytes)
            forget(std::prev(m_chunks.end()));
        m_byId.erase(m_chunks.back().id);
        m_chunks.splice(m_chunks.begin(), m_chunks, std::prev(m_chunks.end()));
    }
    m_added = &m_chunks.front();
    m_added->id = id;
    m_byId[id] = m_chunks.begin();
    return m_added->chunk;
}

void UnpackedChunks::drop()
{
    forget(m_byId.at(m_added->id));
    m_added = nullptr;
}

void UnpackedChunks::clear()
{
    m_chunks.clear();
    m_byId.clear();
    m_added = nullptr;
    m_bytes = 0;
}

}  // namespace lanescope::trace
