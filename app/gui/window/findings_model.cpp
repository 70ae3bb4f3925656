// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/findings_model.h"

#include <QFileInfo>

namespace lanescope::gui {

void FindingsModel::setCatalog(const CatalogPointer& catalog)
{
    beginResetModel();
    m_catalog = catalog;
    endResetModel();
}

std::optional<replay::Focus> FindingsModel::focusAt(int row) const
{
    if (row < 0 || row >= rowCount())
        return std::nullopt;
    const trace::Finding& finding = m_catalog->findings[static_cast<size_t>(row)];
    if (finding.accesses.empty())
        return std::nullopt;
    const trace::FindingAccess& access = finding.accesses.front();
    replay::Focus focus;
    focus.launch = finding.launch;
    focus.block = access.block;
    focus.thread = access.thread;
    focus.step = access.step + 1;
    return focus;
}

int FindingsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_catalog ? 0 : static_cast<int>(m_catalog->findings.size());
}

int FindingsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant FindingsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || role != Qt::DisplayRole)
        return {};
    const trace::Finding& finding = m_catalog->findings[static_cast<size_t>(index.row())];
    switch (index.column()) {
    case Severity:
        return QString::fromStdString(finding.severity);
    case Kind:
        return QString::fromStdString(finding.kind);
    case Count:
        return static_cast<qulonglong>(finding.count);
    case Message:
        return QString::fromStdString(finding.message);
    default:
        break;
    }
    if (finding.accesses.empty())
        return {};
    const trace::SourceLocation& where = finding.accesses.front().where;
    if (where.source.value >= m_catalog->sources.size())
        return {};
    const QString path = QString::fromStdString(m_catalog->sources[where.source.value].path);
    return QStringLiteral("%1:%2").arg(QFileInfo(path).fileName()).arg(where.line);
}

QVariant FindingsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const char* const kTitles[] = {"severity", "kind", "where", "count", "message"};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return tr(kTitles[section]);
}

}  // namespace lanescope::gui
