// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of the gallery's programs, kept from one start to the next: an example opens at once. The user's own
// programs are not kept: what they do may depend on files and arguments that nobody knows here.
#pragma once

#include <QString>

namespace lanescope::gui {

class RecordingCache {
public:
    /// \p gallery: folder of the examples; empty: nothing is kept. \p executable: what records.
    RecordingCache(QString gallery, QString executable);

    /// A recording of \p program as it is now, made by the executable as it is now; empty when there is none.
    [[nodiscard]] QString find(const QString& program) const;
    /// Keeps a copy of the finished recording \p trace.
    void keep(const QString& program, const QString& trace) const;
    /// Forgets a recording that find() named and that turned out to be no good.
    static void drop(const QString& trace);

private:
    /// Where a recording of \p program would be; empty for programs outside the gallery.
    [[nodiscard]] QString placeFor(const QString& program) const;

    QString m_gallery;
    QString m_executable;
};

}  // namespace lanescope::gui
