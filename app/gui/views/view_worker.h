// SPDX-License-Identifier: GPL-3.0-or-later
// Computes what the views show, on a thread and a trace reader of its own, so that stepping never waits for it.
#pragma once

#include <QObject>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "app/gui/views/view.h"

namespace lanescope::gui {

class ViewWorker : public QObject {
    Q_OBJECT

public:
    explicit ViewWorker(QObject* parent = nullptr);
    ~ViewWorker() override;  ///< waits for the computation under way

    /// The trace that later requests are about.
    void open(const QString& path);
    /// The trace has grown: what is known of it is computed anew when it is asked for again.
    void refresh();
    /// Answers ready() or failed(); replaces an unanswered request for the same view.
    void request(const View* view, const SnapshotPointer& snapshot, const ViewSettings& settings);

    /// The launch that is looked at: while nobody asks for anything, the worker computes what is likely to be asked
    /// for.
    void anticipate(LaunchId launch, BlockIndex block);

    /// The view that is computed now, and for how long; null: none is.
    [[nodiscard]] std::pair<const View*, std::chrono::milliseconds> busyWith();
    /// For how long it has been computing what nobody has asked for yet; none: it is not.
    [[nodiscard]] std::optional<std::chrono::milliseconds> anticipatesFor();

signals:
    void ready(const lanescope::gui::View* view, lanescope::gui::ViewDataPointer data);
    void failed(const lanescope::gui::View* view, QString message);
    /// Found while nobody asked for anything, in the trace at \p path when it had \p bytes.
    void usesKnown(QString path, quint64 bytes, lanescope::gui::KnownUses uses);

private:
    struct Request {
        SnapshotPointer snapshot;
        ViewSettings settings;
    };

    /// A request to answer, or a launch to anticipate; false: to stop.
    bool wait(std::unique_lock<std::mutex>& lock);
    void run();
    void anticipateNext(const std::string& path, bool stale);
    void prepare(const std::string& path, bool stale);
    void answer(const View* view, const Request& request);

    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::map<const View*, Request> m_requests;
    std::string m_path;
    /// Of which there may be something left to compute.
    std::optional<std::pair<LaunchId, BlockIndex>> m_anticipated;
    std::optional<LaunchId> m_lastAnticipated;
    bool m_pauses = false;  ///< before it begins with a launch
    bool m_stale = false;
    bool m_stop = false;
    const View* m_computed = nullptr;
    bool m_anticipates = false;
    std::chrono::steady_clock::time_point m_began;  ///< with either

    // worker thread only
    std::string m_openPath;
    std::unique_ptr<replay::Session> m_session;
    std::unique_ptr<AnalysisCache> m_cache;

    std::thread m_thread;
};

}  // namespace lanescope::gui
