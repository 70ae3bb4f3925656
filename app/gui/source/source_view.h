// SPDX-License-Identifier: GPL-3.0-or-later
// The program's source on screen: QScintilla, read-only unless it is edited, with the next line, the expressions just
// run, the breakpoints and the accesses per line.
#pragma once

#include <Qsci/qsciscintilla.h>

#include "app/gui/engine/menu_place.h"
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
    /// Lets the user change the text; until then, and once it is saved, it is what was recorded.
    void setEditing(bool on);
    [[nodiscard]] bool isEdited() const { return !isReadOnly() && isModified(); }
    /// Puts compiler messages ("file:3:5: error: …") under their lines; an empty text takes them away.
    void showDiagnostics(const QString& text);
    [[nodiscard]] const Breakpoints& breakpoints() const { return m_breakpoints; }
    /// Conditions as typed, of those that have one.
    [[nodiscard]] const std::map<std::pair<uint32_t, uint32_t>, QString>& conditions() const { return m_conditions; }
    void removeBreakpoint(std::pair<uint32_t, uint32_t> line);
    /// One that is disabled stays, and stops no run.
    void enableBreakpoint(std::pair<uint32_t, uint32_t> line, bool on);
    [[nodiscard]] Breakpoints enabledBreakpoints() const;
    [[nodiscard]] const std::set<std::pair<uint32_t, uint32_t>>& disabledLines() const { return m_disabled; }
    [[nodiscard]] uint32_t nextLine() const { return m_marks.nextLine; }
    [[nodiscard]] SourceId source() const { return m_marks.source; }
    /// 1-based; that of the click before, else the next one to run.
    [[nodiscard]] uint32_t chosenLine() const;
    void toggleBreakpointAtCursor();
    /// Selects the next place of \p text after, or before, what is selected, around the end; false: there is none.
    bool find(const QString& text, Direction direction);
    /// Scrolls to a line of the source that is shown.
    void reveal(uint32_t line);
    /// Into the text at the beginning of a line, in the middle of what is seen.
    void putCursor(uint32_t line);
    /// What the focused thread has in the variable of that name, and the range of its warp; empty when there is none.
    [[nodiscard]] QString valueOf(const QString& word) const;
    [[nodiscard]] QString layoutOf(const QString& word) const;
    /// Sets one with \p condition, or changes the one that is there; an empty condition always stops.
    Result<void> setBreakpoint(uint32_t line, const QString& condition);

signals:
    void breakpointsChanged(const lanescope::gui::Breakpoints& breakpoints);
    void runToLineWanted(lanescope::SourceId source, uint32_t line, lanescope::gui::Direction direction);
    /// A menu opens on \p place; who knows more that can be done there adds it.
    void menuWanted(QMenu* menu, const lanescope::gui::MenuPlace& place);

protected:
    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    /// Letters, papers and colours of the text, after the theme and the language.
    void dressText();
    void setLanguage(SourceLanguage language);
    void showMarks();
    void showMarksInstead(const SourceMarks& before);
    void revealNextLine();
    void fitNumbers();
    void fitType();
    void placeBars();
    [[nodiscard]] const VariableView* variableNamed(const QString& word) const;
    void showValueAt(QPoint point, QPoint onScreen);
    void toggleBreakpoint(int line);
    void markBreakpoint(std::pair<uint32_t, uint32_t> line);
    void askForCondition(int line);

    const Theme* m_theme;
    SourceLanguage m_language = SourceLanguage::Cuda;
    SnapshotPointer m_snapshot;
    const trace::Catalog* m_shownCatalog = nullptr;
    SourceMarks m_marks;
    Breakpoints m_breakpoints;
    std::map<std::pair<uint32_t, uint32_t>, QString> m_conditions;  ///< as typed
    std::set<std::pair<uint32_t, uint32_t>> m_disabled;
    AccessBars* m_bars;
};

}  // namespace lanescope::gui
