// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/roofline/roofline_view.h"

#include <algorithm>
#include <cmath>

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
};

struct Point {
    const analysis::LaunchMetrics* launch = nullptr;
    double movedBytes = 0;  ///< in whole sectors
    double intensity = 0;   ///< flops per byte moved
    double attainable = 0;  ///< flops per second at most
};

Point pointOf(const analysis::LaunchMetrics& launch, const Peaks& peaks)
{
    Point point{&launch, 0, 0, 0};
    for (const analysis::LineMetrics& line : launch.lines)
        point.movedBytes += double(line.sectors) * analysis::kSectorBytes;
    point.intensity = point.movedBytes > 0 ? double(launch.flops) / point.movedBytes : 0;
    point.attainable = std::min(peaks.flops, point.intensity * peaks.globalBytes);
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
    RooflinePainter(Canvas& canvas, const Snapshot& snapshot, const RooflineData& data)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot),
          m_peaks(peaksOf(snapshot.catalog->session))
    {
        for (const auto& launch : data.launches)
            if (const Point point = pointOf(*launch, m_peaks); point.movedBytes > 0)
                m_points.push_back(point);
    }

    void paint()
    {
        const QRectF area = m_c.begin(
            QObject::tr("Roofline"),
            QObject::tr("%1: %2, %3 of memory; bytes are whole sectors, without caches")
                .arg(m_peaks.device, withUnit(m_peaks.flops, "flop/s"), withUnit(m_peaks.globalBytes, "B/s")));
        if (m_points.empty())
            return m_c.empty(QObject::tr("No launch accesses global memory."));
        m_plot = area.adjusted(m_c.u(74) * m_theme.typeScale, m_c.u(6), -m_c.u(14), -m_c.u(46) * m_theme.typeScale);
        chooseRange();
        paintAxes();
        paintRoofs();
        paintList();
        for (size_t i = 0; i < m_points.size(); ++i)
            if (m_points[i].intensity > 0)
                paintPoint(m_points[i], i);
    }

private:
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
        m_lowX = std::floor(std::log10(low));
        m_highX = std::ceil(std::log10(high));
        m_lowY = std::floor(std::log10(std::pow(10, m_lowX) * m_peaks.globalBytes));
        m_highY = std::ceil(std::log10(m_peaks.flops) + 0.15);
    }

    [[nodiscard]] QPointF at(double intensity, double flops) const
    {
        return {m_plot.left() + m_plot.width() * (std::log10(intensity) - m_lowX) / (m_highX - m_lowX),
                m_plot.bottom() - m_plot.height() * (std::log10(flops) - m_lowY) / (m_highY - m_lowY)};
    }

    void paintAxes()
    {
        const QFont font = m_c.sans(11.5);
        const double line = m_c.u(18) * m_theme.typeScale;
        for (double x = m_lowX; x <= m_highX; ++x) {
            const QPointF p = at(std::pow(10, x), std::pow(10, m_lowY));
            m_p.setPen(QPen(mixed(m_theme.border, m_theme.stage, 0.6), 1));
            m_p.drawLine(QPointF(p.x(), m_plot.top()), QPointF(p.x(), m_plot.bottom()));
            m_c.text({p.x() - m_c.u(40), m_plot.bottom() + m_c.u(3), m_c.u(80), line}, QString::number(std::pow(10, x)),
                     font, m_theme.dim, Qt::AlignCenter);
        }
        for (double y = m_lowY; y <= m_highY; ++y) {
            const QPointF p = at(std::pow(10, m_lowX), std::pow(10, y));
            m_p.setPen(QPen(mixed(m_theme.border, m_theme.stage, 0.6), 1));
            m_p.drawLine(QPointF(m_plot.left(), p.y()), QPointF(m_plot.right(), p.y()));
            const double width = m_c.u(70) * m_theme.typeScale;
            m_c.text({m_plot.left() - width - m_c.u(6), p.y() - line / 2, width, line},
                     withUnit(std::pow(10, y), "flop/s"), font, m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
        }
        m_c.text({m_plot.left(), m_plot.bottom() + line + m_c.u(4), m_plot.width(), line},
                 QObject::tr("flops per byte moved from or to global memory"), m_c.sans(12.5), m_theme.text,
                 Qt::AlignCenter);
    }

    void paintRoof(double bytesPerSecond, const QColor& colour, Qt::PenStyle style, const QString& name)
    {
        const double ridge = m_peaks.flops / bytesPerSecond;
        const double first = std::pow(10, m_lowX);
        m_p.save();
        m_p.setClipRect(m_plot);
        m_p.setPen(QPen(colour, m_c.u(2.2), style));
        m_p.drawLine(at(first, first * bytesPerSecond), at(ridge, m_peaks.flops));
        m_p.restore();
        // Along the line, a little above it.
        const double place = std::pow(10, m_lowX + 0.06 * (m_highX - m_lowX)) * 1.0;
        const QPointF p = at(place, std::max(place * bytesPerSecond, std::pow(10, m_lowY)));
        const QPointF q = at(place * 10, place * 10 * bytesPerSecond);
        m_p.save();
        m_p.translate(p);
        m_p.rotate(std::atan2(q.y() - p.y(), q.x() - p.x()) * 180 / M_PI);
        m_c.text(
            {m_c.u(20), -m_c.u(22) * m_theme.typeScale, m_c.u(300) * m_theme.typeScale, m_c.u(18) * m_theme.typeScale},
            name, m_c.sans(12.5, true), colour);
        m_p.restore();
    }

    void paintRoofs()
    {
        const double last = std::pow(10, m_highX);
        m_p.setPen(QPen(m_theme.text, m_c.u(2.2)));
        m_p.drawLine(at(m_peaks.flops / m_peaks.globalBytes, m_peaks.flops), at(last, m_peaks.flops));
        const QPointF right = at(last, m_peaks.flops);
        m_c.text(
            {m_plot.left(), right.y() - m_c.u(22) * m_theme.typeScale, m_plot.width(), m_c.u(18) * m_theme.typeScale},
            QObject::tr("arithmetic, %1").arg(withUnit(m_peaks.flops, "flop/s")), m_c.sans(12.5, true), m_theme.text,
            Qt::AlignRight | Qt::AlignVCenter);
        paintRoof(m_peaks.globalBytes, m_theme.text, Qt::SolidLine,
                  QObject::tr("global memory, %1").arg(withUnit(m_peaks.globalBytes, "B/s")));
        paintRoof(m_peaks.sharedBytes, m_theme.faint, Qt::DashLine,
                  QObject::tr("shared memory, %1").arg(withUnit(m_peaks.sharedBytes, "B/s")));
    }

    void paintPoint(const Point& point, size_t index)
    {
        const bool here = point.launch->launch == m_snapshot.focus.launch;
        const QPointF p = at(point.intensity, point.attainable);
        const double radius = m_c.u(here ? 8 : 6);
        m_p.setPen(QPen(m_theme.write, m_c.u(1.5), Qt::DotLine));
        m_p.drawLine(p, QPointF(p.x(), m_plot.bottom()));
        m_p.setPen(QPen(here ? m_theme.strong : m_theme.stage, m_c.u(2)));
        m_p.setBrush(m_theme.write);
        m_p.drawEllipse(p, radius, radius);
        paintNumber(p, index);
        replay::Focus focus;
        focus.launch = point.launch->launch;
        m_c.hit({QRectF(p.x() - radius, p.y() - radius, 2 * radius, 2 * radius),
                 QString::fromStdString(point.launch->kernel),
                 focus,
                 {}});
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
            point.intensity == 0
                ? QObject::tr("no flops: at least %1 for its bytes")
                      .arg(timeText(point.movedBytes / m_peaks.globalBytes))
                : QObject::tr("%1 flop/B → at most %2 (%3)")
                      .arg(QString::number(point.intensity, 'g', 3), withUnit(point.attainable, "flop/s"),
                           point.attainable < m_peaks.flops ? QObject::tr("memory-bound")
                                                            : QObject::tr("compute-bound"));
        return {QObject::tr("%1  %2").arg(index).arg(QString::fromStdString(point.launch->kernel)),
                QObject::tr("%1, %2 moved")
                    .arg(withUnit(double(point.launch->flops), "flop"), withUnit(point.movedBytes, "B")),
                bound};
    }

    /// In the corner under the roofs, where no point can be.
    void paintList()
    {
        const double line = m_c.u(20) * m_theme.typeScale;
        const double entry = 3 * line + m_c.u(10);
        const auto room = static_cast<size_t>(std::max(1.0, (m_plot.height() * 0.6 - m_c.u(20)) / entry));
        const size_t shown = std::min(room, m_points.size());
        double width = 0;
        for (size_t i = 0; i < shown; ++i)
            for (const QString& text : textsOf(i))
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
            focus.launch = m_points[i].launch->launch;
            m_c.hit({QRectF(box.left(), y, box.width(), 3 * line), QObject::tr("to this launch"), focus, {}});
            const QStringList texts = textsOf(i);
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
    std::vector<Point> m_points;
    QRectF m_plot;
    double m_lowX = -2, m_highX = 2, m_lowY = 10, m_highY = 14;
};

}  // namespace

Result<ViewDataPointer> RooflineView::compute(AnalysisCache& cache, const Snapshot&, const ViewSettings&) const
{
    constexpr size_t kMostLaunches = 64;
    auto data = std::make_shared<RooflineData>();
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

void RooflineView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data, const ViewSettings&) const
{
    RooflinePainter(canvas, snapshot, static_cast<const RooflineData&>(data)).paint();
}

}  // namespace lanescope::gui
