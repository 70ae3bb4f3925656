// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/step_levels.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::gui {

using trace::SiteKind;

namespace {

constexpr std::array kByRank{SiteKind::Exit,  SiteKind::VariableWrite, SiteKind::Branch, SiteKind::Load,
                             SiteKind::Store, SiteKind::Atomic,        SiteKind::Barrier};

}  // namespace

int8_t rankOf(SiteKind kind)
{
    const auto found = std::find(kByRank.begin(), kByRank.end(), kind);
    return found == kByRank.end() ? int8_t{0} : static_cast<int8_t>(found - kByRank.begin());
}

SiteKind kindOfRank(int8_t rank)
{
    return kByRank.at(static_cast<size_t>(std::max<int8_t>(rank, 0)));
}

void StepBucket::add(const replay::StepSummary& step)
{
    add(StepBucket{rankOf(step.kind), static_cast<uint8_t>(std::popcount(step.mask))});
}

void StepBucket::add(const StepBucket& other)
{
    if (other.rank < 0)
        return;
    lanes = rank < 0 ? other.lanes : std::min(lanes, other.lanes);
    rank = std::max(rank, other.rank);
}

std::vector<StepLevels> StepLevels::of(const std::vector<replay::StepSummary>& steps, size_t warps)
{
    std::vector<StepLevels> rows(warps);
    if (steps.size() < kFinest)
        return rows;
    for (StepLevels& row : rows)
        row.m_levels.emplace_back((steps.size() + kFinest - 1) / kFinest);
    for (size_t step = 0; step < steps.size(); ++step)
        if (steps[step].warp < warps)
            rows[steps[step].warp].m_levels[0][step / kFinest].add(steps[step]);
    for (StepLevels& row : rows)
        while (row.m_levels.back().size() > kFinest) {
            const std::vector<StepBucket>& fine = row.m_levels.back();
            std::vector<StepBucket> coarse((fine.size() + kFactor - 1) / kFactor);
            for (size_t i = 0; i < fine.size(); ++i)
                coarse[i / kFactor].add(fine[i]);
            row.m_levels.push_back(std::move(coarse));
        }
    return rows;
}

const std::vector<StepBucket>* StepLevels::levelFor(double steps, size_t& bucketSteps) const
{
    const std::vector<StepBucket>* chosen = nullptr;
    size_t size = kFinest;
    for (const std::vector<StepBucket>& level : m_levels) {
        if (static_cast<double>(size) > steps)
            break;
        chosen = &level;
        bucketSteps = size;
        size *= kFactor;
    }
    return chosen;
}

}  // namespace lanescope::gui
