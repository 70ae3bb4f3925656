// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/stage_layout.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope::gui {

namespace {

constexpr uint64_t kMostValueCells = 1200;  // beyond, a panel is an image until one zooms in
constexpr uint64_t kLongestValueSide = 48;
constexpr double kSmallestGap = 26;
constexpr double kLargestGap = 76;
constexpr double kUpperCap = 88;  // pixels a unit may have
constexpr double kLowerCap = 80;
constexpr double kSmallestUnit = 0.05;
constexpr int kHalvings = 14;  // to a hundredth of a pixel
constexpr double kBesideGap = 14;
constexpr double kBesideLines = 1.4;  // of a title beside, in titles below

struct Measures {
    double margin, scale;
    double header = 0;
    double caption = 0;
    double upperTitle = 0;
    double lowerTitle = 0;
    double channel = 0;
    double innerChannel = 0;
    double wanted = 1;  ///< scale of what is comfortable; less where there is no room for comfort

    /// Type keeps its size; what is around it gives way where the stage is low.
    Measures(double s, QSizeF size) : margin(std::clamp(size.width() * 0.025, 12.0, 30.0) * s), scale(s)
    {
        const double ease = std::clamp((size.height() / s - 330) / 270, 0.0, 1.0);
        const double cramped = std::clamp((size.height() / s - 220) / 110, 0.0, 1.0);
        const auto between = [&](double tiny, double least, double most) {
            return (tiny + (least - tiny) * cramped + (most - least) * ease) * s;
        };
        header = between(26, 34, 46);
        caption = between(46, 54, 74);
        upperTitle = between(22, 25, 27);
        lowerTitle = between(24, 43, 46);
        channel = between(16, 30, 58);
        innerChannel = between(10, 18, 26);
        wanted = s * std::max(0.25, cramped);
    }
};

bool isImage(const PanelSpec& spec)
{
    if (spec.kind == PanelKind::Threads)
        return false;
    const uint64_t longest = std::max(spec.rows, spec.columns);
    return longest > kLongestValueSide || spec.rows * spec.columns > kMostValueCells;
}

constexpr double kSliceGap = 0.6;  // of a cell's height

/// The gaps between slices of \p each cells, together, in heights of a cell.
double sliceGaps(uint64_t cells, uint64_t each)
{
    const uint64_t slices = each == 0 ? 1 : cells / each;
    return kSliceGap * static_cast<double>(slices - 1);
}

/// Width and height in units.
QSizeF naturalSize(const PanelSpec& spec)
{
    const QSizeF cells(static_cast<double>(spec.columns) + static_cast<double>(spec.fringe.left + spec.fringe.right),
                       static_cast<double>(spec.rows) + static_cast<double>(spec.fringe.top + spec.fringe.bottom));
    if (!isImage(spec))
        return {(cells.width() * spec.aspect + sliceGaps(spec.columns, spec.sliceColumns)) * spec.weight,
                (cells.height() + sliceGaps(spec.rows, spec.sliceRows)) * spec.weight};
    const double longest = std::max(cells.width(), cells.height());
    const double units = spec.kind == PanelKind::Grid ? spec.imageUnits / 3 : spec.imageUnits;
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
    bool titlesBeside = false;
};

/// How a band may break into rows, and what that is worth less than a single row; in units of legibility.
struct Wrap {
    size_t mostRows = 1;
    bool titlesBeside = false;  // those of rows between two channels
    double malus = 0;
};
constexpr size_t kAnyRows = 99;
constexpr std::array kUpperWraps{Wrap{1, false, 0}, Wrap{2, false, 0.1}, Wrap{kAnyRows, false, 0.25}};
constexpr std::array kLowerWraps{Wrap{1, false, 0}, Wrap{2, true, 0.05}, Wrap{kAnyRows, true, 0.25},
                                 Wrap{2, false, 0.3}, Wrap{kAnyRows, false, 0.55}};

struct BandFit {
    std::vector<size_t> panels;  // into the specs
    Wrap wrap{};
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
        for (size_t i = 0; wrap.titlesBeside && i + 1 < all.size(); ++i)
            putTitlesBeside(all[i], specs, size);
        return all;
    }

    /// Arrows to the row below would run through titles below this one.
    void putTitlesBeside(Row& row, const std::vector<PanelSpec>& specs, double size) const
    {
        row.titlesBeside = true;
        row.width = kSmallestGap * static_cast<double>(row.members.size() - 1);
        for (const size_t index : row.members)
            row.width += bodySize(specs[index], size, scale).width() + specs[index].besideWidth + kBesideGap;
        row.height = std::max(row.height, kBesideLines * title);
    }

    [[nodiscard]] double titleOf(const Row& row) const { return row.titlesBeside ? 0 : title; }

    [[nodiscard]] double height(const std::vector<Row>& all) const
    {
        double sum = 0;
        for (const Row& row : all)
            sum += row.height + titleOf(row);
        return sum + inner * (all.empty() ? 0.0 : static_cast<double>(all.size() - 1));
    }

    /// Whether rows() are few and narrow enough, and not too high together. Asked for a thousand ways to share a stage
    /// whenever its panels change: it keeps no rows.
    [[nodiscard]] bool fits(const std::vector<PanelSpec>& specs, double size, QSizeF open) const
    {
        size_t count = 0;
        double sum = -inner;
        double width = 0, beside = 0, tallest = 0;  // of the row under way
        const auto endRow = [&](bool isLast) {
            const bool titlesBeside = wrap.titlesBeside && !isLast;
            sum += inner + (titlesBeside ? std::max(tallest, kBesideLines * title) : tallest + title);
            return ++count <= wrap.mostRows && (titlesBeside ? beside : width) <= open.width();
        };
        bool isFirst = true;
        for (const size_t index : panels) {
            const QSizeF natural = bodySize(specs[index], size, scale);
            const double wide = std::max(natural.width(), specs[index].titleWidth);
            if (!isFirst && width + kSmallestGap + wide > open.width()) {
                if (!endRow(false))
                    return false;
                isFirst = true;
                width = beside = tallest = 0;
            }
            const double gap = isFirst ? 0 : kSmallestGap;
            width += wide + gap;
            beside += natural.width() + specs[index].besideWidth + kBesideGap + gap;
            tallest = std::max(tallest, natural.height());
            isFirst = false;
        }
        return isFirst || (endRow(true) && sum <= open.height());
    }

    /// Largest unit at which the band fits; 0 where it does at none.
    [[nodiscard]] double fit(const std::vector<PanelSpec>& specs, double width, double high) const
    {
        double low = 0;
        double top = cap;
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = i == 0 ? cap : i == 1 ? kSmallestUnit : (low + top) / 2;
            (fits(specs, middle, {width, high}) ? low : top) = middle;
            if (low == cap || (i == 1 && low == 0))
                break;
        }
        return low;
    }
};

/// How well a panel can be read, as the logarithm of its size by that from which on little is gained.
double legibility(const PanelSpec& spec, double unit, double scale)
{
    constexpr double kCell = 44;    // pixels of height: a value in large type
    constexpr double kMany = 10;    // one of many threads or cells, without a value
    constexpr double kImage = 240;  // pixels of its longest side
    constexpr double kBlock = 26;
    const QSizeF natural = bodySize(spec, unit, scale);
    const double cell = unit * spec.weight;
    const bool crowd = spec.rows * spec.columns > (spec.kind == PanelKind::Threads ? 100 : 400);
    const double share = isImage(spec)                  ? std::max(natural.width(), natural.height()) / kImage
                         : crowd                        ? cell / kMany
                         : spec.kind == PanelKind::Grid ? std::sqrt(cell / kBlock)  // matters less
                                                        : cell / kCell;
    constexpr double kStillBetter = 0.4;
    constexpr double kHardToRead = 0.5;  // of the height that a value wants
    constexpr double kUnread = 0.8;      // what cannot be read is missed more than what is merely small
    constexpr double kNoValues = 1.0;    // a matrix without its numbers
    const double gain = std::log(std::max(0.02, share / scale));
    const double lost = std::min(0.0, gain - std::log(kHardToRead));
    const double unread = !isImage(spec) && cell < spec.leastCell ? kNoValues : 0;
    return (gain < 0 ? gain + (crowd || isImage(spec) ? 0 : kUnread * lost) : kStillBetter * gain) - unread;
}

double legibility(const BandFit& band, const std::vector<PanelSpec>& specs, double unit)
{
    double sum = 0;
    for (const size_t index : band.panels)
        sum += legibility(specs[index], unit, band.scale);
    return sum;
}

/// Takes the best of \p wraps for a band of that height; returns how well it can be read then, 0 for no panels.
template <size_t Count>
double chooseWrap(BandFit& band, const std::array<Wrap, Count>& wraps, const std::vector<PanelSpec>& specs, QSizeF open)
{
    double best = -1e9;
    Wrap chosen;
    for (const Wrap& wrap : wraps) {
        if (wrap.mostRows > 1 && band.panels.size() < std::min<size_t>(wrap.mostRows, 3))
            continue;  // the same as with fewer rows
        band.wrap = wrap;
        const double fitting = band.panels.empty() ? 0 : band.fit(specs, open.width(), open.height());
        const double unit = std::max(fitting, kSmallestUnit);
        constexpr double kSpillsOver = 20;  // whatever fits is better
        const double spilling =
            fitting > 0 ? 0 : kSpillsOver * static_cast<double>(1 + band.rows(specs, unit, open.width()).size());
        const double score =
            legibility(band, specs, unit) - (wrap.malus + spilling) * static_cast<double>(band.panels.size());
        if (score > best + 1e-9) {
            best = score;
            chosen = wrap;
            band.unit = unit;
        }
    }
    band.wrap = chosen;
    return best;
}

double chooseUnits(BandFit& upper, BandFit& lower, const std::vector<PanelSpec>& specs, QSizeF open)
{
    double best = -1e9;
    BandFit up = upper;
    BandFit down = lower;
    for (double share = 0.16; share <= 0.84; share += 0.03) {
        const double part = upper.panels.empty() ? 0 : lower.panels.empty() ? 1 : share;
        constexpr double kNearer = 1.5;  // what the block itself does is looked at most
        const double panels =
            static_cast<double>(upper.panels.size()) + kNearer * static_cast<double>(lower.panels.size());
        const double read = chooseWrap(up, kUpperWraps, specs, {open.width(), open.height() * part}) +
                            kNearer * chooseWrap(down, kLowerWraps, specs, {open.width(), open.height() * (1 - part)});
        const double score = 2 * read / std::max(1.0, panels);
        if (score > best + 1e-9) {
            best = score;
            upper = up;
            lower = down;
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

/// All in the lower band, images as large as what stands beside them.
std::vector<PanelSpec> inOneRow(std::vector<PanelSpec> specs)
{
    double tallest = 0;
    for (const PanelSpec& spec : specs)
        if (!isImage(spec) && spec.kind != PanelKind::Grid)
            tallest = std::max(tallest, naturalSize(spec).height());
    for (PanelSpec& spec : specs) {
        spec.band = Band::Lower;
        if (isImage(spec) && spec.kind != PanelKind::Grid)
            spec.imageUnits = std::max(spec.imageUnits, tallest);
    }
    return specs;
}

/// How large the panels become in the open part of the stage.
struct Fitting {
    std::vector<PanelSpec> specs;
    BandFit upper;
    BandFit lower;
    double score = 0;
};

Fitting fitted(const std::vector<PanelSpec>& specs, const Measures& m, QSizeF open)
{
    Fitting fitting{specs,
                    {{}, {}, m.upperTitle, m.innerChannel, kUpperCap * m.scale, m.wanted, 0},
                    {{}, {}, m.lowerTitle, m.innerChannel, kLowerCap * m.scale, m.wanted, 0}};
    for (size_t i = 0; i < specs.size(); ++i)
        (specs[i].band == Band::Upper ? fitting.upper : fitting.lower).panels.push_back(i);
    std::stable_partition(fitting.lower.panels.begin(), fitting.lower.panels.end(),
                          [&](size_t i) { return specs[i].kind == PanelKind::Grid; });
    const double channel = fitting.lower.panels.empty() ? 0 : m.channel;
    const QSizeF room(open.width(), std::max(40.0, open.height() - channel));
    fitting.score = chooseUnits(fitting.upper, fitting.lower, specs, room);
    Fitting named = fitting;
    named.specs = withNamesOnly(specs);
    named.score = chooseUnits(named.upper, named.lower, named.specs, room);
    constexpr double kWorthIt = 0.35;  // log of the gain in cell size for which types may be cut
    return named.score > fitting.score + kWorthIt ? named : fitting;
}

void placeBody(Panel& panel, QPointF corner, double unit, double scale)
{
    const QSizeF natural = bodySize(panel.spec, unit, scale);
    panel.image = isImage(panel.spec);
    panel.rows = panel.spec.rows;
    panel.columns = panel.spec.columns;
    const Fringe& fringe = panel.spec.fringe;
    const auto columns = static_cast<double>(panel.spec.columns);
    const auto rows = static_cast<double>(panel.spec.rows);
    const double down = rows + static_cast<double>(fringe.top + fringe.bottom);
    const double gaps = panel.image ? 0 : sliceGaps(panel.spec.rows, panel.spec.sliceRows);
    panel.sliceGap = panel.spec.sliceRows == 0 || panel.image ? 0 : natural.height() / (down + gaps) * kSliceGap;
    const double across = panel.sliceGap == 0 ? 0 : columns / static_cast<double>(panel.spec.sliceColumns) - 1;
    panel.pitchX =
        (natural.width() - across * panel.sliceGap) / (columns + static_cast<double>(fringe.left + fringe.right));
    panel.pitchY = natural.height() / (down + gaps);
    const double wanted = panel.pitchY * panel.spec.gapShare;
    panel.gap = panel.image || wanted < 1.0 ? 0.0 : wanted;
    panel.frame = QRectF(corner, natural - QSizeF(panel.gap, panel.gap));
    panel.body =
        QRectF(corner.x() + panel.pitchX * static_cast<double>(fringe.left),
               corner.y() + panel.pitchY * static_cast<double>(fringe.top),
               panel.pitchX * columns + across * panel.sliceGap - panel.gap, panel.pitchY * (rows + gaps) - panel.gap);
}

/// Just left of the leftmost cells, where arrows between channels go.
double riserOf(const StageLayout& layout, double least)
{
    double left = 1e9;
    for (const Panel& panel : layout.panels)
        left = std::min({left, panel.frame.left(), panel.titleBeside ? panel.title.left() : left});
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
            y += rows[i].height + fit.titleOf(rows[i]);
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
            panel.titleBeside = row.titlesBeside;
            const double beside = row.titlesBeside ? panel.spec.besideWidth + kBesideGap : 0;
            placeBody(panel, {x + beside, upper ? y + fit.title : y}, fit.unit, fit.scale);
            const double body = bodySize(panel.spec, fit.unit, fit.scale).width();
            const double wide = row.titlesBeside ? beside + body : std::max(body, panel.spec.titleWidth);
            if (row.titlesBeside)
                panel.title = QRectF(x, panel.frame.top(), panel.spec.besideWidth, kBesideLines * fit.title);
            else
                panel.title = QRectF(x, upper ? panel.frame.top() - fit.title : panel.frame.bottom(), wide, fit.title);
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

bool isWithin(const PanelSpec& spec, Cell cell)
{
    return cell.row >= 0 && cell.column >= 0 && cell.row < static_cast<int64_t>(spec.rows) &&
           cell.column < static_cast<int64_t>(spec.columns);
}

/// Where a window of \p shown cells begins, along one side that runs from \p low to \p high: at the page that the
/// anchor is on, counted from the beginning of what is wanted; cells at the sides, ghosts too, are not cut off.
int64_t pageOf(int64_t anchor, int64_t begin, int64_t end, int64_t shown, int64_t low, int64_t high)
{
    if (anchor < begin || anchor >= end) {
        begin = std::max<int64_t>(0, low);
        end = high;
    }
    const int64_t page = begin + (anchor - begin) / shown * shown;
    const int64_t last = std::max(begin, end - shown);
    const int64_t start = std::clamp(std::min(page, last), low, std::max(low, high - shown));
    return start == 0 && anchor < shown + low ? low : start;
}

/// What a lens is to show along one side, and the side itself.
struct Wish {
    int64_t anchor = 0, begin = 0, end = 0;
};
struct Side {
    uint64_t cells = 0;
    uint64_t slice = 0;              ///< of so many; 0: there are none
    int64_t before = 0, behind = 0;  ///< ghost cells
};

/// Where a window of \p shown cells begins. One that has room in a slice stays in the anchor's.
int64_t startOf(Wish wish, int64_t shown, const Side& side)
{
    const auto cells = static_cast<int64_t>(side.cells), each = static_cast<int64_t>(side.slice);
    int64_t low = -side.before, high = cells + side.behind;
    if (each > 0 && shown <= each + side.before + side.behind) {
        const int64_t slice = std::clamp<int64_t>(wish.anchor, 0, cells - 1) / each * each;
        low = slice == 0 ? low : slice;
        high = slice + each == cells ? high : slice + each;
        wish.begin = std::max(wish.begin, slice);
        wish.end = std::min(wish.end, slice + each);
    }
    return pageOf(wish.anchor, wish.begin, wish.end, shown, low, high);
}

/// Whether the widest value has room in a cell.
bool isReadable(const Panel& panel)
{
    constexpr double kSmallest = 8;  // pixels of type
    constexpr double kAdvance = 0.6;
    constexpr double kLineShare = 0.66;  // of a cell's height that type may take
    constexpr double kSides = 1.5;
    const QSizeF cell(panel.pitchX - panel.gap, panel.pitchY - panel.gap);
    return panel.spec.letters == 0 || (!panel.image && cell.height() * kLineShare >= kSmallest &&
                                       (cell.width() - kSides) / (kAdvance * panel.spec.letters) >= kSmallest);
}

}  // namespace

namespace {

/// How many slices of \p each cells come before a cell; one beside them all counts as in the nearest.
double slicesBefore(int64_t at, uint64_t each, uint64_t all)
{
    const int64_t last = static_cast<int64_t>(all) - 1;
    const int64_t slices = std::clamp<int64_t>(at, 0, last) / static_cast<int64_t>(each);
    return static_cast<double>(slices);
}

/// The cell at \p distance from the first one's edge; none between slices.
std::optional<int64_t> cellAtDistance(double distance, double pitch, uint64_t sliceCells, double sliceGap)
{
    if (sliceGap <= 0)
        return static_cast<int64_t>(distance / pitch);
    const double cells = pitch * static_cast<double>(sliceCells);
    const double slice = std::floor(distance / (cells + sliceGap));
    const double within = distance - slice * (cells + sliceGap);
    if (within >= cells)
        return std::nullopt;
    return static_cast<int64_t>(slice) * static_cast<int64_t>(sliceCells) + static_cast<int64_t>(within / pitch);
}

}  // namespace

int64_t Panel::lineOf(Cell cell) const
{
    const auto lines = static_cast<int64_t>(linesPerRow());
    const int64_t place = cell.column - first.column;
    const int64_t within = perLine == 0 ? 0 : std::clamp<int64_t>(place / static_cast<int64_t>(perLine), 0, lines - 1);
    return (cell.row - first.row) * lines + within;
}

QRectF Panel::cellRect(Cell cell) const
{
    const int64_t line = lineOf(cell);
    const auto lines = static_cast<int64_t>(linesPerRow());
    const int64_t before = (line - (cell.row - first.row) * lines) * static_cast<int64_t>(perLine);
    double x = body.left() + static_cast<double>(cell.column - first.column - before) * pitchX;
    double y = body.top() + static_cast<double>(line) * pitchY;
    if (sliceGap > 0) {
        x += slicesBefore(cell.column, spec.sliceColumns, spec.columns) * sliceGap;
        y += slicesBefore(cell.row, spec.sliceRows, spec.rows) * sliceGap;
    }
    return {x, y, pitchX - gap, pitchY - gap};
}

QRectF Panel::rangeRect(Cell begin, Cell end) const
{
    const Cell last{end.row - 1, end.column - 1};
    const QRectF box = cellRect(begin).united(cellRect(last));
    if (perLine == 0 || lineOf({begin.row, last.column}) == lineOf(begin))
        return box;
    // It takes whole lines, and reaches beyond the body where its cells do.
    const double left = begin.column < first.column ? box.left() : body.left();
    const double right = last.column >= first.column + static_cast<int64_t>(columns) ? box.right() : body.right();
    return {left, box.top(), right - left, box.height()};
}

std::optional<Cell> Panel::cellAt(QPointF point) const
{
    if (!body.contains(point))
        return std::nullopt;
    const auto line = cellAtDistance(point.y() - body.top(), pitchY, spec.sliceRows, sliceGap);
    const auto place = cellAtDistance(point.x() - body.left(), pitchX, spec.sliceColumns, sliceGap);
    if (!line || !place)
        return std::nullopt;
    const auto lines = static_cast<int64_t>(linesPerRow());
    const Cell cell{first.row + *line / lines, first.column + *place + *line % lines * static_cast<int64_t>(perLine)};
    return isWithin(spec, cell) && shows(cell) ? std::optional(cell) : std::nullopt;
}

bool Panel::shows(Cell cell) const
{
    return !lens || (cell.row >= first.row && cell.row < first.row + static_cast<int64_t>(rows) &&
                     cell.column >= first.column && cell.column < first.column + static_cast<int64_t>(columns));
}

std::optional<Cell> Panel::overviewCellAt(QPointF point) const
{
    if (!overview.contains(point))
        return std::nullopt;
    const Cell cell{
        static_cast<int64_t>((point.y() - overview.top()) / overview.height() * static_cast<double>(spec.rows)),
        static_cast<int64_t>((point.x() - overview.left()) / overview.width() * static_cast<double>(spec.columns))};
    return isWithin(spec, cell) ? std::optional(cell) : std::nullopt;
}

void Panel::lookAt(const LensTarget& target)
{
    if (!lens)
        return;
    const auto shown = [](int64_t from, uint64_t count, int64_t begin, int64_t end) {
        return from < end && from + static_cast<int64_t>(count) > begin;
    };
    if (!target.acts && turned && shown(first.row, rows, target.first.row, target.last.row) &&
        shown(first.column, columns, target.first.column, target.last.column))
        return;
    turned = true;
    const Fringe& fringe = spec.fringe;
    first.row = startOf({target.anchor.row, target.first.row, target.last.row}, static_cast<int64_t>(rows),
                        {spec.rows, spec.sliceRows, fringe.top, fringe.bottom});
    first.column = startOf({target.anchor.column, target.first.column, target.last.column},
                           static_cast<int64_t>(columns), {spec.columns, spec.sliceColumns, fringe.left, fringe.right});
}

void Panel::zoom(double scale)
{
    if (!lens)
        return;
    if (!m_unzoomed)
        m_unzoomed = {pitchX, pitchY, gap, rows, columns, perLine};
    const Density& as = *m_unzoomed;
    rows = as.rows;
    columns = as.columns;
    perLine = as.perLine;
    pitchX = as.pitchX;
    pitchY = as.pitchY;
    gap = as.gap;
    if (scale == 1)
        return;
    const Fringe& fringe = spec.fringe;
    const auto across = static_cast<double>(spec.columns) + static_cast<double>(fringe.left + fringe.right);
    const auto down = static_cast<double>(spec.rows) + static_cast<double>(fringe.top + fringe.bottom);
    const double least = std::min({1.0, body.width() / (across * pitchX), body.height() / (down * pitchY)});
    scale = std::max(scale, least);
    perLine = 0;
    pitchX *= scale;
    pitchY *= scale;
    gap *= std::min(1.0, scale);
    gap = gap < 1 ? 0 : gap;
    const auto fitting = [](double room, double pitch, double all) {
        return static_cast<uint64_t>(std::clamp(std::floor(room / pitch + 1e-6), 1.0, all));
    };
    columns = fitting(body.width() + gap, pitchX, across);
    rows = fitting(body.height() + gap, pitchY, down);
}

void StageLayout::lookAt(const std::vector<LensTarget>& targets)
{
    for (size_t i = 0; i < std::min(panels.size(), targets.size()); ++i)
        panels[i].lookAt(targets[i]);
}

std::optional<size_t> StageLayout::panelAt(QPointF point) const
{
    for (size_t i = 0; i < panels.size(); ++i)
        if (panels[i].body.contains(point))
            return i;
    return std::nullopt;
}

StageLayout StageLayout::compute(const std::vector<PanelSpec>& wanted, QSizeF size, double typeScale,
                                 double captionHeight)
{
    Measures m(typeScale, size);
    if (captionHeight > 0)
        m.caption = captionHeight;
    StageLayout layout;
    layout.header = QRectF(m.margin, 0, size.width() - 2 * m.margin, m.header);
    layout.caption = QRectF(m.margin, size.height() - m.caption, size.width() - 2 * m.margin, m.caption);
    const QRectF area(m.margin, m.header, size.width() - 2 * m.margin, layout.caption.top() - m.header);

    const Fitting twoBands = fitted(wanted, m, area.size());
    const Fitting oneRow = fitted(inOneRow(wanted), m, area.size());
    constexpr double kClearlyBetter = 0.12;  // rows are what people expect, from the inputs down
    const Fitting& best = oneRow.score > twoBands.score + kClearlyBetter ? oneRow : twoBands;
    const std::vector<PanelSpec>& specs = best.specs;
    const BandFit& upper = best.upper;
    BandFit lower = best.lower;
    const bool both = !upper.panels.empty() && !lower.panels.empty();
    const double channel = lower.panels.empty() ? 0 : m.channel;

    const auto heightNow = [&] {
        return upper.height(upper.rows(specs, upper.unit, area.width())) +
               lower.height(lower.rows(specs, lower.unit, area.width())) + channel;
    };
    lower.inner += std::clamp((area.height() - heightNow()) * 0.15, 0.0, 30 * typeScale);
    const double spare = std::max(0.0, area.height() - heightNow());
    const double wide = channel + (both ? std::min(spare * 0.34, 60 * typeScale) : 0);
    Placer placer(layout, specs, area, m);
    double y = placer.band(upper, area.top() + (spare - (wide - channel)) * 0.4, Band::Upper);
    layout.mainChannel = layout.channels.size();
    layout.channels.push_back({y, y + wide});
    placer.band(lower, y + wide, Band::Lower);
    layout.riser = riserOf(layout, m.margin * 0.45);
    if (std::all_of(layout.panels.begin(), layout.panels.end(), isReadable))
        return layout;
    auto stacked = stackedLayout(layout, wanted, area, typeScale);
    return stacked ? *stacked : layout;
}

}  // namespace lanescope::gui
