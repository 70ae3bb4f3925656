// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_layout.h"

#include <algorithm>
#include <cmath>

namespace lanescope::gui {

namespace {

constexpr uint64_t kMostValueCells = 1200;  // beyond, a panel is an image until one zooms in
constexpr uint64_t kLongestValueSide = 48;
constexpr double kImageUnits = 12;  // longest side of an image, in cells of its neighbours
constexpr double kSmallestGap = 26;
constexpr double kLargestGap = 76;
constexpr double kUpperCap = 66;  // pixels a unit may have
constexpr double kLowerCap = 62;

struct Measures {
    double margin, scale;
    double header = 0;
    double caption = 0;
    double upperTitle = 0;
    double lowerTitle = 0;
    double channel = 0;
    double innerChannel = 0;

    /// Type keeps its size; what is around it gives way where the stage is low.
    Measures(double s, QSizeF size) : margin(std::clamp(size.width() * 0.025, 12.0, 30.0) * s), scale(s)
    {
        const double ease = std::clamp((size.height() / s - 330) / 270, 0.0, 1.0);
        const auto between = [&](double least, double most) { return (least + (most - least) * ease) * s; };
        header = between(34, 46);
        caption = between(54, 74);
        upperTitle = between(25, 27);
        lowerTitle = between(43, 46);
        channel = between(30, 58);
        innerChannel = between(18, 26);
    }
};

bool isImage(const PanelSpec& spec)
{
    if (spec.kind == PanelKind::Threads)
        return false;
    const uint64_t longest = std::max(spec.rows, spec.columns);
    return longest > kLongestValueSide || spec.rows * spec.columns > kMostValueCells;
}

/// Width and height in units.
QSizeF naturalSize(const PanelSpec& spec)
{
    const QSizeF cells(static_cast<double>(spec.columns) + static_cast<double>(spec.fringe.left + spec.fringe.right),
                       static_cast<double>(spec.rows) + static_cast<double>(spec.fringe.top + spec.fringe.bottom));
    if (!isImage(spec))
        return {cells.width() * spec.aspect * spec.weight, cells.height() * spec.weight};
    const double longest = std::max(cells.width(), cells.height());
    const double units = spec.kind == PanelKind::Grid ? kImageUnits / 3 : kImageUnits;
    return {std::max(1.0, units * cells.width() / longest), std::max(1.0, units * cells.height() / longest)};
}

/// In pixels. Blocks stay large enough to be told apart, and clicked, beside panels of many small cells.
QSizeF bodySize(const PanelSpec& spec, double unit, double scale)
{
    constexpr double kBlock = 20;
    constexpr double kGrid = 100;
    const QSizeF natural = naturalSize(spec) * unit;
    if (spec.kind != PanelKind::Grid)
        return natural;
    const double least = std::min(kBlock * static_cast<double>(std::max(spec.rows, spec.columns)), kGrid) * scale;
    return natural * std::max(1.0, least / std::max(natural.width(), natural.height()));
}

struct Row {
    std::vector<size_t> members;  // into the band
    double width = 0;             // with smallest gaps
    double height = 0;            // of the tallest body
};

struct BandFit {
    std::vector<size_t> panels;  // into the specs
    double title = 0;
    double inner = 0;
    double cap = 0;
    double scale = 1;
    double unit = 0;

    [[nodiscard]] std::vector<Row> rows(const std::vector<PanelSpec>& specs, double size, double width) const
    {
        std::vector<Row> all;
        for (size_t index : panels) {
            const QSizeF natural = bodySize(specs[index], size, scale);
            const double wide = std::max(natural.width(), specs[index].titleWidth);
            if (all.empty() || all.back().width + kSmallestGap + wide > width)
                all.push_back({});
            Row& row = all.back();
            row.width += wide + (row.members.empty() ? 0 : kSmallestGap);
            row.height = std::max(row.height, natural.height());
            row.members.push_back(index);
        }
        return all;
    }

    [[nodiscard]] double height(const std::vector<Row>& all) const
    {
        double sum = 0;
        for (const Row& row : all)
            sum += row.height + title;
        return sum + inner * (all.empty() ? 0.0 : static_cast<double>(all.size() - 1));
    }

    /// Largest unit at which the band fits.
    [[nodiscard]] double fit(const std::vector<PanelSpec>& specs, double width, double high) const
    {
        double low = 0.05;
        double top = cap;
        for (int i = 0; i < 22; ++i) {
            const double middle = i == 0 ? cap : (low + top) / 2;
            const auto all = rows(specs, middle, width);
            const bool narrow = std::all_of(all.begin(), all.end(), [&](const Row& r) { return r.width <= width; });
            (narrow && height(all) <= high ? low : top) = middle;
            if (low == cap)
                break;
        }
        return low;
    }
};

/// How well a panel can be read, as the logarithm of its size by that from which on little is gained.
double legibility(const PanelSpec& spec, double unit, double scale)
{
    constexpr double kCell = 44;    // pixels of height: a value in large type
    constexpr double kThread = 10;  // a thread of many, without a value
    constexpr double kImage = 240;  // pixels of its longest side
    constexpr double kBlock = 26;
    const QSizeF natural = bodySize(spec, unit, scale);
    const double cell = unit * spec.weight;
    const bool crowd = spec.kind == PanelKind::Threads && spec.rows * spec.columns > 100;
    const double share = isImage(spec)                  ? std::max(natural.width(), natural.height()) / kImage
                         : crowd                        ? cell / kThread
                         : spec.kind == PanelKind::Grid ? std::sqrt(cell / kBlock)  // matters less
                                                        : cell / kCell;
    constexpr double kStillBetter = 0.4;
    const double gain = std::log(std::max(0.02, share / scale));
    return gain < 0 ? gain : kStillBetter * gain;
}

double legibility(const BandFit& band, const std::vector<PanelSpec>& specs, double unit)
{
    double sum = 0;
    for (const size_t index : band.panels)
        sum += legibility(specs[index], unit, band.scale);
    return sum;
}

double chooseUnits(BandFit& upper, BandFit& lower, const std::vector<PanelSpec>& specs, double width, double height)
{
    double best = -1e9;
    for (double share = 0.16; share <= 0.84; share += 0.02) {
        const double part = upper.panels.empty() ? 0 : lower.panels.empty() ? 1 : share;
        const double up = upper.panels.empty() ? kUpperCap : upper.fit(specs, width, height * part);
        const double down = lower.panels.empty() ? kLowerCap : lower.fit(specs, width, height * (1 - part));
        constexpr double kNearer = 1.5;  // what the block itself does is looked at most
        const double panels =
            static_cast<double>(upper.panels.size()) + kNearer * static_cast<double>(lower.panels.size());
        const double score =
            2 * (legibility(upper, specs, up) + kNearer * legibility(lower, specs, down)) / std::max(1.0, panels);
        if (score > best + 1e-9) {
            best = score;
            upper.unit = up;
            lower.unit = down;
        }
    }
    return best;
}

std::vector<PanelSpec> withNamesOnly(std::vector<PanelSpec> specs)
{
    for (PanelSpec& spec : specs)
        spec.titleWidth = std::min(spec.titleWidth, spec.nameWidth);
    return specs;
}

void placeBody(Panel& panel, QPointF corner, double unit, double scale)
{
    const QSizeF natural = bodySize(panel.spec, unit, scale);
    panel.image = isImage(panel.spec);
    const Fringe& fringe = panel.spec.fringe;
    const auto columns = static_cast<double>(panel.spec.columns);
    const auto rows = static_cast<double>(panel.spec.rows);
    panel.pitchX = natural.width() / (columns + static_cast<double>(fringe.left + fringe.right));
    panel.pitchY = natural.height() / (rows + static_cast<double>(fringe.top + fringe.bottom));
    const double wanted = panel.pitchY * panel.spec.gapShare;
    panel.gap = panel.image || wanted < 1.0 ? 0.0 : wanted;
    panel.frame = QRectF(corner, natural - QSizeF(panel.gap, panel.gap));
    panel.body = QRectF(corner.x() + panel.pitchX * static_cast<double>(fringe.left),
                        corner.y() + panel.pitchY * static_cast<double>(fringe.top), panel.pitchX * columns - panel.gap,
                        panel.pitchY * rows - panel.gap);
}

/// Just left of the leftmost cells, where arrows between channels go.
double riserOf(const StageLayout& layout, double least)
{
    double left = 1e9;
    for (const Panel& panel : layout.panels)
        left = std::min(left, panel.frame.left());
    constexpr double kDistance = 24;
    return layout.panels.empty() ? least : std::max(least, left - kDistance);
}

class Placer {
public:
    Placer(StageLayout& layout, const std::vector<PanelSpec>& specs, QRectF area, const Measures& measures)
        : m_layout(layout), m_specs(specs), m_area(area), m_measures(measures)
    {
        layout.panels.resize(specs.size());
    }

    /// Places one band's rows downwards from \p y; returns the y below.
    double band(const BandFit& fit, double y, Band which)
    {
        const auto rows = fit.rows(m_specs, fit.unit, m_area.width());
        for (size_t i = 0; i < rows.size(); ++i) {
            if (which == Band::Lower && i > 0)
                m_layout.channels.push_back({y, y + fit.inner});
            y += which == Band::Lower && i > 0 ? fit.inner : 0;
            place(rows[i], fit, y, which);
            y += rows[i].height + fit.title;
            if (which == Band::Upper && i + 1 < rows.size()) {
                m_layout.channels.push_back({y, y + fit.inner});
                y += fit.inner;
            }
        }
        return y;
    }

private:
    void place(const Row& row, const BandFit& fit, double y, Band which)
    {
        const auto count = static_cast<double>(row.members.size());
        const double spare = m_area.width() - row.width;
        const double gap = std::min(kSmallestGap + spare / (count + 1), kLargestGap * m_measures.scale);
        double x = m_area.left() + (m_area.width() - row.width - (gap - kSmallestGap) * (count - 1)) / 2;
        const bool upper = which == Band::Upper;
        for (size_t index : row.members) {
            Panel& panel = m_layout.panels[index];
            panel.spec = m_specs[index];
            placeBody(panel, {x, upper ? y + fit.title : y}, fit.unit, fit.scale);
            const double wide = std::max(bodySize(panel.spec, fit.unit, fit.scale).width(), panel.spec.titleWidth);
            const double titleTop = upper ? panel.frame.top() - fit.title : panel.frame.bottom();
            panel.title = QRectF(x, titleTop, wide, fit.title);
            // upper rows use the channel below them, lower rows the one above; both were or will be numbered in order
            panel.channel = upper ? m_layout.channels.size() : m_layout.channels.size() - 1;
            x += wide + gap;
        }
    }

    StageLayout& m_layout;
    const std::vector<PanelSpec>& m_specs;
    QRectF m_area;
    const Measures& m_measures;
};

}  // namespace

QRectF Panel::cellRect(Cell cell) const
{
    return {body.left() + static_cast<double>(cell.column) * pitchX,
            body.top() + static_cast<double>(cell.row) * pitchY, pitchX - gap, pitchY - gap};
}

QRectF Panel::rangeRect(Cell first, Cell last) const
{
    return cellRect(first).united(cellRect({last.row - 1, last.column - 1}));
}

std::optional<Cell> Panel::cellAt(QPointF point) const
{
    if (!body.contains(point))
        return std::nullopt;
    const Cell cell{static_cast<int64_t>((point.y() - body.top()) / pitchY),
                    static_cast<int64_t>((point.x() - body.left()) / pitchX)};
    const bool inside = cell.row < static_cast<int64_t>(spec.rows) && cell.column < static_cast<int64_t>(spec.columns);
    return inside ? std::optional(cell) : std::nullopt;
}

std::optional<size_t> StageLayout::panelAt(QPointF point) const
{
    for (size_t i = 0; i < panels.size(); ++i)
        if (panels[i].body.contains(point))
            return i;
    return std::nullopt;
}

StageLayout StageLayout::compute(const std::vector<PanelSpec>& wanted, QSizeF size, double typeScale)
{
    const Measures m(typeScale, size);
    std::vector<PanelSpec> specs = wanted;
    StageLayout layout;
    layout.header = QRectF(m.margin, 0, size.width() - 2 * m.margin, m.header);
    layout.caption = QRectF(m.margin, size.height() - m.caption, size.width() - 2 * m.margin, m.caption);
    const QRectF area(m.margin, m.header, size.width() - 2 * m.margin, layout.caption.top() - m.header);

    BandFit upper{{}, m.upperTitle, m.innerChannel, kUpperCap * typeScale, typeScale, 0};
    BandFit lower{{}, m.lowerTitle, m.innerChannel, kLowerCap * typeScale, typeScale, 0};
    for (size_t i = 0; i < specs.size(); ++i)
        (specs[i].band == Band::Upper ? upper : lower).panels.push_back(i);
    const bool both = !upper.panels.empty() && !lower.panels.empty();
    const double channel = both ? m.channel : 0;
    const double height = std::max(40.0, area.height() - channel);
    const double score = chooseUnits(upper, lower, specs, area.width(), height);
    const std::vector<PanelSpec> named = withNamesOnly(specs);
    BandFit upperNamed = upper;
    BandFit lowerNamed = lower;
    constexpr double kWorthIt = 0.35;  // log of the gain in cell size for which types may be cut
    if (chooseUnits(upperNamed, lowerNamed, named, area.width(), height) > score + kWorthIt) {
        specs = named;
        upper = upperNamed;
        lower = lowerNamed;
    }

    const double used = upper.height(upper.rows(specs, upper.unit, area.width())) +
                        lower.height(lower.rows(specs, lower.unit, area.width()));
    const double spare = std::max(0.0, area.height() - used - channel);
    const double wide = channel + (both ? std::min(spare * 0.34, 60 * typeScale) : 0);
    Placer placer(layout, specs, area, m);
    double y = placer.band(upper, area.top() + (spare - (wide - channel)) * 0.4, Band::Upper);
    layout.mainChannel = layout.channels.size();
    layout.channels.push_back({y, y + wide});
    placer.band(lower, y + wide, Band::Lower);
    layout.riser = riserOf(layout, m.margin * 0.45);
    return layout;
}

}  // namespace lanescope::gui
