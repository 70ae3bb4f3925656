// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/in_step.h"

#include <algorithm>
#include <cmath>

namespace lanescope::gui {

namespace {

uint32_t scaled(uint32_t position, uint32_t extent, uint32_t otherExtent)
{
    return extent == otherExtent ? position
                                 : static_cast<uint32_t>(uint64_t{position} * otherExtent / std::max(1U, extent));
}

EpochSpan whole(const BlockOverview& overview)
{
    return {0, 0, overview.stepCount};
}

/// The span that \p step ends in: the step after an epoch's last one still belongs to it.
size_t spanAt(const std::vector<EpochSpan>& epochs, StepIndex step)
{
    size_t at = 0;
    while (at + 1 < epochs.size() && epochs[at + 1].first < step)
        ++at;
    return at;
}

StepIndex sameShare(StepIndex step, const EpochSpan& from, const EpochSpan& to)
{
    const double length = static_cast<double>(std::max<StepIndex>(1, from.last - from.first));
    const double share = std::clamp(static_cast<double>(step - std::min(step, from.first)) / length, 0.0, 1.0);
    return to.first + static_cast<StepIndex>(std::llround(share * static_cast<double>(to.last - to.first)));
}

}  // namespace

Result<replay::Focus> inStep(SnapshotBuilder& other, const Snapshot& leader)
{
    const CatalogPointer catalog = other.catalog();
    if (catalog->launches.empty())
        return Error{Error::Code::NotFound, "the trace to compare with holds no launch", {}};
    replay::Focus focus;
    focus.launch.value = std::min(leader.focus.launch.value, static_cast<uint32_t>(catalog->launches.size() - 1));
    const trace::Launch& from = leader.launch();
    const trace::Launch& to = catalog->launches[focus.launch.value];
    focus.block = {scaled(leader.focus.block.x, from.grid.x, to.grid.x),
                   scaled(leader.focus.block.y, from.grid.y, to.grid.y),
                   scaled(leader.focus.block.z, from.grid.z, to.grid.z)};
    focus.thread = {scaled(leader.focus.thread.x, from.block.x, to.block.x),
                    scaled(leader.focus.thread.y, from.block.y, to.block.y),
                    scaled(leader.focus.thread.z, from.block.z, to.block.z)};
    auto start = other.build(focus, {});
    if (!start)
        return start.error();
    const BlockOverview& mine = *leader.overview;
    const BlockOverview& its = *start.value()->overview;
    focus.block = start.value()->focus.block;
    const bool alike = !mine.epochs.empty() && mine.epochs.size() == its.epochs.size();
    const size_t span = alike ? spanAt(mine.epochs, leader.focus.step) : 0;
    focus.step = alike ? sameShare(leader.focus.step, mine.epochs[span], its.epochs[span])
                       : sameShare(leader.focus.step, whole(mine), whole(its));
    return focus;
}

}  // namespace lanescope::gui
