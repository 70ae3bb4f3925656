// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/frames_model.h"

#include <QFileInfo>

namespace lanescope::gui {

void FramesModel::setStack(const SnapshotPointer& snapshot, const analysis::CallStack& stack)
{
    beginResetModel();
    m_snapshot = snapshot;
    m_stack = stack;
    endResetModel();
}

void FramesModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

std::optional<trace::SourceLocation> FramesModel::placeAt(int row) const
{
    if (row < 0 || row >= rowCount() || m_stack.frames[static_cast<size_t>(row)].at.empty())
        return std::nullopt;
    return m_stack.frames[static_cast<size_t>(row)].at.front();
}

int FramesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_snapshot || m_stack.frames.size() < 2 ? 0 : static_cast<int>(m_stack.frames.size());
}

int FramesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

/// "line 12"; "line 12 or 17"; with its file where that is another one than the kernel's.
QString FramesModel::whereText(const analysis::CallFrame& frame) const
{
    QStringList lines;
    for (const trace::SourceLocation& at : frame.at)
        if (const QString line = QString::number(at.line); !lines.contains(line))
            lines << line;
    if (lines.isEmpty())
        return {};
    const SourceId own = m_snapshot->launch().where.source;
    const SourceId source = frame.at.front().source;
    const QString text = tr("line %1").arg(lines.join(tr(" or ")));
    return source == m_stack.frames.back().at.front().source || source == own
               ? text
               : QStringLiteral("%1, %2").arg(
                     QFileInfo(QString::fromStdString(trace::pathOf(*m_snapshot->catalog, source))).fileName(), text);
}

QVariant FramesModel::data(const QModelIndex& index, int role) const
{
    if (!m_snapshot || !index.isValid())
        return {};
    const analysis::CallFrame& frame = m_stack.frames[static_cast<size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Where ? whereText(frame)
               : frame.certain         ? QString::fromStdString(frame.function)
                                       : tr("%1 (perhaps)").arg(QString::fromStdString(frame.function));
    case Qt::ToolTipRole:
        return m_stack.recursive ? tr("How often a function called itself is not recorded. Click: shows the line")
                                 : tr("Click: shows the line");
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Where ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return index.row() == 0 ? m_theme->text : m_theme->dim;
    case Qt::FontRole:
        return m_theme->mono(12.5, index.row() == 0);
    default:
        return {};
    }
}

}  // namespace lanescope::gui
