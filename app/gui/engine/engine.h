// SPDX-License-Identifier: GPL-3.0-or-later
// The engine thread: owns session and replay, takes tagged requests, answers with immutable snapshots that
// arrive on the thread of the Engine object. Widgets never lock and never wait.
#pragma once

#include <QObject>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "app/gui/engine/analysis_cache.h"
#include "app/gui/engine/step_target.h"
#include "core/tour/tour.h"

namespace lanescope::gui {

class Engine : public QObject {
    Q_OBJECT

public:
    explicit Engine(QObject* parent = nullptr);
    ~Engine() override;  ///< waits for the request in work

    /// Opens a trace; \p focus empty = Session::openingFocus. Answers opened() and snapshotReady(), or openFailed().
    /// Replaces whatever is queued.
    void open(const QString& path, const QString& focus);
    /// Goes to \p focus. A newer call replaces a queued one.
    uint64_t moveTo(const replay::Focus& focus);
    /// Parses \p text (the command's FOCUS) and goes there.
    uint64_t moveToText(const QString& text);
    /// Goes to a tour's stop; answers stopPlaced() as well.
    uint64_t moveToStop(const tour::Stop& stop);
    /// Steps from wherever the engine then is; queued steps all run, only the last is drawn.
    uint64_t step(StepUnit unit, Direction direction);
    /// To where the focused warp next, or last, comes to a line (source id, 1-based line).
    uint64_t runToLine(std::pair<uint32_t, uint32_t> line, Direction direction);
    /// To just after the focused thread's next or previous write of \p variable.
    uint64_t stepVariable(VariableId variable, Direction direction);
    /// Looks whether a growing trace has more.
    void refresh();
    void setOptions(const SnapshotOptions& options);
    void setBreakpoints(const Breakpoints& lines);
    /// Cells and variables at whose writes a run stops.
    void setWatched(const std::set<WatchedCell>& cells, const std::set<VariableId>& variables);

    /// What is known of uses in the trace at \p path when it had \p bytes; ignored where another one is open by now.
    void adopt(const QString& path, uint64_t bytes, const KnownUses& uses);

    /// How long the request under way has taken so far; 0: none is.
    [[nodiscard]] std::chrono::milliseconds busyFor() const;

signals:
    void opened(lanescope::gui::CatalogPointer catalog);
    void catalogChanged(lanescope::gui::CatalogPointer catalog, QString output);
    void snapshotReady(lanescope::gui::SnapshotPointer snapshot);
    void stopPlaced(lanescope::tour::Place place);
    /// No further step in that direction; \p why: for a person.
    void stepRefused(QString why);
    void openFailed(QString message);
    void failed(QString message);

private:
    enum class Kind : uint8_t { Open, Move, Step, Refresh, Options, Stops, Watched, Adopt };
    struct Job {
        Kind kind = Kind::Move;
        uint64_t tag = 0;
        std::function<void()> work;
    };

    uint64_t post(Kind kind, std::function<void()> work);
    void run();
    void openNow(const std::string& path, const std::string& focus);
    void goTo(const Result<std::optional<replay::Focus>>& target, const QString& whyNot);
    void refreshNow();
    void firstFocus();
    void answer(uint64_t tag);
    void report(const Error& error);

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Job> m_queue;
    uint64_t m_lastTag = 0;
    bool m_stop = false;
    std::atomic<std::chrono::steady_clock::time_point> m_began{};  ///< the request under way; the epoch: none

    // engine thread only
    std::string m_path;
    std::unique_ptr<SnapshotBuilder> m_builder;
    replay::Focus m_focus;
    bool m_hasFocus = false;
    bool m_dirty = false;
    std::string m_wantedFocus;
    SnapshotOptions m_options;
    Stops m_stops;

    std::thread m_thread;
};

}  // namespace lanescope::gui
