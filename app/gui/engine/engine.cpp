// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/engine/engine.h"

#include <algorithm>

namespace lanescope::gui {

Engine::Engine(QObject* parent) : QObject(parent), m_thread([this] { run(); }) {}

Engine::~Engine()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
        m_queue.clear();
    }
    m_wake.notify_one();
    m_thread.join();
}

uint64_t Engine::post(Kind kind, std::function<void()> work)
{
    const std::lock_guard lock(m_mutex);
    const auto replaced = [kind](const Job& job) {
        return kind == Kind::Open || (kind != Kind::Step && job.kind == kind) ||
               (kind == Kind::Move && job.kind == Kind::Step);
    };
    m_queue.erase(std::remove_if(m_queue.begin(), m_queue.end(), replaced), m_queue.end());
    m_queue.push_back({kind, ++m_lastTag, std::move(work)});
    m_wake.notify_one();
    return m_lastTag;
}

void Engine::run()
{
    while (true) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_stop || !m_queue.empty(); });
            if (m_stop)
                return;
            job = std::move(m_queue.front());
            m_queue.pop_front();
        }
        m_began = std::chrono::steady_clock::now();
        job.work();
        bool more = false;
        {
            const std::lock_guard lock(m_mutex);
            more = !m_queue.empty();
        }
        if (m_dirty && !more)
            answer(job.tag);
        m_began = std::chrono::steady_clock::time_point();
    }
}

std::chrono::milliseconds Engine::busyFor() const
{
    using namespace std::chrono;
    const steady_clock::time_point began = m_began;
    return began == steady_clock::time_point() ? 0ms : duration_cast<milliseconds>(steady_clock::now() - began);
}

void Engine::open(const QString& path, const QString& focus)
{
    post(Kind::Open, [this, p = path.toStdString(), f = focus.toStdString()] { openNow(p, f); });
}

uint64_t Engine::moveTo(const replay::Focus& focus)
{
    return post(Kind::Move, [this, focus] {
        m_focus = focus;
        m_hasFocus = m_dirty = m_builder != nullptr;
    });
}

uint64_t Engine::moveToText(const QString& text)
{
    return post(Kind::Move, [this, wanted = text.toStdString()] {
        if (!m_builder)
            return;
        auto focus = m_builder->session().parseFocus(wanted, m_focus);
        if (!focus)
            return report(focus.error());
        m_focus = focus.value();
        m_dirty = true;
    });
}

uint64_t Engine::moveToStop(const tour::Stop& stop)
{
    return post(Kind::Move, [this, stop] {
        if (!m_builder)
            return;
        auto place = tour::placeOf(m_builder->session(), stop);
        if (!place)
            return report(place.error());
        m_focus = place.value().focus;
        m_hasFocus = m_dirty = true;
        emit stopPlaced(place.value());
    });
}

uint64_t Engine::step(StepUnit unit, Direction direction)
{
    return post(Kind::Step, [this, unit, direction] {
        if (m_hasFocus)
            goTo(focusTarget(*m_builder, m_focus, unit, direction, m_stops),
                 refusalText(m_focus, unit, direction, m_stops));
    });
}

uint64_t Engine::runToLine(std::pair<uint32_t, uint32_t> line, Direction direction)
{
    return post(Kind::Step, [this, line, direction] {
        if (m_hasFocus)
            goTo(lineTarget(*m_builder, m_focus, line, direction),
                 direction == Direction::Forward
                     ? tr("The warp does not come to line %1 after this step.").arg(line.second)
                     : tr("The warp has not been at line %1 before this step.").arg(line.second));
    });
}

uint64_t Engine::stepVariable(VariableId variable, Direction direction)
{
    return post(Kind::Step, [this, variable, direction] {
        if (!m_hasFocus || variable.value >= m_builder->catalog()->variables.size())
            return;
        const QString name = QString::fromStdString(m_builder->catalog()->variables[variable.value].name);
        goTo(variableTarget(*m_builder, m_focus, variable, direction),
             direction == Direction::Forward ? tr("The thread does not set %1 after this step.").arg(name)
                                             : tr("The thread has not set %1 before this step.").arg(name));
    });
}

void Engine::refresh()
{
    post(Kind::Refresh, [this] { refreshNow(); });
}

void Engine::setOptions(const SnapshotOptions& options)
{
    post(Kind::Options, [this, options] {
        m_options = options;
        m_dirty = m_hasFocus;
    });
}

void Engine::setBreakpoints(const Breakpoints& lines)
{
    post(Kind::Stops, [this, lines] { m_stops.lines = lines; });
}

void Engine::setWatched(const std::set<WatchedCell>& cells, const std::set<VariableId>& variables)
{
    post(Kind::Watched, [this, cells, variables] {
        m_stops.cells = cells;
        m_stops.variables = variables;
    });
}

void Engine::adopt(const QString& path, uint64_t bytes, const KnownUses& uses)
{
    post(Kind::Adopt, [this, p = path.toStdString(), bytes, uses] {
        if (m_builder && m_path == p && m_builder->session().reader().fileBytes() == bytes)
            m_builder->analyses().adopt(uses);
    });
}

void Engine::openNow(const std::string& path, const std::string& focus)
{
    auto session = replay::Session::open(path);
    if (!session) {
        emit openFailed(QString::fromStdString(session.error().text()));
        return;
    }
    m_path = path;
    m_builder = std::make_unique<SnapshotBuilder>(std::move(session).value());
    m_focus = {};
    m_hasFocus = m_dirty = false;
    m_wantedFocus = focus;
    m_options.shownVariable.reset();
    emit opened(m_builder->catalog());
    emit catalogChanged(m_builder->catalog(), QString::fromStdString(m_builder->session().reader().output()));
    firstFocus();
}

/// Where to start; quietly nowhere while a growing trace has no block yet.
void Engine::firstFocus()
{
    auto focus = m_wantedFocus.empty() ? openingView(*m_builder) : m_builder->session().parseFocus(m_wantedFocus, {});
    if (!focus) {
        if (m_builder->catalog()->session.hasEnded())
            report(focus.error());
        return;
    }
    m_focus = focus.value();
    m_hasFocus = m_dirty = true;
}

void Engine::goTo(const Result<std::optional<replay::Focus>>& target, const QString& whyNot)
{
    if (!target)
        return report(target.error());
    if (!target.value()) {
        emit stepRefused(whyNot);
        return;
    }
    m_focus = *target.value();
    m_dirty = true;
}

void Engine::refreshNow()
{
    if (!m_builder)
        return;
    auto changed = m_builder->refresh();
    if (!changed)
        return report(changed.error());
    if (!changed.value())
        return;
    emit catalogChanged(m_builder->catalog(), QString::fromStdString(m_builder->session().reader().output()));
    if (m_hasFocus)
        m_dirty = true;
    else
        firstFocus();
}

void Engine::answer(uint64_t tag)
{
    m_dirty = false;
    auto built = m_builder->build(m_focus, m_options);
    if (!built) {
        m_hasFocus = m_builder->catalog()->session.hasEnded();
        return m_hasFocus ? report(built.error()) : void();
    }
    auto snapshot = std::make_shared<Snapshot>(*built.value());
    snapshot->tag = tag;
    m_focus = snapshot->focus;
    emit snapshotReady(snapshot);
}

void Engine::report(const Error& error)
{
    emit failed(QString::fromStdString(error.text()));
}

}  // namespace lanescope::gui
