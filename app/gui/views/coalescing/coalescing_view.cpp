// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/coalescing/coalescing_view.h"

#include <algorithm>
#include <bit>
#include <map>

#include "app/gui/views/line_table.h"

namespace lanescope::gui {

namespace {

using analysis::kSectorBytes;
using analysis::LineMetrics;

struct CoalescingData final : ViewData {
    std::shared_ptr<const analysis::LaunchMetrics> metrics;
    std::optional<StatementEvent> worst;  ///< of the focused block, for steps that touch no global memory
};

bool isGlobalAccess(const trace::Event& event, const trace::Catalog& catalog)
{
    return event.isAccess() && event.mask != 0 && event.laneBuffer.empty() && event.buffer != kNoBuffer &&
           catalog.buffers[event.buffer.value].space == trace::Space::Global;
}

/// The block's first request at the line with the most sectors beyond the ideal.
Result<std::optional<StatementEvent>> worstRequest(replay::Session& session, const Snapshot& snapshot,
                                                   const analysis::LaunchMetrics& metrics)
{
    std::map<uint32_t, double> excess;
    for (const LineMetrics& line : metrics.lines)
        if (line.space == trace::Space::Global)
            excess[line.site.value] = double(line.sectors) - double(line.idealSectors);
    std::optional<StatementEvent> worst;
    const BlockIndex block{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
    constexpr StepIndex kLookedAt = 100'000;
    auto visited =
        session.reader().visit(snapshot.focus.launch, block, 0, std::min(kLookedAt, snapshot.overview->stepCount),
                               trace::Detail::Places, [&](StepIndex step, const trace::Event& event) {
                                   if (isGlobalAccess(event, session.catalog()) &&
                                       (!worst || excess[event.site.value] > excess[worst->event.site.value]))
                                       worst = StatementEvent{step, event};
                                   return true;
                               });
    if (!visited)
        return visited.error();
    return worst;
}

/// One sector of memory: which lanes want which of its bytes.
struct Sector {
    uint64_t address = 0;
    std::map<uint32_t, std::vector<int>> lanes;  ///< by first byte in the sector
    uint32_t used = 0;                           ///< one bit per byte
};

double perRequest(uint64_t sectors, const LineMetrics& line)
{
    return line.requests > 0 ? double(sectors) / double(line.requests) : 0;
}

class CoalescingPainter {
public:
    CoalescingPainter(Canvas& canvas, const Snapshot& snapshot, const CoalescingData& data,
                      const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_data(data),
          m_settings(settings)
    {
        for (const LineMetrics& line : data.metrics->lines)
            if (line.space == trace::Space::Global)
                m_lines.push_back(&line);
    }

    void paint()
    {
        std::vector<const StatementEvent*> events;
        for (const StatementEvent& entry : m_snapshot.statement)
            if (isGlobalAccess(entry.event, *m_snapshot.catalog))
                events.push_back(&entry);
        const QString which =
            !events.empty() ? QObject::tr("this step") : QObject::tr("worst line; this step touches no global memory");
        if (events.empty() && m_data.worst)
            events.push_back(&*m_data.worst);
        const QRectF area = m_c.begin(
            QObject::tr("%1  ·  a box is a sector of 32 bytes, a number a lane%2")
                .arg(which, m_settings.selection ? QStringLiteral("  ·  ") + selectionText(m_snapshot, m_settings, {})
                                                 : QString()));
        if (m_lines.empty())
            return m_c.empty(m_settings.selection ? QObject::tr("The selected steps do not use global memory.")
                                                  : QObject::tr("This launch does not use global memory."));
        const double gap = m_c.u(16);
        const double table = std::min(area.height() * 0.5, lineTableHeight(m_c, m_lines.size()));
        double y = area.top();
        for (size_t i = 0; i < events.size(); ++i) {
            const double room = (area.bottom() - table - y) / double(events.size() - i);
            y = paintRequest({area.left(), y, area.width(), room - gap}, *events[i]) + gap;
        }
        paintTable({area.left(), y, area.width(), area.bottom() - y});
    }

private:
    /// Within \p area; returns where it ends.
    double paintRequest(const QRectF& area, const StatementEvent& entry)
    {
        const trace::Event& event = entry.event;
        const trace::Buffer& buffer = m_snapshot.catalog->buffers[event.buffer.value];
        const trace::Site& site = m_snapshot.site(event.site);
        const uint32_t bytes = std::clamp(site.type.totalBytes(), 1U, 16U);
        std::map<uint64_t, Sector> sectors;
        std::array<uint64_t, kWarpSize> address{};
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const uint64_t first = buffer.deviceAddress + event.offset[static_cast<size_t>(lane)];
            address[static_cast<size_t>(lane)] = first;
            Sector& sector = sectors[first / kSectorBytes];
            sector.lanes[static_cast<uint32_t>(first % kSectorBytes)].push_back(lane);
            for (uint64_t b = first; b < first + bytes; ++b)
                sectors[b / kSectorBytes].used |= 1U << (b % kSectorBytes);
        }
        const analysis::SectorCost cost = analysis::sectorCost(event.mask, address, bytes);
        const double line = m_c.u(22) * m_theme.typeScale;
        const bool bad = cost.sectors > cost.idealSectors;
        m_c.text({area.left(), area.top(), area.width(), line},
                 QObject::tr("line %1   %2").arg(site.where.line).arg(QString::fromStdString(site.expression)),
                 m_c.mono(14), m_theme.text);
        const double share = 100.0 * cost.distinctBytes / std::max(1U, cost.sectors * kSectorBytes);
        m_c.text({area.left(), area.top() + line, area.width(), line},
                 QObject::tr("%1 sector%2 for %3 lane%4, ideal %5; %6 % of the fetched bytes are used")
                     .arg(cost.sectors)
                     .arg(cost.sectors == 1 ? "" : "s")
                     .arg(std::popcount(event.mask))
                     .arg(std::popcount(event.mask) == 1 ? "" : "s")
                     .arg(cost.idealSectors)
                     .arg(share, 0, 'f', share < 10 ? 1 : 0),
                 m_c.sans(14, true), bad ? m_theme.error : m_theme.good);
        return paintSectors(area.adjusted(0, 2 * line + m_c.u(8), 0, 0), sectors, bytes, event.kind);
    }

    double paintSectors(const QRectF& area, const std::map<uint64_t, Sector>& sectors, uint32_t bytes,
                        trace::SiteKind kind)
    {
        const size_t perRow = sectors.size() <= 4 ? std::max<size_t>(2, sectors.size()) : 8;
        const size_t rows = (sectors.size() + perRow - 1) / perRow;
        const double pitchX = area.width() / double(perRow);
        const double pitchY = std::min(m_c.u(rows == 1 ? 64 : 46), area.height() / double(std::max<size_t>(1, rows)));
        const double height = std::max(m_c.u(6), pitchY - m_c.u(7));
        constexpr double kSmallestType = 7.5;
        const QColor colour = m_theme.ofKind(kind);
        size_t index = 0;
        uint64_t previous = 0;
        for (const auto& [number, sector] : sectors) {
            const size_t row = index / perRow;
            const QRectF box(area.left() + pitchX * double(index % perRow), area.top() + pitchY * double(row),
                             pitchX - m_c.u(6), height);
            const bool gap = index > 0 && number != previous + 1;
            previous = number;
            ++index;
            m_p.setPen(QPen(m_theme.border, 1));
            m_p.setBrush(m_theme.cell);
            m_p.drawRect(box);
            if (gap) {  // not a neighbour of the one before
                m_p.setPen(QPen(m_theme.error, m_c.u(2)));
                m_p.drawLine(box.topLeft() + QPointF(-m_c.u(3), 0), box.bottomLeft() + QPointF(-m_c.u(3), 0));
            }
            const double unit = box.width() / kSectorBytes;
            for (const auto& [first, lanes] : sector.lanes) {
                const QRectF word(box.left() + unit * first + 0.5, box.top() + 1,
                                  unit * std::min(bytes, kSectorBytes - first) - 1, box.height() - 2);
                m_p.setPen(Qt::NoPen);
                m_p.setBrush(colour);
                m_p.drawRect(word);
                const QString text =
                    lanes.size() == 1 ? QString::number(lanes.front()) : QStringLiteral("%1×").arg(lanes.size());
                double type = std::min(12.0, height / m_c.u(1) * 0.5);
                while (type > kSmallestType && Canvas::widthOf(text, m_c.mono(type, true)) > word.width())
                    --type;
                const QFont font = m_c.mono(type, true);
                if (Canvas::widthOf(text, font) <= word.width() && height > m_c.u(11))
                    m_c.text(word, text, font, m_theme.stage, Qt::AlignCenter);
                m_c.hit({word, QObject::tr("lane %1, byte %2 of the sector").arg(lanes.front()).arg(first), {}, {}});
            }
        }
        return area.top() + pitchY * double(rows);
    }

    void paintTable(const QRectF& area)
    {
        const auto fixed = [](double value) { return QString::number(value, 'f', value < 10 ? 2 : 1); };
        std::vector<LineColumn> columns = placeColumns(m_snapshot);
        columns.push_back(countColumn(QObject::tr("requests"), 110, [](const auto& l) { return double(l.requests); }));
        columns.push_back({QObject::tr("sectors / request"), 220, false,
                           [fixed](const LineMetrics& l) { return fixed(perRequest(l.sectors, l)); },
                           [](const LineMetrics& l) { return perRequest(l.sectors, l); },
                           [](const LineMetrics& l, const Theme& theme) {
                               return l.sectors > l.idealSectors ? theme.error : theme.read;
                           }});
        columns.push_back({QObject::tr("ideal"),
                           80,
                           false,
                           [fixed](const LineMetrics& l) { return fixed(perRequest(l.idealSectors, l)); },
                           [](const LineMetrics& l) { return perRequest(l.idealSectors, l); },
                           {}});
        columns.push_back(countColumn(QObject::tr("extra sectors"), 130, [](const auto& l) {
            return double(l.sectors - std::min(l.sectors, l.idealSectors));
        }));
        paintLineTable(m_c, area, m_snapshot, m_lines, columns, m_settings);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const CoalescingData& m_data;
    const ViewSettings& m_settings;
    std::vector<const LineMetrics*> m_lines;
};

}  // namespace

CoalescingView::CoalescingView()
    : View({.name = "coalescing",
            .title = "Coalescing",
            .help = "a request in its sectors, and sectors per request of every line",
            .countsSelection = true})
{
}

Result<ViewDataPointer> CoalescingView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                                const ViewSettings& settings) const
{
    auto data = std::make_shared<CoalescingData>();
    auto metrics = selectedMetrics(cache, snapshot, settings);
    if (!metrics)
        return metrics.error();
    data->metrics = metrics.value();
    auto worst = worstRequest(cache.session(), snapshot, *data->metrics);
    if (!worst)
        return worst.error();
    data->worst = worst.value();
    return ViewDataPointer(data);
}

void CoalescingView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                           const ViewSettings& settings) const
{
    CoalescingPainter(canvas, snapshot, static_cast<const CoalescingData&>(data), settings).paint();
}

}  // namespace lanescope::gui
