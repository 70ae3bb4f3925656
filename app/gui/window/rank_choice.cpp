// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/rank_choice.h"

#include <QAction>
#include <QFileInfo>
#include <QTimer>

#include "core/findings/findings_of.h"
#include "core/trace/reader.h"

namespace lanescope::gui {

namespace {

/// "rank 3 of 8 · 2 findings"
QString nameOf(const QString& path)
{
    const Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path.toStdString());
    if (!reader)
        return RankChoice::tr("%1: unreadable").arg(QFileInfo(path).completeBaseName());
    const trace::Catalog& catalog = reader.value()->catalog();
    const std::optional<trace::ProcessRank>& rank = catalog.session.rank;
    const QString name = !rank           ? QFileInfo(path).completeBaseName()
                         : rank->of == 0 ? RankChoice::tr("rank %1").arg(rank->rank)
                                         : RankChoice::tr("rank %1 of %2").arg(rank->rank).arg(rank->of);
    const size_t findings = findings::toldOnce(catalog.findings).size();
    return findings == 0   ? name
           : findings == 1 ? RankChoice::tr("%1 · 1 finding").arg(name)
                           : RankChoice::tr("%1 · %2 findings").arg(name).arg(findings);
}

}  // namespace

RankChoice::RankChoice(QWidget* parent) : QComboBox(parent)
{
    setAccessibleName(tr("Rank"));
    setToolTip(tr("Which process of the job is shown (Alt+PgUp, Alt+PgDown)"));
    setFocusPolicy(Qt::TabFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(this, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0)
            emit traceChosen(m_traces[index]);
    });
}

void RankChoice::setTraces(const QStringList& traces)
{
    const QSignalBlocker quiet(this);
    m_traces = traces;
    m_unnamed = 0;
    clear();
    for (const QString& trace : traces)
        addItem(QFileInfo(trace).completeBaseName());
    if (m_place)
        m_place->setVisible(traces.size() > 1);
    if (traces.size() > 1)
        QTimer::singleShot(0, this, &RankChoice::nameOne);
}

void RankChoice::turn(int by)
{
    if (const int index = currentIndex() + by; count() > 1 && index >= 0 && index < count())
        setCurrentIndex(index);
}

void RankChoice::nameOne()
{
    if (m_unnamed >= m_traces.size())
        return;
    setItemText(m_unnamed, nameOf(m_traces[m_unnamed]));
    ++m_unnamed;
    QTimer::singleShot(0, this, &RankChoice::nameOne);
}

}  // namespace lanescope::gui
