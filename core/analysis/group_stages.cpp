// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/group_stages.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;

/// 0: its first extent counts no stages.
uint64_t GroupStages::stageBytes(const trace::Buffer& buffer) const
{
    if (buffer.space != trace::Space::Shared || buffer.dims.size() < 2 || buffer.dims[0] < 2 ||
        buffer.dims[0] > kMostStages)
        return 0;
    const uint64_t bytes = buffer.bytes / buffer.dims[0];
    return bytes % kPieceBytes == 0 ? bytes : 0;
}

void GroupStages::add(StepIndex step, const Event& event)
{
    if (event.kind == SiteKind::Barrier)
        return meet(step, event);
    if (!event.isAccess())
        return;
    const bool isCopy = asyncKindOf(m_catalog.sites[event.site.value]) == AsyncKind::Copy;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const BufferId id = event.bufferOf(lane);
        const uint64_t bytes = id == kNoBuffer ? 0 : stageBytes(m_catalog.buffers[id.value]);
        if (bytes == 0)
            continue;
        const uint64_t number = event.offset[static_cast<size_t>(lane)] / bytes;
        const auto stage = static_cast<uint32_t>(number);
        if (event.kind == SiteKind::Store && isCopy) {
            m_copied[id.value].insert(number);
            m_fillings[stage] = {true, m_epoch, step};
        } else if (event.kind == SiteKind::Load && m_copied.contains(id.value)) {
            read(stage);
        }
    }
}

void GroupStages::read(uint32_t stage)
{
    Filling& own = m_fillings[stage];
    for (const auto& [number, other] : m_fillings)
        m_isRing |= number != stage && other.isPending && other.epoch > own.epoch;
    if (own.isPending && m_lastMeeting > own.last)
        m_full.emplace(stage, m_lastMeeting);
    own.isPending = false;
}

void GroupStages::meet(StepIndex step, const Event& event)
{
    m_met[event.warp] |= event.mask;
    uint64_t lanes = 0;
    for (const auto& [warp, mask] : m_met)
        lanes += static_cast<uint64_t>(std::popcount(mask));
    if (lanes < m_launch.threadsPerBlock())
        return;
    m_met.clear();
    ++m_epoch;
    m_lastMeeting = step;
}

std::vector<Ring::Stage> GroupStages::stages() const
{
    if (!m_isRing)
        return {};
    std::map<uint64_t, std::vector<std::string>> memory;
    for (const auto& [buffer, numbers] : m_copied)
        for (const uint64_t number : numbers)
            memory[number].push_back(fmt::format("{}[{}]", m_catalog.buffers[buffer].name, number));
    std::vector<Ring::Stage> all;
    for (const auto& [number, names] : memory) {
        all.resize(number + 1);
        all[number].memory = fmt::format("{}", fmt::join(names, ", "));
    }
    for (size_t i = 0; i < all.size(); ++i)
        all[i].name = fmt::format("stage {}", i);
    return all;
}

std::map<Piece, uint32_t> GroupStages::stageOfPieces() const
{
    std::map<Piece, uint32_t> all;
    for (const auto& [id, numbers] : m_copied) {
        const trace::Buffer& buffer = m_catalog.buffers[id];
        const uint64_t bytes = stageBytes(buffer);
        for (uint64_t piece = 0; piece * kPieceBytes < buffer.bytes; ++piece)
            all[{id, piece}] = static_cast<uint32_t>(piece * kPieceBytes / bytes);
    }
    return all;
}

}  // namespace lanescope::analysis
