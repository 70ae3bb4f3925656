// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/findings/findings_view.h"

#include <QFileInfo>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>

#include "app/gui/engine/buffer_shape.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/views/findings/finding_picture.h"
#include "core/findings/findings_of.h"

namespace lanescope::gui {

namespace {

struct FindingsData final : ViewData {
    std::vector<findings::ToldFinding> findings;  ///< and advice
    size_t allowed = 0;                           ///< by comments in the program: not shown
};

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

/// "line 12" in the program itself, "header.h:12" elsewhere.
QString placeText(const trace::Catalog& catalog, const trace::SourceLocation& where)
{
    if (where.source.value >= catalog.sources.size() || where.line == 0)
        return {};
    const QString path = QString::fromStdString(catalog.sources[where.source.value].path);
    const bool isProgram =
        QFileInfo(path).fileName() == QFileInfo(QString::fromStdString(catalog.session.program)).fileName();
    return isProgram ? QObject::tr("line %1").arg(where.line)
                     : QStringLiteral("%1:%2").arg(QFileInfo(path).fileName()).arg(where.line);
}

/// "line 12 and line 14", "line 12 and itself"
QString sidesText(const trace::Catalog& catalog, const trace::Finding& pair)
{
    const QString first = placeText(catalog, pair.accesses[0].where);
    if (pair.accesses.size() == 1)
        return QObject::tr("%1 in %2").arg(QString::fromStdString(pair.accesses[0].access), first);
    const QString second = placeText(catalog, pair.accesses[1].where);
    return QObject::tr("%1 and %2").arg(first, first == second ? QObject::tr("itself") : second);
}

int rank(const trace::Finding& finding)
{
    return static_cast<int>(finding.severity);
}

class FindingsPainter {
public:
    FindingsPainter(Canvas& canvas, const Snapshot& snapshot, const FindingsData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_settings(settings),
          m_only(settings.own.as<FindingsSettings>().only), m_allowed(data.allowed),
          m_line(canvas.u(21) * canvas.theme().typeScale), m_everywhere(data.findings.size())
    {
        for (const findings::ToldFinding& finding : data.findings)
            if (inSelection(finding))
                m_all.push_back(&finding);
        std::copy_if(
            m_all.begin(), m_all.end(), std::back_inserter(m_findings), [&](const findings::ToldFinding* finding) {
                return m_only.empty() || m_only == nameOf(finding->kind) || m_only == nameOf(finding->severity);
            });
        const auto before = kOrders[orderOf(settings)].before;
        std::stable_sort(m_findings.begin(), m_findings.end(),
                         [&](const auto* a, const auto* b) { return before(*a, *b); });
    }

    void paint()
    {
        QRectF area =
            m_c.begin(m_all.empty() ? QString() : QObject::tr("click a side to go there; F8 goes to the next"));
        if (m_everywhere == 0)
            return paintNothing(area);
        area = paintNotChecked(area);
        area.setTop(paintChoices(area));
        if (m_findings.empty())
            return m_c.empty(m_settings.selection ? QObject::tr("No finding lies in the selected steps.")
                                                  : QObject::tr("No finding of this kind."));
        double y = area.top();
        const auto most = static_cast<double>(m_findings.size() - 1);
        const auto first = static_cast<size_t>(std::clamp(m_settings.scroll, 0.0, most));
        size_t shown = first;
        for (; shown < m_findings.size(); ++shown) {
            const double height = heightOf(*m_findings[shown], area.width());
            if (y + height > area.bottom() - m_c.u(8) && shown > first)
                break;
            paintCard({area.left(), y, area.width(), height}, *m_findings[shown]);
            y += height + m_c.u(10);
        }
        if (shown < m_findings.size()) {
            m_c.leaveOut();
            m_c.text({area.left(), area.bottom() - m_c.u(8), area.width(), m_c.u(18)},
                     QObject::tr("%1 more; scroll").arg(m_findings.size() - shown), m_c.sans(11.5), m_theme.dim,
                     Qt::AlignRight | Qt::AlignVCenter);
        }
    }

private:
    /// What nobody has looked at; nothing while the recording goes on, which paintProgress tells.
    QRectF paintNotChecked(QRectF area)
    {
        if (!m_snapshot.catalog->session.hasEnded())
            return area;
        const std::vector<std::string> parts = findings::notChecked(*m_snapshot.catalog);
        for (const std::string& what : parts) {
            m_c.text({area.left(), area.top(), area.width(), m_line},
                     QObject::tr("Not checked: %1.").arg(QString::fromStdString(what)), m_c.sans(13), m_theme.warning);
            area.setTop(area.top() + m_line);
        }
        if (!parts.empty())
            area.setTop(area.top() + 0.3 * m_line);
        return area;
    }

    /// How far the checks of a recording that goes on have come.
    void paintProgress(const QRectF& area)
    {
        const std::vector<trace::Launch>& launches = m_snapshot.catalog->launches;
        const auto done = std::count_if(launches.begin(), launches.end(), [](const auto& l) { return l.complete; });
        QString text = done == 1 ? QObject::tr("Nothing found so far, in the launch that has ended")
                                 : QObject::tr("Nothing found so far, in %1 launches that have ended").arg(done);
        if (static_cast<size_t>(done) < launches.size())
            text += QObject::tr(" and what has run of launch %1, %2")
                        .arg(launches.back().id.value)
                        .arg(QString::fromStdString(launches.back().kernel));
        m_c.text({area.left(), area.top(), area.width(), m_line}, text + QObject::tr("; the recording goes on."),
                 m_c.sans(15, true), m_theme.dim);
    }

    /// What was looked for, so that "nothing" says something.
    void paintNothing(QRectF area)
    {
        if (!m_snapshot.catalog->session.hasEnded())
            return paintProgress(area);
        const bool whole = findings::notChecked(*m_snapshot.catalog).empty();
        m_c.text({area.left(), area.top(), area.width(), m_line},
                 !whole ? QObject::tr("The checks found nothing in what they saw.")
                 : m_allowed == 0
                     ? QObject::tr("The checks found nothing.")
                     : QObject::tr("The checks found nothing but what the program allows (%1).").arg(m_allowed),
                 m_c.sans(15, true), whole ? m_theme.good : m_theme.text);
        if (!whole) {
            area.setTop(area.top() + 1.3 * m_line);
            area.setTop(paintNotChecked(area).top() - m_line);
        }
        double y = area.top() + 1.6 * m_line;
        for (const QString& looked :
             {QObject::tr("accesses outside a buffer or its declared shape, and misaligned ones"),
              QObject::tr("races in shared and global memory, within a warp, between streams, with the host"),
              QObject::tr("values that were never written and matter"),
              QObject::tr("barriers that not all threads reach; masks of warp operations"),
              QObject::tr("copies that nobody waited for; misuse of the API"),
              QObject::tr("advice: bank conflicts, uncoalesced accesses, divergence, stores and barriers of no use")}) {
            m_p.setPen(Qt::NoPen);
            m_p.setBrush(m_theme.good);
            m_p.drawEllipse(QPointF(area.left() + m_c.u(6), y + m_line / 2), m_c.u(3), m_c.u(3));
            m_c.text({area.left() + m_c.u(22), y, area.width() - m_c.u(22), m_line}, looked, m_c.sans(13.5),
                     m_theme.dim);
            y += 1.15 * m_line;
        }
    }

    static constexpr size_t kMostSides = 4;
    static constexpr double kPictureLines = 4.4;

    struct Order {
        const char* name;
        bool (*before)(const trace::Finding&, const trace::Finding&);
    };
    /// The first groups by severity and kind.
    static constexpr std::array<Order, 3> kOrders{
        {{"kind",
          [](const trace::Finding& a, const trace::Finding& b) {
              return std::pair(rank(a), std::string_view(nameOf(a.kind))) <
                     std::pair(rank(b), std::string_view(nameOf(b.kind)));
          }},
         {"line",
          [](const trace::Finding& a, const trace::Finding& b) {
              const auto place = [](const trace::Finding& f) {
                  const trace::SourceLocation where =
                      f.accesses.empty() ? trace::SourceLocation{} : f.accesses[0].where;
                  return std::tuple(where.source, where.line, where.column);
              };
              return place(a) < place(b);
          }},
         {"times", [](const trace::Finding& a, const trace::Finding& b) { return a.count > b.count; }}}};

    [[nodiscard]] static size_t orderOf(const ViewSettings& settings)
    {
        return std::min(static_cast<size_t>(std::max(0, settings.sortColumn)), kOrders.size() - 1);
    }

    /// One side in the selected steps is enough.
    [[nodiscard]] bool inSelection(const trace::Finding& finding) const
    {
        const auto& steps = m_settings.selection;
        return !steps || std::any_of(finding.accesses.begin(), finding.accesses.end(), [&](const auto& access) {
            return finding.launch == steps->launch && steps->contains(access.step) &&
                   steps->takes(
                       static_cast<uint16_t>(linearIndex(access.thread, m_snapshot.launch().block) / kWarpSize)) &&
                   linearIndex(access.block, m_snapshot.launch().grid) == steps->block.value;
        });
    }

    /// What is shown and in which order, as buttons; as many rows as they take. Returns where they end.
    double paintChoices(const QRectF& area)
    {
        if (m_all.size() < 2 && m_only.empty())
            return area.top();
        const double height = m_c.u(28) * m_theme.typeScale;
        double x = area.left();
        double y = area.top();
        const auto button = [&](const QString& text, bool on, const ViewSettings& chosen) {
            if (x > area.left() && x + Canvas::widthOf(text, m_c.sans(13)) + m_c.u(26) > area.right()) {
                x = area.left();
                y += height;
            }
            x = m_c.pill({x, y}, text, on, chosen) + m_c.u(6);
        };
        const auto filter = [&](const QString& text, const std::string& value) {
            ViewSettings chosen = m_settings.with(FindingsSettings{value});
            chosen.scroll = 0;
            button(text, m_only == value, chosen);
        };
        filter(QObject::tr("all %1").arg(m_all.size()), {});
        std::map<std::pair<int, std::string>, size_t> severities;
        std::map<std::pair<int, std::string>, size_t> kinds;
        for (const trace::Finding* finding : m_all) {
            ++severities[{rank(*finding), nameOf(finding->severity)}];
            ++kinds[{rank(*finding), nameOf(finding->kind)}];
        }
        for (const auto* group : {&severities, &kinds}) {
            x += m_c.u(10);
            for (const auto& [key, count] : *group)
                if (group->size() > 1 || m_only == key.second)
                    filter(QStringLiteral("%1 %2").arg(QString::fromStdString(key.second)).arg(count), key.second);
        }
        if (m_findings.size() > 1) {
            x += m_c.u(10);
            for (size_t i = 0; i < kOrders.size(); ++i) {
                ViewSettings chosen = m_settings;
                chosen.sortColumn = static_cast<int>(i);
                button(QObject::tr("by %1").arg(QObject::tr(kOrders[i].name)), i == orderOf(m_settings), chosen);
            }
        }
        return y + height + m_c.u(8);
    }

    [[nodiscard]] double heightOf(const findings::ToldFinding& finding, double width) const
    {
        const size_t sides = std::min(finding.accesses.size() + finding.calls.size(), kMostSides);
        const QRectF inside = insideOf({0, 0, width, 0});
        const auto lines = double(messageOf(finding, besidePicture(finding, inside).width()).size());
        const double upper = 1 + lines + 2 * double(sides);
        const auto notes = double(togetherOf(finding, inside.width()).size() + notesOf(finding, inside.width()).size());
        return m_line * (std::max(upper, hasPicture(finding, inside) ? kPictureLines : 0) + notes) + m_c.u(20);
    }

    [[nodiscard]] bool hasPicture(const trace::Finding& finding, const QRectF& inside) const
    {
        return inside.width() > 2.8 * pictureWidth() && FindingPicture(*m_snapshot.catalog, finding).isDrawable();
    }
    [[nodiscard]] double pictureWidth() const { return m_c.u(210) * m_theme.typeScale; }
    /// What the picture on the right leaves of a card's upper part.
    [[nodiscard]] QRectF besidePicture(const trace::Finding& finding, const QRectF& inside) const
    {
        return inside.adjusted(0, 0, hasPicture(finding, inside) ? -pictureWidth() - m_c.u(18) : 0, 0);
    }

    /// The other places where the same mistake shows.
    [[nodiscard]] QStringList togetherOf(const findings::ToldFinding& finding, double width) const
    {
        if (finding.together.empty())
            return {};
        constexpr size_t kMost = 12;
        constexpr int kMostLines = 2;
        const bool isOneBuffer = std::ranges::all_of(
            finding.together, [&](const trace::Finding& pair) { return pair.buffer == finding.buffer; });
        QStringList places;
        for (size_t i = 1; i < std::min(finding.together.size(), kMost + 1); ++i) {
            const trace::Finding& one = finding.together[i];
            const QString sides = sidesText(*m_snapshot.catalog, one);
            places += isOneBuffer ? sides : QObject::tr("%1 (%2)").arg(sides, QString::fromStdString(one.buffer));
        }
        if (finding.together.size() > kMost + 1)
            places += QObject::tr("%1 more").arg(finding.together.size() - kMost - 1);
        const QString label =
            familyOf(finding.kind) == Family::Race ? QObject::tr("unordered, too: %1") : QObject::tr("as well: %1");
        return Canvas::wrapped(label.arg(places.join(QStringLiteral(", "))), noteFont(), width, kMostLines);
    }

    /// What a card leaves for text.
    [[nodiscard]] QRectF insideOf(const QRectF& card) const
    {
        return card.adjusted(m_c.u(18), m_c.u(9), -m_c.u(14), -m_c.u(9));
    }

    [[nodiscard]] QFont messageFont() const { return m_c.sans(13.5); }
    [[nodiscard]] QStringList messageOf(const trace::Finding& finding, double width) const
    {
        constexpr int kMostLines = 3;
        return Canvas::wrapped(QString::fromStdString(finding.message), messageFont(), width, kMostLines);
    }

    [[nodiscard]] QFont noteFont() const { return m_c.sans(12.5); }
    /// Why it is a defect and what to do, on the first card of a kind, and where a finding says so itself.
    [[nodiscard]] QStringList notesOf(const trace::Finding& finding, double width) const
    {
        const FindingKindInfo& info = infoOf(finding.kind);
        const auto isOfKind = [&](const trace::Finding* other) { return other->kind == finding.kind; };
        const bool isFirst = *std::find_if(m_findings.begin(), m_findings.end(), isOfKind) == &finding;
        constexpr int kMostLines = 2;
        QStringList lines;
        if (isFirst && *info.why)
            lines +=
                Canvas::wrapped(QObject::tr("why: %1").arg(QString::fromUtf8(info.why)), noteFont(), width, kMostLines);
        const std::string help = !finding.help.empty() ? finding.help : isFirst ? info.help : "";
        if (!help.empty())
            lines += Canvas::wrapped(QObject::tr("help: %1").arg(QString::fromStdString(help)), noteFont(), width,
                                     kMostLines);
        return lines;
    }

    [[nodiscard]] QColor colourOf(const trace::Finding& finding) const
    {
        return rank(finding) == 0 ? m_theme.error : rank(finding) == 1 ? m_theme.warning : m_theme.accent;
    }

    void paintCard(const QRectF& card, const findings::ToldFinding& finding)
    {
        m_p.setPen(QPen(m_theme.border, 1));
        m_p.setBrush(mixed(m_theme.raised, m_theme.stage, 0.45));
        m_p.drawRoundedRect(card, m_c.u(6), m_c.u(6));
        const QColor colour = colourOf(finding);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(colour);
        m_p.drawRect(QRectF(card.left(), card.top() + m_c.u(8), m_c.u(4), card.height() - m_c.u(16)));
        const QRectF whole = insideOf(card);
        const QRectF inside = besidePicture(finding, whole);
        const QFont bold = m_c.sans(14.5, true);
        const QString kind = QString::fromUtf8(nameOf(finding.kind));
        const double width = Canvas::widthOf(kind, bold) + m_c.u(14);
        m_c.text({inside.left(), inside.top(), inside.width(), m_line}, kind, bold, colour);
        QString where = QString::fromStdString(finding.kernel);
        if (!finding.buffer.empty())
            where += QStringLiteral("   ") + cellName(*m_snapshot.catalog, finding);
        if (finding.count > 1)
            where += QObject::tr("   %1 times").arg(finding.count);
        m_c.text({inside.left() + width, inside.top(), inside.width() - width, m_line}, where, m_c.sans(13),
                 m_theme.dim);
        double y = inside.top() + m_line;
        for (const QString& line : messageOf(finding, inside.width())) {
            m_c.text({inside.left(), y, inside.width(), m_line}, line, messageFont(), m_theme.text);
            y += m_line;
        }
        std::vector<trace::FindingAccess> sides = finding.accesses;
        sides.insert(sides.end(), finding.calls.begin(), finding.calls.end());
        for (size_t i = 0; i < std::min(sides.size(), kMostSides); ++i, y += 2 * m_line)
            paintSide({inside.left(), y, inside.width(), 2 * m_line}, finding, sides[i], colour);
        if (hasPicture(finding, whole)) {
            const double height = kPictureLines * m_line;
            FindingPicture(*m_snapshot.catalog, finding)
                .paint(m_c, {whole.right() - pictureWidth(), whole.top(), pictureWidth(), height - m_c.u(4)}, colour);
            y = std::max(y, whole.top() + height);
        }
        for (const QString& line : togetherOf(finding, whole.width()) + notesOf(finding, whole.width())) {
            m_c.text({whole.left(), y, whole.width(), m_line}, line, noteFont(), m_theme.dim);
            y += m_line;
        }
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
        // The host has no threads of a grid.
        const bool isOfKernel = !finding.kernel.empty();
        const bool known = isOfKernel && finding.launch.value < m_snapshot.catalog->launches.size();
        const trace::Launch launch = known ? m_snapshot.catalog->launches[finding.launch.value] : trace::Launch{};
        m_c.text({upper.left() + gutter, upper.bottom(), upper.width() - gutter, m_line},
                 isOfKernel ? QObject::tr("%1 by thread %2 of %3, epoch %4")
                                  .arg(QString::fromStdString(access.access), positionText(access.thread, launch.block),
                                       blockText(access.block, launch))
                                  .arg(access.epoch)
                            : QObject::tr("%1 by the host").arg(QString::fromStdString(access.access)),
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
    std::string m_only;
    size_t m_allowed;
    double m_line;
    size_t m_everywhere;                                   ///< findings, whatever is selected
    std::vector<const findings::ToldFinding*> m_all;       ///< of the selected steps
    std::vector<const findings::ToldFinding*> m_findings;  ///< that are shown, in order
};

}  // namespace

FindingsView::FindingsView()
    : View({.name = "findings", .title = "Findings", .help = "what the checks found, with both sides"})
{
}

Result<ViewDataPointer> FindingsView::compute(AnalysisCache& cache, const Snapshot&, const ViewSettings&) const
{
    auto found = cache.findings();
    if (!found)
        return found.error();
    auto data = std::make_shared<FindingsData>();
    data->findings = found.value()->told();
    data->allowed = found.value()->suppressed.size();
    return ViewDataPointer(data);
}

QString FindingsView::tabTitle(const trace::Catalog& catalog) const
{
    const size_t found = findings::toldOnce(catalog.findings).size();
    return found == 0 ? title() : QObject::tr("%1 %2").arg(title()).arg(found);
}

void FindingsView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                         const ViewSettings& settings) const
{
    FindingsPainter(canvas, snapshot, static_cast<const FindingsData&>(data), settings).paint();
}

}  // namespace lanescope::gui
