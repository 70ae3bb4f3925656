// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export/text_proof.h"

#include <QFontMetricsF>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>

namespace lanescope::gui {

/// A piece of text as it was drawn; lengths in pixels of the picture.
struct DrawnText {
    QString text;
    QRectF ink;
    QRectF shown;  ///< the part of the ink that no edge cuts
    double size = 0;
    bool isCovered = false;  ///< partly, by what was painted later
};

namespace {

constexpr double kSmallest = 8;   // pixels of type; digits are then 6 high
constexpr double kTolerance = 1;  // pixels: ink that only seems to reach that far, by hinting

bool isLarge(const QRectF& area)
{
    return area.width() > kTolerance && area.height() > kTolerance;
}

bool isWithin(const QRectF& inner, const QRectF& outer)
{
    return outer.adjusted(-kTolerance, -kTolerance, kTolerance, kTolerance).contains(inner);
}

/// Written twice in one place, as letters with an outline are.
bool isSame(const DrawnText& a, const DrawnText& b)
{
    return a.text == b.text && (a.ink.center() - b.ink.center()).manhattanLength() <= 2 * kTolerance;
}

/// Of which too little is left; of a number, any digit that is missing.
bool isElided(const QString& text)
{
    constexpr qsizetype kTelling = 3;  // letters
    const auto isOfNumber = [](QChar letter) { return letter.isDigit() || letter == u',' || letter == u'.'; };
    return text.endsWith(u'…') &&
           (text.trimmed().size() <= kTelling || std::all_of(text.begin(), text.end() - 1, isOfNumber));
}

TextFault faultOf(const DrawnText& run, TextFault::Kind kind, const QString& other = {})
{
    const QRect place = run.ink.toAlignedRect();
    return {kind, run.text.toStdString(), other.toStdString(), place.x(), place.y(), place.width(), place.height()};
}

}  // namespace

class TextProof::Engine : public QPaintEngine {
public:
    explicit Engine(QSize size) : QPaintEngine(AllFeatures), m_picture(QPointF(0, 0), QSizeF(size)) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    [[nodiscard]] Type type() const override { return User; }

    void updateState(const QPaintEngineState& now) override
    {
        const bool path = now.state().testFlag(DirtyClipPath);
        if (!path && !now.state().testFlag(DirtyClipRegion))
            return;
        const QTransform device = now.transform();
        const QRegion clip =
            path ? QRegion(device.map(now.clipPath()).toFillPolygon().toPolygon()) : device.map(now.clipRegion());
        if (now.clipOperation() == Qt::NoClip)
            m_clip.reset();
        else if (now.clipOperation() == Qt::IntersectClip && m_clip)
            m_clip = m_clip->intersected(clip);
        else
            m_clip = clip;
    }

    void drawTextItem(const QPointF& at, const QTextItem& item) override
    {
        if (item.text().trimmed().isEmpty())
            return;
        const QTransform device = painter()->deviceTransform();
        const double scale = std::sqrt(std::abs(device.determinant()));
        const QFontMetricsF metrics(item.font());
        DrawnText run;
        run.text = item.text();
        constexpr double kRounding = 0.5;  // metrics are whole pixels, before they are magnified
        run.ink = device.mapRect(
            metrics.tightBoundingRect(run.text).translated(at).adjusted(kRounding, kRounding, -kRounding, -kRounding));
        run.shown = run.ink.intersected(edges());
        run.size = scale * (item.font().pixelSize() > 0 ? item.font().pixelSize() : metrics.height() / kLineHeight);
        const bool scrolledAway = !isLarge(run.shown) && m_picture.intersects(run.ink);
        if (!scrolledAway)
            m_runs.push_back(run);
    }

    void drawPath(const QPainterPath& path) override
    {
        if (painter()->brush().isOpaque())
            cover(painter()->deviceTransform().map(path));
    }
    void drawRects(const QRectF* rects, int count) override
    {
        for (int i = 0; i < count && painter()->brush().isOpaque(); ++i)
            coverBox(rects[i]);
    }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override
    {
        if (mode == PolylineMode)
            return;
        QPainterPath path;
        path.addPolygon(QPolygonF(QList<QPointF>(points, points + count)));
        path.closeSubpath();
        drawPath(path);
    }
    void drawLines(const QLineF*, int) override {}
    void drawPixmap(const QRectF& area, const QPixmap& pixmap, const QRectF&) override
    {
        if (!pixmap.hasAlpha())
            coverBox(area);
    }
    void drawImage(const QRectF& area, const QImage& image, const QRectF&, Qt::ImageConversionFlags) override
    {
        if (!image.hasAlphaChannel())
            coverBox(area);
    }
    void drawTiledPixmap(const QRectF& area, const QPixmap& pixmap, const QPointF&) override
    {
        if (!pixmap.hasAlpha())
            coverBox(area);
    }

    [[nodiscard]] std::vector<TextFault> faults() const
    {
        std::vector<TextFault> found;
        for (size_t i = 0; i < m_runs.size(); ++i) {
            const DrawnText& run = m_runs[i];
            if (!isWithin(run.ink, run.shown))
                found.push_back(faultOf(run, TextFault::Kind::Cut));
            if (run.isCovered)
                found.push_back(faultOf(run, TextFault::Kind::Covered));
            if (run.size < kSmallest)
                found.push_back(faultOf(run, TextFault::Kind::Small));
            if (isElided(run.text))
                found.push_back(faultOf(run, TextFault::Kind::Elided));
            const auto other =
                std::find_if(m_runs.begin() + static_cast<long>(i) + 1, m_runs.end(), [&](const DrawnText& b) {
                    return isLarge(run.shown.intersected(b.shown)) && !isSame(run, b);
                });
            if (other != m_runs.end())
                found.push_back(faultOf(run, TextFault::Kind::Overlaps, other->text));
        }
        return found;
    }

private:
    static constexpr double kLineHeight = 1.3;  // of type of size 1

    /// What is seen of the picture: by the painter's clip, and by the edges of the widget that paints.
    [[nodiscard]] QRectF edges() const
    {
        QRectF seen = m_picture;
        if (m_clip && painter()->hasClipping())
            seen = seen.intersected(m_clip->boundingRect());
        if (const QRegion widget = systemClip(); !widget.isEmpty())
            seen = seen.intersected(widget.boundingRect());
        return seen;
    }

    void coverBox(const QRectF& box)
    {
        QPainterPath path;
        path.addRect(box);
        cover(painter()->deviceTransform().map(path));
    }

    /// Text under \p path is gone; text of which an edge is under it can no longer be read.
    void cover(const QPainterPath& path)
    {
        if (painter()->opacity() < 1)
            return;
        const QRectF bounds = path.boundingRect().intersected(edges());
        const auto hides = [&](DrawnText& run) {
            if (!bounds.intersects(run.shown))
                return false;
            const QRectF ink = run.shown.adjusted(kTolerance, kTolerance, -kTolerance, -kTolerance);
            const QRectF under = ink.intersected(bounds);
            if (!isLarge(under) || !path.intersects(under))
                return false;
            run.isCovered = run.isCovered || !bounds.contains(ink) || !path.contains(ink);
            return !run.isCovered;
        };
        m_runs.erase(std::remove_if(m_runs.begin(), m_runs.end(), hides), m_runs.end());
    }

    QRectF m_picture;
    std::optional<QRegion> m_clip;
    std::vector<DrawnText> m_runs;
};

TextProof::TextProof(QSize size) : m_size(size), m_engine(std::make_unique<Engine>(size)) {}

TextProof::~TextProof() = default;

QPaintEngine* TextProof::paintEngine() const
{
    return m_engine.get();
}

std::vector<TextFault> TextProof::faults() const
{
    return m_engine->faults();
}

int TextProof::metric(PaintDeviceMetric metric) const
{
    constexpr int kDotsPerInch = 96;
    constexpr double kMillimetres = 25.4 / kDotsPerInch;
    switch (metric) {
    case PdmWidth:
        return m_size.width();
    case PdmHeight:
        return m_size.height();
    case PdmWidthMM:
        return qRound(m_size.width() * kMillimetres);
    case PdmHeightMM:
        return qRound(m_size.height() * kMillimetres);
    case PdmNumColors:
        return INT_MAX;
    case PdmDepth:
        return 32;
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY:
        return kDotsPerInch;
    case PdmDevicePixelRatio:
        return 1;
    case PdmDevicePixelRatioScaled:
        return static_cast<int>(devicePixelRatioFScale());
    default:  // what later versions of Qt ask first, and do without
        return 0;
    }
}

std::string describe(const TextFault& fault)
{
    static const std::map<TextFault::Kind, const char*> kNames{{TextFault::Kind::Cut, "cut"},
                                                               {TextFault::Kind::Covered, "covered"},
                                                               {TextFault::Kind::Overlaps, "overlaps"},
                                                               {TextFault::Kind::Small, "too small"},
                                                               {TextFault::Kind::Elided, "elided"}};
    return std::string(kNames.at(fault.kind)) + (fault.other.empty() ? "" : " '" + fault.other + "'") + ": '" +
           fault.text + "' at " + std::to_string(fault.x) + "," + std::to_string(fault.y) + ", " +
           std::to_string(fault.width) + "x" + std::to_string(fault.height);
}

}  // namespace lanescope::gui
