// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/variable_story_model.h"

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

std::vector<VariableStoryModel::Row> VariableStoryModel::rowsOf(const Snapshot& snapshot) const
{
    constexpr auto kEarlier = 2;
    if (!snapshot.shown || !snapshot.variableHistory)
        return {};
    const analysis::VariableHistory& all = *snapshot.variableHistory;
    const auto next = std::partition_point(
        all.begin(), all.end(), [&](const analysis::VariableWrite& write) { return write.step < snapshot.focus.step; });
    std::vector<Row> rows;
    for (auto back = 1; back <= kEarlier + 1 && std::distance(all.begin(), next) >= back; ++back)
        rows.push_back({back == 1 ? tr("now") : tr("before"), &*std::prev(next, back)});
    if (next != all.end())
        rows.push_back({tr("next"), &*next});
    return rows;
}

void VariableStoryModel::setSnapshot(const SnapshotPointer& snapshot)
{
    std::vector<Row> rows = snapshot ? rowsOf(*snapshot) : std::vector<Row>();
    const bool sameCount = rows.size() == m_rows.size();
    if (!sameCount)
        beginResetModel();
    m_snapshot = snapshot;
    m_rows = std::move(rows);
    if (!sameCount)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void VariableStoryModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

QString VariableStoryModel::title() const
{
    if (m_rows.empty())
        return {};
    const QString name = QString::fromStdString(m_snapshot->catalog->variables[m_snapshot->shown->value].name);
    const size_t times = m_snapshot->variableHistory->size();
    return times == 1 ? tr("%1, set once").arg(name) : tr("%1, set %2 times").arg(name).arg(times);
}

std::optional<StepIndex> VariableStoryModel::stepAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return std::nullopt;
    return m_rows[static_cast<size_t>(row)].write->step + 1;
}

int VariableStoryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int VariableStoryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

/// "288 ← a_shared[1][0], b_shared[0][1]"; \p whole: "288 ← a_shared[1][0], b_shared[0][1] · step 19, line 27".
QString VariableStoryModel::textOf(const Row& row, bool whole) const
{
    const Snapshot& snapshot = *m_snapshot;
    const trace::Variable& variable = snapshot.catalog->variables[snapshot.shown->value];
    const analysis::VariableWrite& write = *row.write;
    const QString value = write.known ? variableText(snapshot, variable, write.value.data()) : QString();
    QStringList sources;
    for (const analysis::VariableRead& read : write.reads)
        if (const auto at = snapshot.indexOf(read.buffer)) {
            const trace::Buffer& buffer = snapshot.buffers[*at].buffer;
            const QString name = cellName(buffer, read.offset / buffer.element.totalBytes());
            if (!sources.contains(name))
                sources << name;
        }
    QStringList parts;
    if (!value.isEmpty())
        parts << value;
    if (!sources.isEmpty())
        parts << QStringLiteral("← ") + sources.join(QStringLiteral(", "));
    const QString line = tr("line %1").arg(snapshot.site(write.site).where.line);
    if (whole)
        parts << tr("· step %1, %2").arg(write.step + 1).arg(line);
    else if (sources.isEmpty())
        parts << (parts.isEmpty() ? line : QStringLiteral("· ") + line);
    return parts.join(QLatin1Char(' '));
}

QVariant VariableStoryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    const bool when = index.column() == When;
    switch (role) {
    case Qt::DisplayRole:
        return when ? row.label : textOf(row, false);
    case Qt::ToolTipRole:
        return textOf(row, true) + tr("\nClick: go there");
    case Qt::ForegroundRole:
        return when ? m_theme->dim : m_theme->text;
    case Qt::FontRole:
        return when ? m_theme->sans(12.5) : m_theme->mono(12);
    default:
        return {};
    }
}

}  // namespace lanescope::gui
