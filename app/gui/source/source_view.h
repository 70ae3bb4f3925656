// SPDX-License-Identifier: GPL-3.0-or-later
// The program's source on screen: QScintilla, read-only, with the next line, the expressions just run, the
// breakpoints and the accesses per line.
#pragma once

#include <Qsci/qsciscintilla.h>

#include "app/gui/engine/step_target.h"
#include "app/gui/source/source_painter.h"

namespace lanescope::gui {

class AccessBars;

class SourceView : public QsciScintilla {
    Q_OBJECT

public:
    explicit SourceView(QWidget* parent = nullptr);

    void setSnapshot(const SnapshotPointer& snapshot);
    /// Shows a program that has no trace yet.
    void showText(const QString& text);
    void setTheme(const Theme& theme);
    [[nodiscard]] const LineSet& breakpoints() const { return m_breakpoints; }
    [[nodiscard]] uint32_t nextLine() const { return m_marks.nextLine; }
    void toggleBreakpointAtCursor();

signals:
    void breakpointsChanged(const lanescope::gui::LineSet& lines);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showMarks();
    void toggleBreakpoint(int line);

    const Theme* m_theme;
    SnapshotPointer m_snapshot;
    const trace::Catalog* m_shownCatalog = nullptr;
    SourceMarks m_marks;
    LineSet m_breakpoints;
    AccessBars* m_bars;
};

}  // namespace lanescope::gui
