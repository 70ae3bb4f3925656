// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/state/grid_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanescope::simt {

void GridState::failAssertion(uint64_t block, uint32_t thread, const std::string& file, uint32_t line,
                              const std::string& function, const std::string& expression)
{
    std::lock_guard lock(m_mutex);
    m_failed.push_back({block, thread, file + ":" + std::to_string(line) + ": " + function, expression});
}

std::vector<RequestedLaunch> GridState::takeRequested()
{
    return std::exchange(m_requested, {});
}

std::vector<RequestedLaunch> GridState::takeRequested(uint64_t block)
{
    const auto others =
        std::stable_partition(m_requested.begin(), m_requested.end(), [&](const auto& r) { return r.block != block; });
    std::vector<RequestedLaunch> taken(std::make_move_iterator(others), std::make_move_iterator(m_requested.end()));
    m_requested.erase(others, m_requested.end());
    return taken;
}

std::string GridState::takeText()
{
    std::string text = std::move(m_text);
    for (std::string& printed : m_printed)
        text += printed;
    return text;
}

}  // namespace lanescope::simt
