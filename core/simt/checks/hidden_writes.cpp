// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/hidden_writes.h"

#include <algorithm>

namespace lanescope::simt {

void HiddenWrites::add(uint64_t cell, const Toucher& writer, uint32_t since)
{
    const std::lock_guard lock(m_mutex);
    if (m_writers.size() >= kMost)
        std::erase_if(m_writers, [&](const auto& known) { return known.second.time < since; });
    if (m_writers.size() >= kMost)
        return;
    m_writers[cell] = writer;
    m_newest = std::max(m_newest.load(), writer.time);
}

std::optional<Toucher> HiddenWrites::find(uint64_t cell) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_writers.find(cell);
    return found == m_writers.end() ? std::nullopt : std::optional(found->second);
}

void HiddenWrites::clear()
{
    const std::lock_guard lock(m_mutex);
    m_writers.clear();
    m_newest = 0;
}

}  // namespace lanescope::simt
