// SPDX-License-Identifier: GPL-3.0-or-later
// Small pictures of the gallery's programs, drawn from recordings of them, one after the other in child processes, and
// kept from one start to the next.
#pragma once

#include <QObject>
#include <QPixmap>
#include <QProcess>
#include <QTemporaryDir>

#include <deque>
#include <map>
#include <tuple>

#include "app/gui/window/recording_cache.h"

namespace lanescope::gui {

/// What a thumbnail shows.
struct ThumbnailOf {
    QString program;    ///< path
    bool tour = false;  ///< the first stop of the program's tour; else where its recording opens

    friend bool operator==(const ThumbnailOf&, const ThumbnailOf&) = default;
    friend bool operator<(const ThumbnailOf& a, const ThumbnailOf& b)
    {
        return std::tie(a.program, a.tour) < std::tie(b.program, b.tour);
    }
};

class Thumbnails : public QObject {
    Q_OBJECT

public:
    static constexpr QSize kSize{400, 250};  ///< pixels

    /// \p executable: path of the lanescope binary. \p recordings must outlive it.
    /// \p folder: for its files, which goes with the window.
    Thumbnails(QString executable, const RecordingCache& recordings, const QString& folder, QObject* parent = nullptr);
    ~Thumbnails() override;

    /// Null until ready() names it; asks for it.
    [[nodiscard]] QPixmap of(const ThumbnailOf& what);
    void setTheme(const QString& name);
    /// Draws what was asked for, or leaves it for later.
    void setRunning(bool on);

signals:
    void ready(const lanescope::gui::ThumbnailOf& what);

private:
    [[nodiscard]] QString placeOf(const ThumbnailOf& what) const;
    void next();
    void record();
    void draw(const QString& trace);
    void end();

    QString m_executable;
    const RecordingCache& m_recordings;
    QString m_theme;
    QTemporaryDir m_folder;
    QProcess m_process;
    bool m_isRunning = false;
    bool m_isDrawing = false;  ///< the process draws; else it records
    QString m_trace;           ///< that is being recorded
    std::deque<ThumbnailOf> m_waiting;
    std::map<ThumbnailOf, QPixmap> m_pictures;
};

}  // namespace lanescope::gui
