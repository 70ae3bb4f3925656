// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/step_target.h"

#include <algorithm>
#include <set>

namespace lanescope::gui {

namespace {

/// Steps of the cursor's block at which the checks found something.
std::set<StepIndex> findingSteps(const trace::Catalog& catalog, const replay::BlockCursor& cursor)
{
    std::set<StepIndex> steps;
    const Dim3 grid = catalog.launches[cursor.launch().value].grid;
    for (const trace::Finding& finding : catalog.findings)
        for (const trace::FindingAccess& access : finding.accesses)
            if (finding.launch == cursor.launch() && linearIndex(access.block, grid) == cursor.block().value &&
                access.step < cursor.stepCount() && finding.severity != Severity::Advice)
                steps.insert(access.step);
    return steps;
}

Result<std::optional<StepIndex>> breakpointTarget(SnapshotBuilder& builder, replay::BlockCursor& cursor, uint32_t warp,
                                                  Direction direction, const Breakpoints& breakpoints)
{
    auto summary = cursor.summary();
    auto buffers = builder.session().buffersOf(cursor.launch());
    if (!summary || !buffers)
        return summary ? buffers.error() : summary.error();
    const auto& all = *summary.value();
    const std::set<StepIndex> findings = findingSteps(*builder.catalog(), cursor);
    const auto hit = [&](StepIndex step) {
        if (findings.contains(step))
            return true;
        const trace::SourceLocation& where = builder.catalog()->sites[all[step].site.value].where;
        const auto breakpoint = breakpoints.find({where.source.value, where.line});
        if (all[step].warp != warp || breakpoint == breakpoints.end())
            return false;
        // Values are looked up where the breakpoint would stop.
        return breakpoint->second.isEmpty() ||
               (cursor.seek(step).ok() &&
                breakpoint->second.holds(cursor, *builder.catalog(), buffers.value(), warp, all[step].mask));
    };
    const StepIndex here = cursor.step();
    if (direction == Direction::Forward) {
        for (StepIndex step = here + 1; step < all.size(); ++step)
            if (hit(step))
                return std::optional(step);
    } else {
        for (StepIndex step = here; step-- > 0;)
            if (hit(step))
                return std::optional(step);
    }
    return std::optional<StepIndex>();
}

/// On its last line a warp has no next one, but the line can still be run.
std::optional<StepIndex> nextLineOrEnd(replay::BlockCursor& cursor, uint32_t warp)
{
    const auto next = cursor.nextLine(warp);
    const bool onLastLine = !next && cursor.warp(warp).next.has_value();
    return onLastLine ? std::optional(cursor.stepCount()) : next;
}

std::optional<StepIndex> eventTarget(const replay::BlockCursor& cursor, Direction direction)
{
    if (direction == Direction::Forward)
        return cursor.step() < cursor.stepCount() ? std::optional(cursor.step() + 1) : std::nullopt;
    return cursor.step() > 0 ? std::optional(cursor.step() - 1) : std::nullopt;
}

}  // namespace

Result<std::optional<StepIndex>> stepTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                            Direction direction, const Breakpoints& breakpoints)
{
    auto at = builder.cursorAt(focus);
    if (!at)
        return at.error();
    replay::BlockCursor& cursor = *at.value();
    const Dim3 extent = builder.catalog()->launches[focus.launch.value].block;
    const auto warp = static_cast<uint32_t>(linearIndex(focus.thread, extent) / kWarpSize);
    const bool forward = direction == Direction::Forward;
    switch (unit) {
    case StepUnit::Event:
        return eventTarget(cursor, direction);
    case StepUnit::Access:
        return forward ? cursor.nextAccess(warp) : cursor.previousAccess(warp);
    case StepUnit::Line:
        return forward ? nextLineOrEnd(cursor, warp) : cursor.previousLine(warp);
    case StepUnit::Epoch:
        return forward ? cursor.nextEpoch() : cursor.previousEpoch();
    case StepUnit::Breakpoint:
        return breakpointTarget(builder, cursor, warp, direction, breakpoints);
    case StepUnit::End:
        return std::optional(forward ? cursor.stepCount() : 0);
    case StepUnit::Block:
    case StepUnit::CellWrite:
        break;
    }
    return std::optional<StepIndex>();
}

namespace {

Result<std::optional<replay::Focus>> cellWriteTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                     Direction direction)
{
    if (!focus.buffer)
        return std::optional<replay::Focus>();
    auto cursor = builder.cursorAt(focus);
    auto buffers = builder.session().buffersOf(focus.launch);
    if (!cursor || !buffers)
        return cursor ? buffers.error() : cursor.error();
    const auto buffer = std::find_if(buffers.value().begin(), buffers.value().end(),
                                     [&](const trace::Buffer& b) { return b.id == *focus.buffer; });
    if (buffer == buffers.value().end())
        return std::optional<replay::Focus>();
    constexpr size_t kMost = 1 << 20;
    const uint64_t size = std::max(1U, buffer->element.totalBytes());
    auto history = cursor.value()->history(buffer->id, focus.cell * size, size, kMost);
    if (!history)
        return history.error();
    std::optional<replay::Focus> found;
    for (const replay::CellAccess& access : history.value()) {
        const StepIndex after = access.step + 1;
        if (access.kind == trace::SiteKind::Load ||
            (direction == Direction::Forward ? after <= focus.step : after >= focus.step))
            continue;
        found = focus;
        found->step = after;
        found->thread = access.thread;
        if (direction == Direction::Forward)
            break;
    }
    return found;
}

}  // namespace

Result<std::optional<replay::Focus>> focusTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                                 Direction direction, const Breakpoints& breakpoints)
{
    if (unit == StepUnit::CellWrite)
        return cellWriteTarget(builder, focus, direction);
    replay::Focus next = focus;
    if (unit != StepUnit::Block) {
        auto target = stepTarget(builder, focus, unit, direction, breakpoints);
        if (!target)
            return target.error();
        next.step = target.value().value_or(focus.step);
        return target.value() ? std::optional(next) : std::nullopt;
    }
    auto blocks = builder.session().reader().blocks(focus.launch);
    if (!blocks)
        return blocks.error();
    const Dim3 grid = builder.catalog()->launches[focus.launch.value].grid;
    const BlockIndex here(linearIndex(focus.block, grid));
    const std::vector<BlockIndex>& all = blocks.value();
    const auto after = std::upper_bound(all.begin(), all.end(), here);
    const auto at = std::lower_bound(all.begin(), all.end(), here);
    const bool forward = direction == Direction::Forward;
    if (forward ? after == all.end() : at == all.begin())
        return std::optional<replay::Focus>();
    next.block = positionOf((forward ? *after : *std::prev(at)).value, grid);
    return std::optional(next);
}

Result<replay::Focus> openingView(SnapshotBuilder& builder)
{
    auto opening = builder.session().openingFocus();
    if (!opening)
        return opening;
    replay::Focus focus = opening.value();
    auto at = builder.cursorAt(focus);
    if (!at)
        return at.error();
    const Dim3 extent = builder.catalog()->launches[focus.launch.value].block;
    const auto warp = static_cast<uint32_t>(linearIndex(focus.thread, extent) / kWarpSize);
    const Dim3 middle{extent.x / 2, extent.y / 2, extent.z / 2};
    const uint64_t thread = linearIndex(middle, extent);
    if (thread / kWarpSize == warp && ((at.value()->warp(warp).active >> (thread % kWarpSize)) & 1) != 0)
        focus.thread = middle;
    if (const auto after = at.value()->nextLine(warp))
        focus.step = *after;
    return focus;
}

std::optional<StepUnit> stepUnitNamed(const std::string& name)
{
    if (name == "event")
        return StepUnit::Event;
    if (name == "access")
        return StepUnit::Access;
    if (name == "line")
        return StepUnit::Line;
    if (name == "epoch")
        return StepUnit::Epoch;
    if (name == "block")
        return StepUnit::Block;
    return std::nullopt;
}

}  // namespace lanescope::gui
