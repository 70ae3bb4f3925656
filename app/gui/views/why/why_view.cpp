// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/why/why_view.h"

#include <algorithm>

#include "app/gui/engine/value_format.h"
#include "core/analysis/origin.h"

namespace lanescope::gui {

namespace {

using analysis::OriginNode;

constexpr size_t kMostNodes = 400;

struct WhyData final : ViewData {
    std::vector<OriginNode> nodes;
    bool isChosen = false;                            ///< the selected cell; else what the focused thread wrote last
    std::optional<analysis::VariableWrite> variable;  ///< the nodes are what this was computed from
    std::optional<analysis::VariableWrite> before;    ///< the variable's write before that
};

/// The shown variable's last write by the focused thread, and what it was computed from.
void traceVariable(WhyData& data, const analysis::Flow& flow, const Snapshot& snapshot)
{
    const analysis::VariableHistory& history = *snapshot.variableHistory;
    const auto after = std::find_if(history.begin(), history.end(),
                                    [&](const auto& write) { return write.step >= snapshot.focus.step; });
    if (after == history.begin())
        return;
    data.variable = *std::prev(after);
    if (std::prev(after) != history.begin())
        data.before = *std::prev(after, 2);
    for (const analysis::VariableRead& read : data.variable->reads) {
        const auto buffer = snapshot.indexOf(read.buffer);
        if (!buffer)
            continue;
        const uint64_t element = read.offset / std::max(1U, snapshot.buffers[*buffer].buffer.element.totalBytes());
        const size_t room = kMostNodes - std::min(kMostNodes, data.nodes.size());
        for (OriginNode node : analysis::traceOrigin(flow, read.buffer, element, read.step, room)) {
            ++node.depth;
            data.nodes.push_back(node);
        }
    }
}

/// What the focused thread wrote last before the step, or else its first write.
std::optional<analysis::Write> lastWritten(const analysis::Flow& flow, const Snapshot& snapshot)
{
    const auto thread = static_cast<uint32_t>(linearIndex(snapshot.focus.thread, snapshot.launch().block));
    const analysis::Write* last = nullptr;
    for (const analysis::Write& write : flow.writes())
        if (write.thread == thread && (last == nullptr || write.step < snapshot.focus.step))
            last = &write;
    if (last == nullptr)
        return std::nullopt;
    return *last;
}

class WhyPainter {
public:
    WhyPainter(Canvas& canvas, const Snapshot& snapshot, const WhyData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_data(data),
          m_settings(settings), m_ofVariable(settings.own.as<WhySettings>().ofVariable),
          m_line(canvas.u(25) * canvas.theme().typeScale)
    {
    }

    void paint()
    {
        const QString thread = positionText(m_snapshot.focus.thread, m_snapshot.launch().block);
        const QString which =
            m_ofVariable      ? QObject::tr("a variable of thread %1").arg(thread)
            : m_data.isChosen ? QObject::tr("the selected cell")
                              : QObject::tr("what thread %1 wrote last; click a cell for its own story").arg(thread);
        QRectF area = m_c.begin(which);
        if (m_snapshot.shown && m_snapshot.variableHistory)
            area.setTop(paintChoice(area));
        if (m_ofVariable && m_data.variable)
            area.setTop(paintVariable(area));
        else if (m_ofVariable)
            return m_c.empty(QObject::tr("The variable has no value yet."));
        else if (m_data.nodes.empty())
            return m_c.empty(QObject::tr("This block wrote no shared or global memory up to here."));
        const auto rows = static_cast<size_t>(std::max(1.0, area.height() / m_line - 1));
        const size_t most = m_data.nodes.size() > rows ? m_data.nodes.size() - rows : 0;
        const size_t first = std::min(static_cast<size_t>(std::max(0.0, m_settings.scroll)), most);
        m_first = first;
        for (size_t i = first; i < m_data.nodes.size() && i < first + rows; ++i)
            paintNode({area.left(), area.top() + m_line * double(i - first), area.width(), m_line}, i, i == first);
        if (m_data.nodes.size() > rows) {
            m_c.leaveOut();
            m_c.text({area.left(), area.bottom() - m_c.u(6), area.width(), m_c.u(18)},
                     QObject::tr("%1 to %2 of %3%4; scroll for more")
                         .arg(first + 1)
                         .arg(std::min(first + rows, m_data.nodes.size()))
                         .arg(m_data.nodes.size())
                         .arg(m_data.nodes.size() >= kMostNodes ? QObject::tr(" or more") : QString()),
                     m_c.sans(11.5), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
        }
    }

private:
    [[nodiscard]] const trace::Variable& variable() const
    {
        return m_snapshot.catalog->variables[m_snapshot.shown->value];
    }

    double paintChoice(const QRectF& area)
    {
        double x = area.left();
        for (const bool ofVariable : {false, true}) {
            ViewSettings chosen = m_settings.with(WhySettings{ofVariable});
            chosen.scroll = 0;
            const QString text = ofVariable ? QObject::tr("variable %1").arg(QString::fromStdString(variable().name))
                                            : QObject::tr("cell");
            x = m_c.pill({x, area.top()}, text, ofVariable == m_ofVariable, chosen) + m_c.u(6);
        }
        return area.top() + m_c.u(34) * m_theme.typeScale;
    }

    /// The variable's value, and the one before: a sum has come from both.
    double paintVariable(const QRectF& area)
    {
        double y = area.top();
        for (const auto* write : {&m_data.variable, &m_data.before}) {
            if (!*write)
                continue;
            const bool isNow = write == &m_data.variable;
            const QString value =
                (*write)->known ? valueText(variable().type, (*write)->value.data()) : QStringLiteral("?");
            const QString name = QString::fromStdString(variable().name);
            const QString text =
                isNow ? QStringLiteral("%1 = %2").arg(name, value) : QObject::tr("before: %1").arg(value);
            const QFont mono = m_c.mono(13.5, isNow);
            const QRectF row(area.left(), y, area.width(), m_line);
            m_c.text(row, text, mono, isNow ? m_theme.text : m_theme.dim);
            const double left = row.left() + Canvas::widthOf(text, mono) + m_c.u(18);
            const trace::Site& site = m_snapshot.site((*write)->site);
            m_c.text({left, y, row.right() - left, m_line},
                     QObject::tr("set at step %1, line %2   %3")
                         .arg((*write)->step + 1)
                         .arg(site.where.line)
                         .arg(isNow && m_data.nodes.empty() ? QObject::tr("from no memory") : QString()),
                     m_c.sans(12.5), m_theme.dim);
            replay::Focus focus = m_snapshot.focus;
            focus.step = (*write)->step + 1;
            m_c.hit({row, QObject::tr("go to this write"), focus, {}});
            y += m_line;
        }
        return y;
    }

    void paintNode(const QRectF& row, size_t index, bool isTop)
    {
        const OriginNode& node = m_data.nodes[index];
        const auto at = m_snapshot.indexOf(node.buffer);
        if (!at)
            return;
        const BufferView& view = m_snapshot.buffers[*at];
        const double indent = m_c.u(22) * std::min<uint32_t>(node.depth, 24);
        const double x = row.left() + indent;
        if (node.depth > 0 && !isTop) {
            m_p.setPen(QPen(m_theme.border, m_c.u(1.2)));
            m_p.drawLine(QPointF(x - m_c.u(12), bottomOfParent(row, index)), QPointF(x - m_c.u(12), row.center().y()));
            m_p.drawLine(QPointF(x - m_c.u(12), row.center().y()), QPointF(x - m_c.u(3), row.center().y()));
        }
        const std::byte* held = view.at(node.element);
        const QString value = node.known ? valueText(view.buffer.element, node.value.data())
                              : !node.written && held != nullptr && view.hasValue(node.element)
                                  ? valueText(view.buffer.element, held)
                                  : QStringLiteral("?");
        const QFont mono = m_c.mono(13.5, node.depth == 0);
        const QString cell = QStringLiteral("%1 = %2").arg(cellName(view.buffer, node.element), value);
        const double width = Canvas::widthOf(cell, mono);
        m_c.text({x, row.top(), row.right() - x, row.height()}, cell, mono, node.written ? m_theme.text : m_theme.good);
        const double left = x + width + m_c.u(18);
        m_c.text({left, row.top(), row.right() - left, row.height()}, storyOf(node), m_c.sans(12.5), m_theme.dim);
        replay::Focus focus = m_snapshot.focus;
        focus.buffer = node.buffer;
        focus.cell = node.element;
        if (node.written) {
            focus.step = node.step + 1;
            focus.thread = positionOf(node.thread, m_snapshot.launch().block);
        }
        m_c.hit({row, QObject::tr("go to this write"), focus, {}});
    }

    /// Below the words of the node that this one is an origin of, or the first row where that is scrolled away.
    [[nodiscard]] double bottomOfParent(const QRectF& row, size_t index) const
    {
        size_t parent = index;
        while (parent > m_first && m_data.nodes[parent].depth >= m_data.nodes[index].depth)
            --parent;
        constexpr double kBelowWords = 0.9;  // of a row
        return row.top() - m_line * (static_cast<double>(index - parent) - kBelowWords);
    }

    [[nodiscard]] QString storyOf(const OriginNode& node) const
    {
        if (!node.written)
            return QObject::tr("from outside the block");
        const trace::Site& site = m_snapshot.site(node.site);
        const QString text = QObject::tr("written by thread %1 at step %2, line %3   %4")
                                 .arg(threadText(m_snapshot, node.thread))
                                 .arg(node.step + 1)
                                 .arg(site.where.line)
                                 .arg(QString::fromStdString(site.expression));
        return node.repeated ? text + QObject::tr("   (its origins are above)") : text;
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const WhyData& m_data;
    const ViewSettings& m_settings;
    bool m_ofVariable;
    double m_line;
    size_t m_first = 0;  ///< node that is shown
};

}  // namespace

WhyView::WhyView() : View({.name = "why", .title = "Why", .help = "where the value of a cell or a variable comes from"})
{
}

Result<ViewDataPointer> WhyView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                         const ViewSettings& settings) const
{
    auto data = std::make_shared<WhyData>();
    const BlockIndex block{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
    auto flow = cache.flow(snapshot.focus.launch, block);
    if (!flow)
        return flow.error();
    data->isChosen = snapshot.focus.buffer.has_value();
    if (settings.own.as<WhySettings>().ofVariable && snapshot.shown && snapshot.variableHistory)
        traceVariable(*data, *flow.value(), snapshot);
    else if (data->isChosen)
        data->nodes = analysis::traceOrigin(*flow.value(), *snapshot.focus.buffer, snapshot.focus.cell,
                                            snapshot.focus.step, kMostNodes);
    else if (const auto write = lastWritten(*flow.value(), snapshot))
        data->nodes = analysis::traceOrigin(*flow.value(), flow.value()->planes()[write->place.plane].buffer,
                                            flow.value()->elementOf(write->place), write->step + 1, kMostNodes);
    return ViewDataPointer(data);
}

void WhyView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data, const ViewSettings& settings) const
{
    WhyPainter(canvas, snapshot, static_cast<const WhyData&>(data), settings).paint();
}

}  // namespace lanescope::gui
