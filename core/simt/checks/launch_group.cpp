// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/launch_group.h"

namespace lanescope::simt {
namespace {

/// More than these in all, and members that have ended are forgotten: cells have no room for larger numbers.
constexpr uint64_t kMostBlocks = uint64_t{1} << 20;

}  // namespace

BlockRange LaunchGroup::join(LaunchId id, uint64_t count, const void* owner, device::EarlierLaunch told)
{
    if (m_nextBlock + count > kMostBlocks && !m_members.empty())
        startOver();
    const BlockRange blocks{m_nextBlock, static_cast<uint32_t>(m_nextBlock + count)};
    m_nextBlock = blocks.end;
    m_members.push_back({id, blocks, owner, std::move(told)});
    return blocks;
}

/// Numbers are given again; times are not, so that nobody is taken for who had his number.
void LaunchGroup::startOver()
{
    m_lost = true;
    std::erase_if(m_members, [](const Member& member) { return !member.underWay; });
    m_nextBlock = m_members.empty() ? 0 : m_members.back().blocks.end;
    m_startTime = m_endTime;
}

void LaunchGroup::end(const BlockRange& blocks, uint32_t endTime)
{
    m_endTime = std::max(m_endTime, endTime);
    if (const auto member = std::ranges::find(m_members, blocks.first, [](const Member& m) { return m.blocks.first; });
        member != m_members.end())
        member->underWay = false;
}

const LaunchGroup::Member* LaunchGroup::memberOf(uint64_t block) const
{
    const auto behind = std::ranges::upper_bound(m_members, block, {}, [](const Member& m) { return m.blocks.first; });
    if (behind == m_members.begin() || !std::prev(behind)->blocks.contains(block))
        return nullptr;
    return &*std::prev(behind);
}

std::optional<device::EarlierLaunch> LaunchGroup::toldOf(LaunchId id) const
{
    const auto member = std::ranges::find(m_members, id, &Member::id);
    return member == m_members.end() ? std::nullopt : std::optional(member->told);
}

std::vector<BlockRange> LaunchGroup::endedOf(const std::function<bool(LaunchId)>& comesBefore) const
{
    std::vector<BlockRange> ranges;
    for (const Member& member : m_members) {
        if (member.underWay || (comesBefore && !comesBefore(member.id)))
            continue;
        if (!ranges.empty() && ranges.back().end == member.blocks.first)
            ranges.back().end = member.blocks.end;
        else
            ranges.push_back(member.blocks);
    }
    return ranges;
}

void LaunchGroup::forget(const void* owner)
{
    for (Member& member : m_members)
        if (member.owner == owner)
            member.told.siteAt = nullptr;
}

}  // namespace lanescope::simt
