// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/roofline/roofline_view.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/gui/engine/value_format.h"
#include "app/gui/views/line_table.h"
#include "app/gui/views/roofline/roofline_chart.h"

namespace lanescope::gui {

namespace {

/// What a device could do at most: FP32 without tensor cores.
struct Peaks {
    QString device;
    double flops = 0;        ///< a second
    double globalBytes = 0;  ///< a second
    double sharedBytes = 0;
};

/// An H200 SXM, from NVIDIA's data sheet (HBM3e). Shared memory: multiprocessors × 32 banks × 4 B × clock.
Peaks modelledPeaks()
{
    return {QObject::tr("modelled device"), 66.9e12, 4.8e12, 132 * 32 * 4 * 1.98e9};
}

/// CUDA's programming guide, arithmetic instructions: results of 32-bit additions, multiplications and multiply-adds
/// per clock and multiprocessor.
double singlesPerClock(uint32_t capability)
{
    const bool half = capability == 60 || (capability >= 70 && capability <= 80);
    return half ? 64 : 128;
}

/// Of the GPU that recorded, where the trace tells enough of it, else the modelled ones.
Peaks peaksOf(const trace::SessionInfo& session)
{
    const trace::DeviceProperties& gpu = session.properties;
    if (gpu.multiprocessors == 0 || gpu.clockKilohertz == 0 || gpu.memoryClockKilohertz == 0 || gpu.memoryBusBits == 0)
        return modelledPeaks();
    const double clocks = 1e3 * gpu.clockKilohertz * gpu.multiprocessors;
    return {QString::fromStdString(session.device), clocks * singlesPerClock(gpu.capability) * 2,
            1e3 * gpu.memoryClockKilohertz * 2 * gpu.memoryBusBits / 8, clocks * 32 * 4};
}

struct RooflineData final : ViewData {
    std::vector<std::shared_ptr<const analysis::LaunchMetrics>> launches;
    std::shared_ptr<const analysis::LaunchMetrics> selected;  ///< null: nothing is selected
};

struct Point {
    const analysis::LaunchMetrics* launch = nullptr;
    QString name;
    bool isSelected = false;  ///< of the selected steps and warps, not of a launch
    double movedBytes = 0;    ///< in whole sectors
    double intensity = 0;     ///< flops per byte moved
    double attainable = 0;    ///< flops per second at most
    QString taken;            ///< from which blocks the bytes are taken, where not all were recorded
};

/// How many blocks there are to each recorded one: bytes are known of those alone, flops of all.
double blocksToARecordedOne(const trace::Launch& launch)
{
    if (launch.blocksRecorded == 0 || launch.blocksDropped == 0)
        return 1;
    return double(launch.blocksRecorded + launch.blocksDropped) / double(launch.blocksRecorded);
}

void findIntensity(Point& point, const Peaks& peaks)
{
    point.intensity = point.movedBytes > 0 ? double(point.launch->flops) / point.movedBytes : 0;
    point.attainable = std::min(peaks.flops, point.intensity * peaks.globalBytes);
}

Point pointOf(const analysis::LaunchMetrics& launch)
{
    Point point;
    point.launch = &launch;
    for (const analysis::LineMetrics& line : launch.lines)
        point.movedBytes += double(line.sectors) * analysis::kSectorBytes;
    return point;
}

/// Of a whole launch.
Point pointOf(const analysis::LaunchMetrics& launch, const trace::Launch& of, const Peaks& peaks)
{
    Point point = pointOf(launch);
    point.name = QString::fromStdString(launch.kernel);
    if (const double scale = blocksToARecordedOne(of); scale > 1) {
        point.movedBytes *= scale;
        point.taken =
            QObject::tr(" (from %1 of %2 blocks)").arg(of.blocksRecorded).arg(of.blocksRecorded + of.blocksDropped);
    }
    findIntensity(point, peaks);
    return point;
}

QString withUnit(double value, const char* unit)
{
    const char* prefix = "";
    for (const char* next : {"k", "M", "G", "T"}) {
        if (value < 1000)
            break;
        value /= 1000;
        prefix = next;
    }
    return QStringLiteral("%1 %2%3").arg(QString::number(value, 'g', 3), QLatin1String(prefix), QLatin1String(unit));
}

QString timeText(double seconds)
{
    const double nanoseconds = seconds * 1e9;
    return nanoseconds < 1e3   ? QObject::tr("%1 ns").arg(QString::number(nanoseconds, 'g', 3))
           : nanoseconds < 1e6 ? QObject::tr("%1 µs").arg(QString::number(nanoseconds / 1e3, 'g', 3))
                               : QObject::tr("%1 ms").arg(QString::number(nanoseconds / 1e6, 'g', 4));
}

class RooflinePainter {
public:
    RooflinePainter(Canvas& canvas, const Snapshot& snapshot, const RooflineData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot),
          m_peaks(peaksOf(snapshot.catalog->session)), m_selection(settings.selection)
    {
        for (const auto& launch : data.launches)
            if (const Point point = pointOf(*launch, snapshot.catalog->launches[launch->launch.value], m_peaks);
                point.movedBytes > 0)
                m_points.push_back(point);
        if (m_selection && data.selected && data.selected->flopsAreKnown)
            addSelected(*data.selected);
    }

    void paint()
    {
        const QRectF area = m_c.begin(subtitle());
        if (m_points.empty())
            return m_c.empty(QObject::tr("No launch accesses global memory."));
        m_plot = area.adjusted(m_c.u(74) * m_theme.typeScale, m_c.u(6), -m_c.u(14), -m_c.u(46) * m_theme.typeScale);
        chooseRange();
        m_chart.emplace(m_theme, m_plot, m_low, m_high);
        drawRoofs();
        for (const Point& point : m_points)
            if (point.intensity > 0)
                drawPoint(point);
        m_chart->paint(m_p);
        nameAxes();
        nameRoofs();
        paintList();
        for (size_t i = 0; i < m_points.size(); ++i)
            if (m_points[i].intensity > 0)
                namePoint(m_points[i], i);
    }

private:
    /// The last of the points, so that it lies above the others.
    void addSelected(const analysis::LaunchMetrics& metrics)
    {
        Point point = pointOf(metrics);
        point.isSelected = true;
        const trace::Launch& launch = m_snapshot.catalog->launches[metrics.launch.value];
        const QString block = blockText(positionOf(m_selection->block.value, launch.grid), launch);
        point.name = m_selection->warps.empty() ? QObject::tr("all of %1").arg(block)
                                                : QObject::tr("%1 of %2").arg(warpsText(*m_selection), block);
        findIntensity(point, m_peaks);
        m_points.push_back(point);
    }

    [[nodiscard]] bool hasSelected() const { return !m_points.empty() && m_points.back().isSelected; }

    [[nodiscard]] QString subtitle() const
    {
        if (m_selection && !hasSelected())
            return m_snapshot.catalog->session.isOfGpu()
                       ? QObject::tr("whole launches: flops of warps are not known of a GPU")
                       : QObject::tr("whole launches: flops are known of all steps of a block, not of some");
        return QObject::tr("%1: %2, %3 of memory; bytes are whole sectors, without caches")
            .arg(m_peaks.device, withUnit(m_peaks.flops, "flop/s"), withUnit(m_peaks.globalBytes, "B/s"));
    }

    void chooseRange()
    {
        double low = 0.05;
        double high = 100;
        for (const Point& point : m_points) {
            if (point.intensity == 0)
                continue;
            low = std::min(low, point.intensity / 3);
            high = std::max(high, point.intensity * 3);
        }
        const double left = std::pow(10, std::floor(std::log10(low)));
        m_low = {left, std::pow(10, std::floor(std::log10(left * m_peaks.globalBytes)))};
        m_high = {std::pow(10, std::ceil(std::log10(high))), std::pow(10, std::ceil(std::log10(m_peaks.flops) + 0.15))};
    }

    [[nodiscard]] QPointF at(double intensity, double flops) { return m_chart->at({intensity, flops}); }

    void nameAxes()
    {
        const QFont font = m_c.sans(11.5);
        const double line = m_c.u(18) * m_theme.typeScale;
        constexpr double kNearly = 0.99;  // powers are rounded
        for (double x = m_low.x(); x * kNearly <= m_high.x(); x *= 10)
            m_c.text({at(x, m_low.y()).x() - m_c.u(40), m_plot.bottom() + m_c.u(5), m_c.u(80), line},
                     QString::number(x), font, m_theme.dim, Qt::AlignCenter);
        for (double y = m_low.y(); y * kNearly <= m_high.y(); y *= 10) {
            const double width = m_c.u(70) * m_theme.typeScale;
            // The lowest one would meet the first of the others.
            const double lift = y == m_low.y() ? line / 2 : 0;
            m_c.text({m_plot.left() - width - m_c.u(6), at(m_low.x(), y).y() - line / 2 - lift, width, line},
                     withUnit(y, "flop/s"), font, m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
        }
        m_c.text({m_plot.left(), m_plot.bottom() + line + m_c.u(6), m_plot.width(), line},
                 QObject::tr("flops per byte moved from or to global memory"), m_c.sans(12.5), m_theme.text,
                 Qt::AlignCenter);
    }

    void drawRoofs()
    {
        const auto slope = [&](double bytesPerSecond, const QPen& pen) {
            const double first = std::max(m_low.x(), m_low.y() / bytesPerSecond);
            m_chart->addLine({first, first * bytesPerSecond}, {m_peaks.flops / bytesPerSecond, m_peaks.flops}, pen);
        };
        const double thick = m_c.u(2.2);
        slope(m_peaks.sharedBytes, QPen(m_theme.dim, thick, Qt::DashLine));
        slope(m_peaks.globalBytes, QPen(m_theme.text, thick));
        m_chart->addLine({m_peaks.flops / m_peaks.globalBytes, m_peaks.flops}, {m_high.x(), m_peaks.flops},
                         QPen(m_theme.text, thick));
    }

    /// Where along a roof its name of \p width pixels meets no point: flops per byte at which it begins.
    [[nodiscard]] double freePlace(double bytesPerSecond, double width)
    {
        const double clear = m_c.u(26) * m_theme.typeScale;
        const auto isFree = [&](double place) {
            const QPointF begin = at(place, place * bytesPerSecond);
            const QPointF next = at(place * 10, place * 10 * bytesPerSecond);
            const QPointF along = (next - begin) / std::hypot(next.x() - begin.x(), next.y() - begin.y());
            const bool isInside = begin.y() <= m_plot.bottom() && (begin + along * width).y() >= m_plot.top() &&
                                  place * bytesPerSecond < m_peaks.flops;
            return isInside && std::none_of(m_points.begin(), m_points.end(), [&](const Point& point) {
                       if (point.intensity == 0)
                           return false;
                       const QPointF offset = at(point.intensity, point.attainable) - begin;
                       const double share = std::clamp(QPointF::dotProduct(offset, along), 0.0, width);
                       const QPointF away = offset - along * share;
                       return std::hypot(away.x(), away.y()) < clear;
                   });
        };
        constexpr double kUsual = 0.06;  // of the axis
        for (double share = kUsual; share < 0.6; share += 0.04)
            if (const double place = m_low.x() * std::pow(m_high.x() / m_low.x(), share); isFree(place))
                return place;
        return m_low.x() * std::pow(m_high.x() / m_low.x(), kUsual);
    }

    /// Along the line, a little above it.
    void nameRoof(double bytesPerSecond, const QColor& colour, const QString& name)
    {
        const double width = Canvas::widthOf(name, m_c.sans(12.5, true)) + m_c.u(24);
        const double place = freePlace(bytesPerSecond, width);
        const QPointF p = at(place, std::max(place * bytesPerSecond, m_low.y()));
        const QPointF q = at(place * 10, place * 10 * bytesPerSecond);
        m_p.save();
        m_p.translate(p);
        m_p.rotate(std::atan2(q.y() - p.y(), q.x() - p.x()) * 180 / M_PI);
        m_c.text(
            {m_c.u(20), -m_c.u(22) * m_theme.typeScale, m_c.u(300) * m_theme.typeScale, m_c.u(18) * m_theme.typeScale},
            name, m_c.sans(12.5, true), colour);
        m_p.restore();
    }

    void nameRoofs()
    {
        const QPointF right = at(m_high.x(), m_peaks.flops);
        m_c.text(
            {m_plot.left(), right.y() - m_c.u(30) * m_theme.typeScale, m_plot.width(), m_c.u(18) * m_theme.typeScale},
            QObject::tr("arithmetic, %1").arg(withUnit(m_peaks.flops, "flop/s")), m_c.sans(12.5, true), m_theme.text,
            Qt::AlignRight | Qt::AlignVCenter);
        nameRoof(m_peaks.globalBytes, m_theme.text,
                 QObject::tr("global memory, %1").arg(withUnit(m_peaks.globalBytes, "B/s")));
        nameRoof(m_peaks.sharedBytes, m_theme.dim,
                 QObject::tr("shared memory, %1").arg(withUnit(m_peaks.sharedBytes, "B/s")));
    }

    [[nodiscard]] bool isFocused(const Point& point) const { return point.launch->launch == m_snapshot.focus.launch; }

    [[nodiscard]] double radiusOf(const Point& point) const { return m_c.u(isFocused(point) ? 8 : 6); }

    /// Beside what is selected the launches are pale.
    void drawPoint(const Point& point)
    {
        const QColor colour =
            hasSelected() && !point.isSelected ? mixed(m_theme.write, m_theme.stage, 0.35) : m_theme.write;
        m_chart->addLine({point.intensity, point.attainable}, {point.intensity, m_low.y()},
                         QPen(colour, m_c.u(1.5), Qt::DotLine));
        m_chart->addPoint({point.intensity, point.attainable}, radiusOf(point), colour,
                          QPen(isFocused(point) ? m_theme.strong : m_theme.stage, m_c.u(2)));
    }

    void namePoint(const Point& point, size_t index)
    {
        const QPointF p = at(point.intensity, point.attainable);
        const double radius = radiusOf(point);
        paintNumber(p, index);
        replay::Focus focus;
        focus.launch = point.launch->launch;
        m_c.hit({QRectF(p.x() - radius, p.y() - radius, 2 * radius, 2 * radius), point.name, focus, {}});
    }

    /// Points in one place share a label, written by the first of them.
    void paintNumber(QPointF place, size_t index)
    {
        QStringList numbers;
        for (size_t other = 0; other < m_points.size(); ++other) {
            const QPointF there = at(m_points[other].intensity, m_points[other].attainable);
            if (m_points[other].intensity == 0 || (there - place).manhattanLength() > m_c.u(14))
                continue;
            if (other < index)
                return;
            numbers << QString::number(other);
        }
        m_c.text({place.x() + m_c.u(12), place.y() + m_c.u(4), m_c.u(160), m_c.u(18)},
                 numbers.join(QStringLiteral(", ")), m_c.sans(13, true), m_theme.text);
    }

    [[nodiscard]] QStringList textsOf(size_t index) const
    {
        const Point& point = m_points[index];
        const QString bound =
            point.movedBytes == 0 ? QObject::tr("nothing from or to global memory")
            : point.intensity == 0
                ? QObject::tr("no flops: at least %1 for its bytes")
                      .arg(timeText(point.movedBytes / m_peaks.globalBytes))
                : QObject::tr("%1 flop/B → at most %2 (%3)")
                      .arg(QString::number(point.intensity, 'g', 3), withUnit(point.attainable, "flop/s"),
                           point.attainable < m_peaks.flops ? QObject::tr("memory-bound")
                                                            : QObject::tr("compute-bound"));
        return {QObject::tr("%1  %2").arg(index).arg(point.name),
                QObject::tr("%1, %2 moved%3")
                    .arg(withUnit(double(point.launch->flops), "flop"), withUnit(point.movedBytes, "B"), point.taken),
                bound};
    }

    /// In the corner under the roofs, where no point can be.
    void paintList()
    {
        const double line = m_c.u(20) * m_theme.typeScale;
        const double entry = 3 * line + m_c.u(10);
        const auto room = static_cast<size_t>(std::max(1.0, (m_plot.height() * 0.6 - m_c.u(20)) / entry));
        const size_t shown = std::min(room, m_points.size());
        // What is selected stands first.
        std::vector<size_t> order(m_points.size());
        for (size_t i = 0; i < order.size(); ++i)
            order[i] = hasSelected() ? (i + order.size() - 1) % order.size() : i;
        double width = 0;
        for (size_t i = 0; i < shown; ++i)
            for (const QString& text : textsOf(order[i]))
                width = std::max(width, Canvas::widthOf(text, m_c.sans(14, true)));
        width = std::min(width + m_c.u(28), m_plot.width() * 0.6);
        const QRectF box(m_plot.right() - width - m_c.u(10), m_plot.bottom() - entry * double(shown) - m_c.u(20), width,
                         entry * double(shown) + m_c.u(10));
        m_p.setPen(QPen(m_theme.border, 1));
        m_p.setBrush(mixed(m_theme.raised, m_theme.stage, 0.5));
        m_p.drawRoundedRect(box, m_c.u(6), m_c.u(6));
        double y = box.top() + m_c.u(10);
        for (size_t i = 0; i < shown; ++i, y += m_c.u(10)) {
            replay::Focus focus;
            focus.launch = m_points[order[i]].launch->launch;
            m_c.hit({QRectF(box.left(), y, box.width(), 3 * line), QObject::tr("to this launch"), focus, {}});
            const QStringList texts = textsOf(order[i]);
            for (int t = 0; t < texts.size(); ++t, y += line)
                m_c.text({box.left() + m_c.u(14), y, box.width() - m_c.u(20), line}, texts[t],
                         m_c.sans(t == 0 ? 14 : 13, t == 0), t == 0 ? m_theme.text : m_theme.dim);
        }
        if (shown < m_points.size())
            m_c.leaveOut();
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    Peaks m_peaks;
    std::optional<analysis::StepsOfBlock> m_selection;
    std::vector<Point> m_points;  ///< of launches, and behind them that of what is selected
    QRectF m_plot;
    QPointF m_low;  ///< powers of ten: flops per byte, flops per second
    QPointF m_high;
    std::optional<RooflineChart> m_chart;
};

}  // namespace

RooflineView::RooflineView()
    : View({.name = "roofline", .title = "Roofline", .help = "arithmetic intensity against what the device could do"})
{
}

Result<ViewDataPointer> RooflineView::compute(AnalysisCache& cache, const Snapshot&, const ViewSettings& settings) const
{
    constexpr size_t kMostLaunches = 64;
    auto data = std::make_shared<RooflineData>();
    if (settings.selection) {
        auto selected = cache.metrics(*settings.selection);
        if (!selected)
            return selected.error();
        data->selected = std::move(selected).value();
    }
    for (const trace::Launch& launch : cache.session().catalog().launches) {
        auto metrics = cache.metrics(launch.id);
        if (!metrics)
            return metrics.error();
        data->launches.push_back(metrics.value());
        if (data->launches.size() == kMostLaunches)
            break;
    }
    return ViewDataPointer(data);
}

void RooflineView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                         const ViewSettings& settings) const
{
    RooflinePainter(canvas, snapshot, static_cast<const RooflineData&>(data), settings).paint();
}

}  // namespace lanescope::gui
