// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/view_worker.h"

#include <cstdlib>  // says which C library it is
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace lanescope::gui {

ViewWorker::ViewWorker(QObject* parent) : QObject(parent)
{
    qRegisterMetaType<ViewDataPointer>();
    qRegisterMetaType<KnownUses>();
    qRegisterMetaType<const View*>();
    m_thread = std::thread([this] { run(); });
}

ViewWorker::~ViewWorker()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

void ViewWorker::open(const QString& path)
{
    const std::lock_guard lock(m_mutex);
    m_path = path.toStdString();
    m_stale = true;
    m_requests.clear();
    m_anticipated.reset();
    m_lastAnticipated.reset();
}

void ViewWorker::refresh()
{
    const std::lock_guard lock(m_mutex);
    m_stale = true;
    m_lastAnticipated.reset();
}

void ViewWorker::request(const View* view, const SnapshotPointer& snapshot, const ViewSettings& settings)
{
    {
        const std::lock_guard lock(m_mutex);
        m_requests[view] = {snapshot, settings};
    }
    m_wake.notify_one();
}

void ViewWorker::anticipate(LaunchId launch, BlockIndex block)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_lastAnticipated == launch)
            return;
        m_lastAnticipated = launch;
        m_anticipated = {launch, block};
        m_pauses = true;
    }
    m_wake.notify_one();
}

bool ViewWorker::wait(std::unique_lock<std::mutex>& lock)
{
    constexpr std::chrono::milliseconds kPause(300);  // in which the views that show are asked for
    const auto hasWork = [this] { return m_stop || !m_requests.empty(); };
    m_wake.wait(lock, [&] { return hasWork() || m_anticipated; });
    if (!hasWork() && std::exchange(m_pauses, false))
        m_wake.wait_for(lock, kPause, hasWork);
    return !m_stop;
}

namespace {

/// Of a launch of many blocks analyses take some hundred MB for a while, in small pieces, which the allocator keeps.
void giveMemoryBack()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace

void ViewWorker::anticipateNext(const std::string& path, bool stale)
{
    std::optional<std::pair<LaunchId, BlockIndex>> wanted;
    {
        const std::lock_guard lock(m_mutex);
        wanted = m_anticipated;
        if (!std::exchange(m_anticipates, true))
            m_began = std::chrono::steady_clock::now();
    }
    prepare(path, stale);
    if (wanted && m_session && m_cache->anticipate(wanted->first, wanted->second)) {
        if (const auto uses = m_cache->takeUses())
            emit usesKnown(QString::fromStdString(m_openPath), m_session->reader().fileBytes(), *uses);
        return;  // there is more
    }
    giveMemoryBack();
    const std::lock_guard lock(m_mutex);
    m_anticipates = false;
    if (wanted && m_anticipated == wanted)
        m_anticipated.reset();
}

void ViewWorker::run()
{
    while (true) {
        const View* view = nullptr;
        Request request;
        std::string path;
        bool stale = false;
        {
            std::unique_lock lock(m_mutex);
            if (!wait(lock))
                return;
            if (m_requests.empty()) {
                path = m_path;
                stale = std::exchange(m_stale, false);
                lock.unlock();
                anticipateNext(path, stale);
                continue;
            }
            view = m_requests.begin()->first;
            request = std::move(m_requests.begin()->second);
            m_requests.erase(m_requests.begin());
            path = m_path;
            stale = std::exchange(m_stale, false);
            m_computed = view;
            m_anticipates = false;
            m_began = std::chrono::steady_clock::now();
        }
        prepare(path, stale);
        answer(view, request);
        const std::lock_guard lock(m_mutex);
        m_computed = nullptr;
    }
}

std::pair<const View*, std::chrono::milliseconds> ViewWorker::busyWith()
{
    using namespace std::chrono;
    const std::lock_guard lock(m_mutex);
    return {m_computed, duration_cast<milliseconds>(steady_clock::now() - m_began)};
}

std::optional<std::chrono::milliseconds> ViewWorker::anticipatesFor()
{
    using namespace std::chrono;
    const std::lock_guard lock(m_mutex);
    return m_anticipates ? std::optional(duration_cast<milliseconds>(steady_clock::now() - m_began)) : std::nullopt;
}

void ViewWorker::prepare(const std::string& path, bool stale)
{
    if (m_session && m_openPath == path && !stale)
        return;
    if (m_session && m_openPath == path) {
        // A reader that cannot be refreshed is opened anew below.
        if (const auto changed = m_session->refresh(); changed) {
            if (changed.value())
                m_cache->forget();
            return;
        }
    }
    m_cache.reset();
    m_session.reset();
    auto session = replay::Session::open(path);
    if (!session)
        return;
    m_session = std::move(session).value();
    m_cache = std::make_unique<AnalysisCache>(*m_session);
    m_openPath = path;
}

void ViewWorker::answer(const View* view, const Request& request)
{
    // A request about a trace that this reader does not have yet: the window asks again with its next snapshot.
    if (!m_session || request.snapshot->focus.launch.value >= m_session->catalog().launches.size())
        return emit failed(view, tr("The trace cannot be read yet."));
    auto data = view->compute(*m_cache, *request.snapshot, request.settings);
    if (!data)
        return emit failed(view, QString::fromStdString(data.error().text()));
    emit ready(view, data.value());
}

}  // namespace lanescope::gui
