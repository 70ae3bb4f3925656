// SPDX-License-Identifier: GPL-3.0-or-later
// Which of a job's ranks the window shows: each has a trace of its own.
#pragma once

#include <QComboBox>
#include <QStringList>

class QAction;

namespace lanescope::gui {

class RankChoice : public QComboBox {
    Q_OBJECT

public:
    explicit RankChoice(QWidget* parent = nullptr);

    /// In the order given, the first one chosen. A trace at a time is read for its rank and findings, so that nobody
    /// waits. Nothing is shown for one trace alone.
    void setTraces(const QStringList& traces);
    [[nodiscard]] const QStringList& traces() const { return m_traces; }
    /// Chooses the one before or after, if there is one.
    void turn(int by);
    /// In the toolbar, where it is only when there is something to choose.
    void setPlace(QAction* action) { m_place = action; }

signals:
    void traceChosen(const QString& trace);

private:
    void nameOne();

    QStringList m_traces;
    int m_unnamed = 0;  ///< the first trace that has not been read
    QAction* m_place = nullptr;
};

}  // namespace lanescope::gui
