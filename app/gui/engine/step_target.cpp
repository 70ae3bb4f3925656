// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/step_target.h"

#include <algorithm>
#include <set>

#include <QObject>

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

/// Of all accesses of the cursor's block to one element; none where the launch has no such buffer.
Result<std::vector<replay::CellAccess>> accessesOf(SnapshotBuilder& builder, replay::BlockCursor& cursor,
                                                   const WatchedCell& cell)
{
    constexpr size_t kMost = 1 << 20;
    auto buffers = builder.session().buffersOf(cursor.launch());
    if (!buffers)
        return buffers.error();
    const auto buffer = std::find_if(buffers.value().begin(), buffers.value().end(),
                                     [&](const trace::Buffer& b) { return b.id == cell.buffer; });
    if (buffer == buffers.value().end())
        return std::vector<replay::CellAccess>();
    const uint64_t size = std::max(1U, buffer->element.totalBytes());
    return cursor.history(buffer->id, cell.element * size, size, kMost);
}

bool isWrite(const replay::CellAccess& access)
{
    return access.kind != trace::SiteKind::Load;
}

/// The focused thread's writes of a variable, by the step after each.
Result<std::set<StepIndex>> writesOf(SnapshotBuilder& builder, const replay::Focus& focus, VariableId variable)
{
    const trace::Launch& launch = builder.catalog()->launches[focus.launch.value];
    auto history = builder.analyses().variable(focus.launch, BlockIndex(linearIndex(focus.block, launch.grid)),
                                               linearIndex(focus.thread, launch.block), variable);
    if (!history)
        return history.error();
    std::set<StepIndex> steps;
    for (const analysis::VariableWrite& write : *history.value())
        steps.insert(write.step + 1);
    return steps;
}

/// Steps at which a run stops whatever its line, each with the thread to look at there.
Result<std::map<StepIndex, Dim3>> watchedSteps(SnapshotBuilder& builder, replay::BlockCursor& cursor,
                                               const replay::Focus& focus, const Stops& stops)
{
    std::map<StepIndex, Dim3> steps;
    for (const StepIndex step : findingSteps(*builder.catalog(), cursor))
        steps.emplace(step, focus.thread);
    for (const VariableId variable : stops.variables) {
        auto writes = writesOf(builder, focus, variable);
        if (!writes)
            return writes.error();
        for (const StepIndex step : writes.value())
            steps.emplace(step, focus.thread);
    }
    for (const WatchedCell& cell : stops.cells) {
        auto accesses = accessesOf(builder, cursor, cell);
        if (!accesses)
            return accesses.error();
        for (const replay::CellAccess& access : accesses.value())
            if (isWrite(access))
                steps.emplace(access.step + 1, access.thread);
    }
    return steps;
}

Result<std::optional<replay::Focus>> stopTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                Direction direction, const Stops& stops)
{
    auto at = builder.cursorAt(focus);
    if (!at)
        return at.error();
    replay::BlockCursor& cursor = *at.value();
    auto summary = cursor.summary();
    auto buffers = builder.session().buffersOf(cursor.launch());
    auto watched = watchedSteps(builder, cursor, focus, stops);
    if (!summary || !buffers || !watched)
        return !summary ? summary.error() : !buffers ? buffers.error() : watched.error();
    const auto& all = *summary.value();
    const Dim3 extent = builder.catalog()->launches[focus.launch.value].block;
    const auto warp = static_cast<uint32_t>(linearIndex(focus.thread, extent) / kWarpSize);
    const auto isOnLine = [&](StepIndex step) {
        const trace::SourceLocation& where = builder.catalog()->sites[all[step].site.value].where;
        const auto breakpoint = stops.lines.find({where.source.value, where.line});
        if (all[step].warp != warp || breakpoint == stops.lines.end())
            return false;
        // Values are looked up where the breakpoint would stop.
        return breakpoint->second.isEmpty() ||
               (cursor.seek(step).ok() &&
                breakpoint->second.holds(cursor, *builder.catalog(), buffers.value(), warp, all[step].mask));
    };
    const auto stopAt = [&](StepIndex step) -> std::optional<replay::Focus> {
        const auto found = watched.value().find(step);
        if (found == watched.value().end() && (step >= all.size() || !isOnLine(step)))
            return std::nullopt;
        replay::Focus stop = focus;
        stop.step = step;
        stop.thread = found == watched.value().end() ? focus.thread : found->second;
        return stop;
    };
    const StepIndex here = cursor.step();
    if (direction == Direction::Forward) {
        for (StepIndex step = here + 1; step <= all.size(); ++step)
            if (auto stop = stopAt(step))
                return stop;
    } else {
        for (StepIndex step = here; step-- > 0;)
            if (auto stop = stopAt(step))
                return stop;
    }
    return std::optional<replay::Focus>();
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
                                            Direction direction, const Stops& stops)
{
    if (unit == StepUnit::Breakpoint) {
        auto stop = stopTarget(builder, focus, direction, stops);
        if (!stop)
            return stop.error();
        return stop.value() ? std::optional(stop.value()->step) : std::nullopt;
    }
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
    case StepUnit::End:
        return std::optional(forward ? cursor.stepCount() : 0);
    case StepUnit::Breakpoint:
    case StepUnit::Block:
    case StepUnit::CellWrite:
    case StepUnit::CellRead:
        break;
    }
    return std::optional<StepIndex>();
}

namespace {

Result<std::optional<replay::Focus>> cellTarget(SnapshotBuilder& builder, const replay::Focus& focus, StepUnit unit,
                                                Direction direction)
{
    if (!focus.buffer)
        return std::optional<replay::Focus>();
    auto cursor = builder.cursorAt(focus);
    if (!cursor)
        return cursor.error();
    auto history = accessesOf(builder, *cursor.value(), {*focus.buffer, focus.cell});
    if (!history)
        return history.error();
    std::optional<replay::Focus> found;
    for (const replay::CellAccess& access : history.value()) {
        const StepIndex after = access.step + 1;
        const bool isWanted = unit == StepUnit::CellWrite ? isWrite(access) : access.kind != trace::SiteKind::Store;
        if (!isWanted || (direction == Direction::Forward ? after <= focus.step : after >= focus.step))
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
                                                 Direction direction, const Stops& stops)
{
    if (unit == StepUnit::CellWrite || unit == StepUnit::CellRead)
        return cellTarget(builder, focus, unit, direction);
    if (unit == StepUnit::Breakpoint)
        return stopTarget(builder, focus, direction, stops);
    replay::Focus next = focus;
    if (unit != StepUnit::Block) {
        auto target = stepTarget(builder, focus, unit, direction, stops);
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

Result<std::optional<replay::Focus>> lineTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                std::pair<uint32_t, uint32_t> line, Direction direction)
{
    auto at = builder.cursorAt(focus);
    if (!at)
        return at.error();
    replay::BlockCursor& cursor = *at.value();
    auto summary = cursor.summary();
    if (!summary)
        return summary.error();
    const auto& all = *summary.value();
    const Dim3 extent = builder.catalog()->launches[focus.launch.value].block;
    const auto warp = static_cast<uint32_t>(linearIndex(focus.thread, extent) / kWarpSize);
    const auto isOnLine = [&](StepIndex step) {
        const trace::SourceLocation& where = builder.catalog()->sites[all[step].site.value].where;
        return all[step].warp == warp && std::pair(where.source.value, where.line) == line;
    };
    replay::Focus target = focus;
    if (direction == Direction::Forward) {
        // What is left of the statement that is next does not count: one wants to come here again.
        for (target.step = cursor.nextLine(warp).value_or(all.size()); target.step < all.size(); ++target.step)
            if (isOnLine(target.step))
                return std::optional(target);
        return std::optional<replay::Focus>();
    }
    StepIndex step = cursor.step();
    while (step > 0 && !isOnLine(step - 1))
        --step;
    // To the beginning of that statement.
    while (step > 0 && (all[step - 1].warp != warp || isOnLine(step - 1)))
        --step;
    while (step < all.size() && !isOnLine(step))
        ++step;
    target.step = step;
    return step < cursor.step() ? std::optional(target) : std::nullopt;
}

Result<std::optional<replay::Focus>> variableTarget(SnapshotBuilder& builder, const replay::Focus& focus,
                                                    VariableId variable, Direction direction)
{
    auto writes = writesOf(builder, focus, variable);
    if (!writes)
        return writes.error();
    replay::Focus target = focus;
    if (direction == Direction::Forward) {
        const auto next = writes.value().upper_bound(focus.step);
        target.step = next == writes.value().end() ? focus.step : *next;
    } else {
        const auto here = writes.value().lower_bound(focus.step);
        target.step = here == writes.value().begin() ? focus.step : *std::prev(here);
    }
    return target.step == focus.step ? std::nullopt : std::optional(target);
}

QString refusalText(const replay::Focus& focus, StepUnit unit, Direction direction, const Stops& stops)
{
    const bool forward = direction == Direction::Forward;
    switch (unit) {
    case StepUnit::Event:
    case StepUnit::End:
        return forward ? QObject::tr("This is the end of the block.") : QObject::tr("This is the start of the block.");
    case StepUnit::Access:
        return forward ? QObject::tr("The warp accesses no memory after this step.")
                       : QObject::tr("The warp accesses no memory before this step.");
    case StepUnit::Line:
        return forward ? QObject::tr("The warp has run its last line in this block.")
                       : QObject::tr("The warp has run no line before this step.");
    case StepUnit::Epoch:
        return forward ? QObject::tr("No barrier completes after this step.")
                       : QObject::tr("No barrier completes before this step.");
    case StepUnit::Breakpoint:
        if (stops.isEmpty())
            return QObject::tr("There is no breakpoint: F9 sets one. No finding lies %1 in this block.")
                .arg(forward ? QObject::tr("ahead") : QObject::tr("behind"));
        return forward ? QObject::tr("Neither a breakpoint nor a finding lies ahead in this block.")
                       : QObject::tr("Neither a breakpoint nor a finding lies behind in this block.");
    case StepUnit::Block:
        return forward ? QObject::tr("This is the last recorded block.")
                       : QObject::tr("This is the first recorded block.");
    case StepUnit::CellWrite:
    case StepUnit::CellRead:
        break;
    }
    if (!focus.buffer)
        return QObject::tr("No cell is selected: click one on the stage.");
    if (unit == StepUnit::CellWrite)
        return forward ? QObject::tr("This block does not write the cell after this step.")
                       : QObject::tr("This block has not written the cell before this step.");
    return forward ? QObject::tr("This block does not read the cell after this step.")
                   : QObject::tr("This block has not read the cell before this step.");
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
