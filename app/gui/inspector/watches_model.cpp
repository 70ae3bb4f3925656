// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/watches_model.h"

#include <QSize>

namespace lanescope::gui {

namespace {
constexpr int kReasonWidth = 90;  // pixels
}

void WatchesModel::setSnapshot(const SnapshotPointer& snapshot)
{
    m_snapshot = snapshot;
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void WatchesModel::setTheme(const Theme& theme)
{
    m_theme = &theme;
    emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void WatchesModel::setWatches(const QStringList& watches)
{
    if (watches == m_watches)
        return;
    beginResetModel();
    m_watches = watches;
    endResetModel();
}

void WatchesModel::remove(int row)
{
    if (row < 0 || row >= m_watches.size())
        return;
    beginRemoveRows({}, row, row);
    m_watches.removeAt(row);
    endRemoveRows();
    emit watchesChanged(m_watches);
}

int WatchesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_watches.size()) + 1;
}

int WatchesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

/// In the focused lane; null while the engine has not answered for this expression.
const WatchView::Lane* WatchesModel::shownAt(int row) const
{
    if (!m_snapshot || row >= m_watches.size() || static_cast<size_t>(row) >= m_snapshot->watches.size())
        return nullptr;
    const WatchView& watch = m_snapshot->watches[static_cast<size_t>(row)];
    return watch.text == m_watches[row].toStdString() ? &watch.at(m_snapshot->lane) : nullptr;
}

QVariant WatchesModel::data(const QModelIndex& index, int role) const
{
    const bool isNew = index.row() >= m_watches.size();
    const WatchView::Lane* shown = shownAt(index.row());
    const bool hasValue = shown != nullptr && !shown->value.isEmpty();
    switch (role) {
    case Qt::EditRole:
        return isNew ? QString() : m_watches[index.row()];
    case Qt::DisplayRole:
        if (index.column() == Text)
            return isNew ? tr("watch an expression…") : m_watches[index.row()];
        return shown == nullptr ? QString() : hasValue ? shown->value : shown->why;
    case Qt::ToolTipRole:
        return isNew ? tr("Double-click and type, for example: acc / (k + 1), a[row * n + k]. Delete removes one.")
               : shown != nullptr && !hasValue ? shown->why
                                               : m_watches[index.row()];
    case Qt::SizeHintRole:  // a reason is long, and said in full by its tip: the others keep their room
        return index.column() == Value && shown != nullptr && !hasValue ? QVariant(QSize(kReasonWidth, 0)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant((index.column() == Value ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return isNew || (index.column() == Value && !hasValue) ? m_theme->faint : m_theme->text;
    case Qt::FontRole:
        return isNew || (index.column() == Value && !hasValue) ? m_theme->sans(12) : m_theme->mono(12.5);
    default:
        return {};
    }
}

QVariant WatchesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Text ? tr("expression") : tr("value");
}

Qt::ItemFlags WatchesModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    return index.column() == Text ? usual | Qt::ItemIsEditable : usual;
}

bool WatchesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || index.column() != Text)
        return false;
    const QString text = value.toString().trimmed();
    const int row = index.row();
    if (row < m_watches.size() && text.isEmpty()) {
        remove(row);
        return true;
    }
    if (text.isEmpty() || (row < m_watches.size() && m_watches[row] == text))
        return false;
    if (row < m_watches.size()) {
        m_watches[row] = text;
        emit dataChanged(this->index(row, 0), this->index(row, ColumnCount - 1));
    } else {
        beginInsertRows({}, row, row);
        m_watches.append(text);
        endInsertRows();
    }
    emit watchesChanged(m_watches);
    return true;
}

}  // namespace lanescope::gui
