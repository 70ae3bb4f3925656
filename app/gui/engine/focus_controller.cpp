// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/focus_controller.h"

#include <algorithm>
#include <tuple>

namespace lanescope::gui {

namespace {
constexpr size_t kHistoryLimit = 500;
}

FocusController::FocusController(Engine& engine, QObject* parent) : QObject(parent), m_engine(engine)
{
    connect(&engine, &Engine::snapshotReady, this, &FocusController::receive);
    connect(&engine, &Engine::opened, this, &FocusController::clear);
    connect(&engine, &Engine::stepRefused, this, &FocusController::refused);
}

QString FocusController::text() const
{
    return m_snapshot ? QString::fromStdString(replay::focusText(m_snapshot->focus)) : QString();
}

void FocusController::receive(const SnapshotPointer& snapshot)
{
    m_snapshot = snapshot;
    if (snapshot->tag >= m_pendingTag)
        m_pending = snapshot->focus;
    emit snapshotChanged(snapshot);
}

void FocusController::clear()
{
    m_snapshot.reset();
    m_pendingTag = 0;
    m_back.clear();
    m_forward.clear();
    emit historyChanged();
}

void FocusController::remember()
{
    if (!m_snapshot)
        return;
    m_back.push_back(m_snapshot->focus);
    if (m_back.size() > kHistoryLimit)
        m_back.erase(m_back.begin());
    m_forward.clear();
    emit historyChanged();
}

void FocusController::go(const replay::Focus& focus)
{
    if (m_snapshot && focus == m_snapshot->focus && focus == m_pending)
        return;
    remember();
    m_pending = focus;
    m_pendingTag = m_engine.moveTo(focus);
}

void FocusController::goToText(const QString& text)
{
    remember();
    m_pendingTag = m_engine.moveToText(text);
}

void FocusController::goToStop(const tour::Stop& stop)
{
    remember();
    m_pendingTag = m_engine.moveToStop(stop);
}

void FocusController::goToStep(StepIndex step)
{
    replay::Focus focus = pending();
    focus.step = step;
    go(focus);
}

void FocusController::goToThread(Dim3 thread)
{
    replay::Focus focus = pending();
    focus.thread = thread;
    go(focus);
}

void FocusController::goToBlock(Dim3 block)
{
    replay::Focus focus = pending();
    focus.block = block;
    go(focus);
}

void FocusController::selectCell(BufferId buffer, uint64_t element)
{
    replay::Focus focus = pending();
    focus.buffer = buffer;
    focus.cell = element;
    go(focus);
}

void FocusController::scrubTo(StepIndex step)
{
    if (!m_snapshot || pending().step == step)
        return;
    m_pending.step = step;
    m_pendingTag = m_engine.moveTo(m_pending);
}

void FocusController::goToFinding(Direction direction)
{
    if (!m_snapshot)
        return;
    const trace::Catalog& catalog = *m_snapshot->catalog;
    const bool onlyAdvice =
        std::all_of(catalog.findings.begin(), catalog.findings.end(),
                    [](const trace::Finding& finding) { return finding.severity == Severity::Advice; });
    const auto keyOf = [&](const replay::Focus& focus) {
        return std::tuple(focus.launch, linearIndex(focus.block, catalog.launches[focus.launch.value].grid),
                          focus.step);
    };
    std::vector<replay::Focus> places;
    for (const trace::Finding& finding : catalog.findings) {
        if (finding.accesses.empty() || finding.launch.value >= catalog.launches.size() ||
            (finding.severity == Severity::Advice && !onlyAdvice))
            continue;
        const trace::FindingAccess& side = finding.accesses.front();
        places.push_back({finding.launch, side.block, side.step + 1, side.thread, {}, 0});
    }
    if (places.empty()) {
        emit refused(catalog.session.hasEnded() ? tr("The recording has no finding with a place to go to.")
                                                : tr("Nothing was found so far."));
        return;
    }
    const auto before = [&](const replay::Focus& a, const replay::Focus& b) { return keyOf(a) < keyOf(b); };
    std::sort(places.begin(), places.end(), before);
    if (direction == Direction::Forward) {
        const auto next = std::upper_bound(places.begin(), places.end(), m_snapshot->focus, before);
        return go(next == places.end() ? places.front() : *next);
    }
    const auto here = std::lower_bound(places.begin(), places.end(), m_snapshot->focus, before);
    go(here == places.begin() ? places.back() : *std::prev(here));
}

void FocusController::step(StepUnit unit, Direction direction)
{
    if (m_snapshot)
        m_pendingTag = m_engine.step(unit, direction);
}

void FocusController::runToLine(SourceId source, uint32_t line, Direction direction)
{
    if (m_snapshot)
        m_pendingTag = m_engine.runToLine({source.value, line}, direction);
}

void FocusController::stepVariable(VariableId variable, Direction direction)
{
    if (m_snapshot)
        m_pendingTag = m_engine.stepVariable(variable, direction);
}

namespace {

/// \p count things in a row, from \p at on or back; none where they end.
std::optional<uint64_t> neighbour(uint64_t at, uint64_t count, uint64_t by, Direction direction)
{
    if (direction == Direction::Forward)
        return at + by < count ? std::optional(at + by) : std::nullopt;
    return at >= by ? std::optional(at - by) : std::nullopt;
}

QString noNeighbourText(Level level, Direction direction)
{
    const bool forward = direction == Direction::Forward;
    switch (level) {
    case Level::Lane:
        return forward ? FocusController::tr("This is the block's last thread.")
                       : FocusController::tr("This is the block's first thread.");
    case Level::Warp:
        return forward ? FocusController::tr("This is the block's last warp.")
                       : FocusController::tr("This is the block's first warp.");
    case Level::Launch:
        return forward ? FocusController::tr("This is the last launch.")
                       : FocusController::tr("This is the first launch.");
    case Level::Block:
        break;
    }
    return {};
}

}  // namespace

void FocusController::goToNext(Level level, Direction direction)
{
    if (!m_snapshot)
        return;
    if (level == Level::Block)
        return step(StepUnit::Block, direction);
    replay::Focus focus = pending();
    if (level == Level::Launch) {
        const auto launch = neighbour(focus.launch.value, m_snapshot->catalog->launches.size(), 1, direction);
        if (!launch)
            return emit refused(noNeighbourText(level, direction));
        return goToText(QStringLiteral("launch=%1 step=0").arg(*launch));
    }
    const Dim3 extent = m_snapshot->catalog->launches[focus.launch.value].block;
    const uint64_t thread = linearIndex(focus.thread, extent);
    const uint64_t from = level == Level::Lane ? thread : thread / kWarpSize * kWarpSize;
    const auto next = neighbour(from, extent.count(), level == Level::Lane ? 1 : kWarpSize, direction);
    if (!next)
        return emit refused(noNeighbourText(level, direction));
    // The same lane of the other warp, where it has one.
    const uint64_t lane = level == Level::Lane ? 0 : thread % kWarpSize;
    focus.thread = positionOf(std::min(*next + lane, extent.count() - 1), extent);
    go(focus);
}

void FocusController::travel(std::vector<replay::Focus>& from, std::vector<replay::Focus>& to)
{
    if (from.empty() || !m_snapshot)
        return;
    to.push_back(m_snapshot->focus);
    m_pending = from.back();
    from.pop_back();
    m_pendingTag = m_engine.moveTo(m_pending);
    emit historyChanged();
}

void FocusController::back()
{
    travel(m_back, m_forward);
}

void FocusController::forward()
{
    travel(m_forward, m_back);
}

}  // namespace lanescope::gui
