// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/findings/findings_view.h"

#include <QFileInfo>

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

/// Findings lie in the catalog; nothing is computed.
struct NoData final : ViewData {};

QString lineOf(const trace::Catalog& catalog, const trace::SourceLocation& where)
{
    if (where.source.value >= catalog.sources.size() || where.line == 0)
        return {};
    const std::string& text = catalog.sources[where.source.value].text;
    size_t at = 0;
    for (uint32_t line = 1; line < where.line && at != std::string::npos; ++line) {
        at = text.find('\n', at);
        at = at == std::string::npos ? at : at + 1;
    }
    return at == std::string::npos ? QString() : QString::fromStdString(text.substr(at, text.find('\n', at) - at));
}

QString placeText(const trace::Catalog& catalog, const trace::SourceLocation& where)
{
    if (where.source.value >= catalog.sources.size() || where.line == 0)
        return {};
    const QString path = QString::fromStdString(catalog.sources[where.source.value].path);
    return QStringLiteral("%1:%2").arg(QFileInfo(path).fileName()).arg(where.line);
}

int rank(const trace::Finding& finding)
{
    return finding.severity == "error" ? 0 : finding.severity == "warning" ? 1 : 2;
}

class FindingsPainter {
public:
    FindingsPainter(Canvas& canvas, const Snapshot& snapshot, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_settings(settings),
          m_line(canvas.u(21) * canvas.theme().typeScale)
    {
        for (const trace::Finding& finding : snapshot.catalog->findings)
            m_findings.push_back(&finding);
        std::stable_sort(m_findings.begin(), m_findings.end(),
                         [](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
    }

    void paint()
    {
        const auto errors =
            std::count_if(m_findings.begin(), m_findings.end(), [](const auto* f) { return rank(*f) == 0; });
        const QRectF area =
            m_c.begin(QObject::tr("Findings"),
                      m_findings.empty() ? QString()
                                         : QObject::tr("%1 in all, %2 of them errors; click a side to go there")
                                               .arg(m_findings.size())
                                               .arg(errors));
        if (m_findings.empty())
            return m_c.empty(QObject::tr("The checks found nothing."));
        double y = area.top();
        const auto most = static_cast<double>(m_findings.size() - 1);
        const auto first = static_cast<size_t>(std::clamp(m_settings.scroll, 0.0, most));
        size_t shown = first;
        for (; shown < m_findings.size(); ++shown) {
            const double height = heightOf(*m_findings[shown]);
            if (y + height > area.bottom() && shown > first)
                break;
            paintCard({area.left(), y, area.width(), height}, *m_findings[shown]);
            y += height + m_c.u(10);
        }
        if (shown < m_findings.size())
            m_c.text({area.left(), area.bottom(), area.width(), m_c.u(18)},
                     QObject::tr("%1 more; scroll").arg(m_findings.size() - shown), m_c.sans(11.5), m_theme.dim,
                     Qt::AlignRight | Qt::AlignVCenter);
    }

private:
    static constexpr size_t kMostSides = 4;

    [[nodiscard]] double heightOf(const trace::Finding& finding) const
    {
        const size_t sides = std::min(finding.accesses.size(), kMostSides);
        return m_line * (2 + 2 * double(std::max<size_t>(sides, 0))) + m_c.u(20);
    }

    [[nodiscard]] QColor colourOf(const trace::Finding& finding) const
    {
        return rank(finding) == 0 ? m_theme.error : rank(finding) == 1 ? m_theme.warning : m_theme.accent;
    }

    void paintCard(const QRectF& card, const trace::Finding& finding)
    {
        m_p.setPen(QPen(m_theme.border, 1));
        m_p.setBrush(mixed(m_theme.raised, m_theme.stage, 0.45));
        m_p.drawRoundedRect(card, m_c.u(6), m_c.u(6));
        const QColor colour = colourOf(finding);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(colour);
        m_p.drawRect(QRectF(card.left(), card.top() + m_c.u(8), m_c.u(4), card.height() - m_c.u(16)));
        const QRectF inside = card.adjusted(m_c.u(18), m_c.u(9), -m_c.u(14), -m_c.u(9));
        const QFont bold = m_c.sans(14.5, true);
        const QString kind = QString::fromStdString(finding.kind);
        const double width = Canvas::widthOf(kind, bold) + m_c.u(14);
        m_c.text({inside.left(), inside.top(), inside.width(), m_line}, kind, bold, colour);
        QString where = QString::fromStdString(finding.kernel);
        if (!finding.buffer.empty())
            where += QStringLiteral("   ") + QString::fromStdString(finding.buffer) + cellText(finding);
        if (finding.count > 1)
            where += QObject::tr("   %1 times").arg(finding.count);
        m_c.text({inside.left() + width, inside.top(), inside.width() - width, m_line}, where, m_c.sans(13),
                 m_theme.dim);
        m_c.text({inside.left(), inside.top() + m_line, inside.width(), m_line},
                 QString::fromStdString(finding.message), m_c.sans(13.5), m_theme.text);
        for (size_t i = 0; i < std::min(finding.accesses.size(), kMostSides); ++i)
            paintSide({inside.left(), inside.top() + m_line * (2 + 2 * double(i)), inside.width(), 2 * m_line}, finding,
                      finding.accesses[i], colour);
    }

    static QString cellText(const trace::Finding& finding)
    {
        QString text;
        for (const int64_t index : finding.cell)
            text += QStringLiteral("[%1]").arg(index);
        return text;
    }

    /// The source line with the expression underlined, and who ran it when.
    void paintSide(const QRectF& area, const trace::Finding& finding, const trace::FindingAccess& access,
                   const QColor& colour)
    {
        const QFont mono = m_c.mono(13);
        const QString code = lineOf(*m_snapshot.catalog, access.where).trimmed();
        const double gutter = m_c.u(150) * m_theme.typeScale;
        const QRectF upper(area.left(), area.top(), area.width(), m_line);
        m_c.text({upper.left(), upper.top(), gutter - m_c.u(10), m_line}, placeText(*m_snapshot.catalog, access.where),
                 m_c.mono(12.5), m_theme.dim);
        m_c.text({upper.left() + gutter, upper.top(), upper.width() - gutter, m_line}, code, mono, m_theme.text);
        const QString expression = QString::fromStdString(access.expression);
        const qsizetype at = expression.isEmpty() ? -1 : code.indexOf(expression);
        if (at >= 0) {
            const double left = upper.left() + gutter + Canvas::widthOf(code.left(at), mono);
            const double right = std::min(left + Canvas::widthOf(expression, mono), upper.right());
            m_p.setPen(QPen(colour, m_c.u(1.6)));
            if (left < right)
                m_p.drawLine(QPointF(left, upper.bottom() - 1), QPointF(right, upper.bottom() - 1));
        }
        const bool known = finding.launch.value < m_snapshot.catalog->launches.size();
        const Dim3 grid = known ? m_snapshot.catalog->launches[finding.launch.value].grid : Dim3{};
        const Dim3 block = known ? m_snapshot.catalog->launches[finding.launch.value].block : Dim3{};
        m_c.text({upper.left() + gutter, upper.bottom(), upper.width() - gutter, m_line},
                 QObject::tr("%1 by thread %2 of block %3, epoch %4")
                     .arg(QString::fromStdString(access.access), positionText(access.thread, block),
                          positionText(access.block, grid))
                     .arg(access.epoch),
                 m_c.sans(12.5), m_theme.dim);
        if (!known)
            return;
        replay::Focus focus;
        focus.launch = finding.launch;
        focus.block = access.block;
        focus.thread = access.thread;
        focus.step = access.step + 1;
        m_c.hit({area, QObject::tr("go to this access"), focus, {}});
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const ViewSettings& m_settings;
    double m_line;
    std::vector<const trace::Finding*> m_findings;
};

}  // namespace

Result<ViewDataPointer> FindingsView::compute(AnalysisCache&, const Snapshot&, const ViewSettings&) const
{
    return ViewDataPointer(std::make_shared<NoData>());
}

void FindingsView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData&, const ViewSettings& settings) const
{
    FindingsPainter(canvas, snapshot, settings).paint();
}

}  // namespace lanescope::gui
