// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/inspector/cell_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("CellText", text);
}

QString row(const Theme& theme, const QString& label, const QString& value)
{
    return QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td><td>%3</td></tr>")
        .arg(theme.dim.name(), label, value);
}

/// "step 12 by (1,1), line 18", a link to the step just after it.
QString link(const Snapshot& snapshot, const Theme& theme, const replay::CellAccess& access)
{
    const Dim3 extent = snapshot.launch().block;
    return QStringLiteral("<a style='color:%1' href='step:%2'>step %3</a> by %4, line %5")
        .arg(theme.accent.name())
        .arg(access.step + 1)
        .arg(access.step + 1)
        .arg(positionText(access.thread, extent))
        .arg(snapshot.site(access.site).where.line);
}

QString dimsText(const BufferView& view)
{
    QStringList parts;
    for (uint64_t extent : view.buffer.dims)
        parts << QString::number(extent);
    return parts.join(QStringLiteral(" × "));
}

}  // namespace

CellNeighbours CellNeighbours::of(const CellView& cell, StepIndex step)
{
    CellNeighbours found;
    for (const replay::CellAccess& access : cell.history) {
        const bool write = access.kind != trace::SiteKind::Load;
        if (access.step < step && write) {
            found.previousWrite = found.lastWrite;
            found.lastWrite = access;
        } else if (access.step < step) {
            found.previousRead = access;
        } else if (write && !found.nextWrite) {
            found.nextWrite = access;
        } else if (!write && !found.nextRead) {
            found.nextRead = access;
        }
    }
    return found;
}

namespace {

QString stepLink(const Theme& theme, StepIndex step)
{
    return QStringLiteral("<a style='color:%1' href='step:%2'>step %2</a>").arg(theme.accent.name()).arg(step + 1);
}

/// "288 at step 19, line 27 from a_shared[1][0], b_shared[0][1]"
QString writeText(const Snapshot& snapshot, const Theme& theme, const QString& value,
                  const analysis::VariableWrite& write)
{
    QStringList sources;
    for (const analysis::VariableRead& read : write.reads)
        if (const auto at = snapshot.indexOf(read.buffer)) {
            const trace::Buffer& buffer = snapshot.buffers[*at].buffer;
            const QString name = cellName(buffer, read.offset / buffer.element.totalBytes());
            if (!sources.contains(name))
                sources << name;
        }
    QString text = value.isEmpty() ? QString() : QStringLiteral("<b>%1</b> ").arg(value.toHtmlEscaped());
    text += QStringLiteral("%1, %2").arg(stepLink(theme, write.step),
                                         tr("line %1").arg(snapshot.site(write.site).where.line));
    if (!sources.isEmpty())
        text += tr(" from %1").arg(sources.join(QStringLiteral(", ")).toHtmlEscaped());
    return text;
}

}  // namespace

QString variableHtml(const Snapshot& snapshot, const Theme& theme)
{
    if (!snapshot.shown || !snapshot.variableHistory || snapshot.variableHistory->empty())
        return {};
    const trace::Variable& variable = snapshot.catalog->variables[snapshot.shown->value];
    const analysis::VariableHistory& all = *snapshot.variableHistory;
    const auto next = std::partition_point(
        all.begin(), all.end(), [&](const analysis::VariableWrite& write) { return write.step < snapshot.focus.step; });
    QString current;
    const size_t warp = snapshot.warp;
    if (warp < snapshot.shownPerWarp.size() && ((snapshot.shownPerWarp[warp].written >> snapshot.lane) & 1) != 0)
        current = variableText(snapshot, variable,
                               snapshot.shownPerWarp[warp].value[static_cast<size_t>(snapshot.lane)].data());
    QString rows;
    const auto add = [&](const QString& label, const analysis::VariableWrite& write) {
        // Sums and products are not recorded but computed again where they are needed: only the newest is at hand.
        const QString value = write.known          ? variableText(snapshot, variable, write.value.data())
                              : label == tr("now") ? current
                                                   : QString();
        rows += row(theme, label, writeText(snapshot, theme, value, write));
    };
    constexpr auto kEarlier = 2;
    if (next != all.begin())
        add(tr("now"), *std::prev(next));
    for (auto i = 2; i <= kEarlier + 1 && std::distance(all.begin(), next) >= i; ++i)
        add(tr("before"), *std::prev(next, i));
    if (next != all.end())
        add(tr("next"), *next);
    return QStringLiteral("<div><b>%1</b> <span style='color:%2'>%3</span></div>"
                          "<table cellspacing='0' cellpadding='1'>%4</table>")
        .arg(QString::fromStdString(variable.name).toHtmlEscaped(), theme.dim.name(),
             tr("of thread %1, set %2 times")
                 .arg(positionText(snapshot.focus.thread, snapshot.launch().block))
                 .arg(all.size()),
             rows);
}

QString cellHtml(const Snapshot& snapshot, const Theme& theme)
{
    if (!snapshot.cell)
        return QStringLiteral("<span style='color:%1'>%2</span>")
            .arg(theme.dim.name(), tr("Click a cell on the stage to see who wrote it and who reads it next."));
    const BufferView& view = snapshot.buffers[snapshot.cell->bufferIndex];
    const uint64_t element = snapshot.cell->element;
    const CellNeighbours near = CellNeighbours::of(*snapshot.cell, snapshot.focus.step);
    const QString value =
        view.hasValue(element) ? valueText(view.buffer.element, view.at(element)) : tr("never written");
    QString rows = row(theme, tr("now"), QStringLiteral("<b>%1</b>").arg(value));
    const auto add = [&](const char* label, const std::optional<replay::CellAccess>& access) {
        if (access)
            rows += row(theme, tr(label), link(snapshot, theme, *access));
    };
    add("written", near.lastWrite);
    if (!near.lastWrite && view.hasValue(element))
        rows += row(theme, tr("written"), tr("before this block touched it"));
    add("previous write", near.previousWrite);
    add("previous read", near.previousRead);
    add("next read", near.nextRead);
    add("next write", near.nextWrite);
    rows +=
        row(theme, tr("buffer"),
            QStringLiteral("%1, %2, %3, row-major")
                .arg(spaceText(view.buffer.space), QString::fromStdString(view.buffer.element.name), dimsText(view)));
    return QStringLiteral("<div><b>%1</b></div><table cellspacing='0' cellpadding='1'>%2</table>")
        .arg(cellName(view.buffer, element), rows);
}

}  // namespace lanescope::gui
