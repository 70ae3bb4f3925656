// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/lines_model.h"

#include <QFileInfo>
#include <QStringList>

namespace lanescope::gui {

void LinesModel::setSnapshot(const SnapshotPointer& snapshot)
{
    if (snapshot && snapshot->overview == m_overview)
        return;
    beginResetModel();
    m_rows.clear();
    m_overview = snapshot ? snapshot->overview : nullptr;
    std::map<uint32_t, QStringList> texts;
    for (const auto& [where, count] : m_overview ? m_overview->lines : decltype(m_overview->lines){}) {
        if (where.first >= snapshot->catalog->sources.size())
            continue;
        QStringList& lines = texts[where.first];
        if (lines.isEmpty())
            lines = QString::fromStdString(snapshot->catalog->sources[where.first].text).split(QLatin1Char('\n'));
        m_rows.push_back({where.second, lines.value(static_cast<qsizetype>(where.second) - 1).trimmed(), count});
    }
    endResetModel();
}

int LinesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int LinesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LinesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant((index.column() == Text ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Line:
        return row.line;
    case Text:
        return row.text;
    case Reads:
        return static_cast<qulonglong>(row.count.reads);
    case Writes:
        return static_cast<qulonglong>(row.count.writes);
    default:
        return {};
    }
}

QVariant LinesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    static const char* const kTitles[] = {"line", "source", "lane reads", "lane writes"};
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    return tr(kTitles[section]);
}

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
