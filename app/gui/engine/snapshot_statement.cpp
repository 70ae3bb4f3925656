// SPDX-License-Identifier: GPL-3.0-or-later
// SnapshotBuilder: the statement just run, and the variables.
#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>
#include <set>
#include <sstream>

#include "app/gui/engine/snapshot_builder.h"
#include "app/gui/engine/value_format.h"
#include "core/replay/expression.h"

namespace lanescope::gui {

namespace {

constexpr StepIndex kSearchBack = 20'000;  // steps looked at when guessing which variable people want to see

bool belongsToStatement(trace::SiteKind kind)
{
    return kind != trace::SiteKind::Barrier && kind != trace::SiteKind::Exit && kind != trace::SiteKind::Call &&
           kind != trace::SiteKind::Return;
}

/// Whether lanes hold different values.
bool isMixed(const replay::VariableImage& image)
{
    const int first = image.written != 0 ? std::countr_zero(image.written) : 0;
    for (LaneMask rest = image.written; rest != 0; rest &= rest - 1)
        if (image.value[static_cast<size_t>(std::countr_zero(rest))] != image.value[static_cast<size_t>(first)])
            return true;
    return false;
}

bool isInScope(const trace::Variable& variable, const trace::SourceLocation& line)
{
    if (variable.scopeFirstLine == 0 || line.line == 0)
        return true;
    return line.line >= variable.scopeFirstLine && line.line <= variable.scopeLastLine;
}

}  // namespace

Result<std::vector<StepIndex>> SnapshotBuilder::statementSteps(const Snapshot& snapshot)
{
    std::vector<StepIndex> steps;
    const auto& previous = snapshot.focusedWarp().previous;
    if (!previous)
        return steps;
    auto summary = m_cursor->summary();
    if (!summary)
        return summary.error();
    const auto& all = *summary.value();
    const auto statementOf = [this](SiteId site) {
        const trace::SourceLocation& where = m_catalog->sites[site.value].where;
        return std::pair(where.source, statements(where.source).firstLine(where.line));
    };
    const auto wanted = statementOf(all[*previous].site);
    std::set<SiteId> seen;
    for (StepIndex step = *previous + 1; step-- > 0;) {
        const replay::StepSummary& event = all[step];
        if (event.warp != snapshot.warp)
            continue;
        const bool alone = !belongsToStatement(event.kind);
        if (statementOf(event.site) != wanted || (alone && !steps.empty()) || !seen.insert(event.site).second)
            break;
        steps.push_back(step);
        if (alone)
            break;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

Result<void> SnapshotBuilder::fillStatement(Snapshot& snapshot)
{
    auto steps = statementSteps(snapshot);
    if (!steps)
        return steps.error();
    const StepIndex here = m_cursor->step();
    for (StepIndex step : steps.value()) {
        auto event = m_cursor->event(step);
        if (!event)
            return event.error();
        StatementEvent one{step, std::move(event).value()};
        if (one.event.mask != 0 && !one.event.valuesKnown)
            deriveLoad(snapshot, one);
        snapshot.statement.push_back(std::move(one));
    }
    return m_cursor->seek(here);
}

/// Values that were not stored are known where the event runs: goes there, and stays.
void SnapshotBuilder::deriveLoad(const Snapshot& snapshot, StatementEvent& event)
{
    const bool hasValues = event.event.isAccess() || snapshot.site(event.event.site).variable.has_value();
    if (!hasValues || !m_cursor->seek(event.step))
        return;
    if (auto there = m_cursor->event(event.step); there)
        event.event = std::move(there).value();
}

/// As the source has it, lines joined; empty where nobody has the source.
std::string SnapshotBuilder::statementText(const Snapshot& snapshot)
{
    if (snapshot.statement.empty())
        return {};
    const trace::SourceLocation& where = snapshot.site(snapshot.statement.front().event.site).where;
    if (where.source.value >= m_catalog->sources.size() || where.line == 0)
        return {};
    const StatementMap& map = statements(where.source);
    std::istringstream source(m_catalog->sources[where.source.value].text);
    std::string text;
    std::string line;
    for (uint32_t number = 1; number <= map.lastLine(where.line) && std::getline(source, line); ++number)
        if (number >= map.firstLine(where.line))
            text += line + ' ';
    return text;
}

/// A trace has no event for a shuffle: what the call's arguments are worth in each lane says who reads whom.
Result<void> SnapshotBuilder::fillExchanges(Snapshot& snapshot)
{
    const std::string text = statementText(snapshot);
    const std::vector<ShuffleCall> shuffles = ShuffleCall::allIn(text);
    const std::optional<CollectiveCall> together = CollectiveCall::in(text);
    if (shuffles.empty() && !together)
        return {};
    const auto buffers = m_session->buffersOf(snapshot.focus.launch);
    if (!buffers)
        return buffers.error();
    // As the call saw it: what the statement set may be one of its own operands.
    const StepIndex here = m_cursor->step();
    if (auto before = m_cursor->seek(snapshot.statement.front().step); !before)
        return before.error();
    const auto number = [&](const std::string& operand, int lane) -> std::optional<int64_t> {
        const auto expression = replay::Expression::parse(operand);
        if (!expression)
            return std::nullopt;
        const auto value = expression.value().evaluate(
            {*m_cursor, *m_catalog, buffers.value(), snapshot.warp, static_cast<uint32_t>(lane)});
        if (!value)
            return std::nullopt;
        const auto* const bytes = reinterpret_cast<const std::byte*>(value.value().bytes.data());
        return static_cast<int64_t>(numberOf(value.value().type, bytes));
    };
    LaneMask active = 0;
    for (const StatementEvent& event : snapshot.statement)
        active |= event.event.mask;
    for (const ShuffleCall& shuffle : shuffles)
        for (const LaneArc& arc : arcsOf(shuffle, active, number))
            snapshot.exchanges.push_back(arc);
    if (together)
        snapshot.collective = collectiveOf(*together, active, number);
    return m_cursor->seek(here);
}

void SnapshotBuilder::fillVariables(Snapshot& snapshot)
{
    const replay::WarpImage& warp = snapshot.focusedWarp();
    for (const trace::Variable& variable : m_catalog->variables) {
        VariableView view{variable.id, m_cursor->variable(variable.id, snapshot.warp)};
        if (view.image.written == 0 && variable.function != snapshot.launch().kernel)
            continue;
        view.inScope = isInScope(variable, warp.nextLine);
        for (const StatementEvent& event : snapshot.statement)
            if (snapshot.site(event.event.site).variable == variable.id)
                view.changed |= event.event.mask;
        snapshot.variables.push_back(view);
    }
}

void SnapshotBuilder::chooseShown(Snapshot& snapshot, const SnapshotOptions& options)
{
    snapshot.shown = options.shownVariable ? options.shownVariable : likelyVariable(snapshot);
    if (!snapshot.shown || snapshot.shown->value >= m_catalog->variables.size())
        return;
    for (uint32_t warp = 0; warp < snapshot.warps.size(); ++warp)
        snapshot.shownPerWarp.push_back(m_cursor->variable(*snapshot.shown, warp));
}

/// What this statement writes; else the variable that this warp wrote last and whose lanes differ, or just the last.
std::optional<VariableId> SnapshotBuilder::likelyVariable(const Snapshot& snapshot)
{
    const auto isTelling = [&](VariableId id) {
        const trace::Variable& variable = m_catalog->variables[id.value];
        return !variable.isParameter && variable.type.kind != trace::ScalarKind::Pointer;
    };
    for (const StatementEvent& event : snapshot.statement | std::views::reverse)
        if (const auto id = snapshot.site(event.event.site).variable;
            id && event.event.kind == trace::SiteKind::VariableWrite && isTelling(*id))
            return id;
    auto summary = m_cursor->summary();
    if (!summary)
        return std::nullopt;
    const auto& all = *summary.value();
    std::optional<VariableId> latest;
    std::set<VariableId> seen;
    const StepIndex here = m_cursor->step();
    for (StepIndex step = here; step-- > here - std::min(here, kSearchBack);) {
        if (all[step].warp != snapshot.warp || all[step].kind != trace::SiteKind::VariableWrite)
            continue;
        const auto id = snapshot.site(all[step].site).variable;
        if (!id || !seen.insert(*id).second)
            continue;
        if (!isTelling(*id))
            continue;
        latest = latest ? latest : id;
        if (isMixed(m_cursor->variable(*id, snapshot.warp)))
            return id;
    }
    return latest;
}

}  // namespace lanescope::gui
