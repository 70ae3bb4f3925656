// SPDX-License-Identifier: GPL-3.0-or-later
// Panels below each other on one grid of columns, for data of which no panel can show all values:
//
//   title     overview   r  lens            grid of blocks
//                        r
//   ── channel ──
//   threads of the warp
//   ── channel ──
//   shared and local buffers
//
// Cells of all panels are equally wide and stand above each other, so that arrows run straight down the gutters. Where
// the lanes of a warp have no room in a line, all rows go on in a second, third or fourth one.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/gui/stage/cell_text.h"
#include "app/gui/stage/stage_layout.h"

namespace lanescope::gui {

namespace {

constexpr double kSmallType = 8.5;   // pixels, of a value where it is narrow
constexpr double kLargeType = 13.5;  // of a value where there is room
constexpr double kGutter = 4;
constexpr double kThreadRows = 1.4;  // a thread is this much higher than a cell: it has a number, too

/// Pixels at type scale 1.
struct Density {
    double ruler;     ///< height of the columns' numbers
    double rowRuler;  ///< width of the rows' numbers
    double between;   ///< panels
    double channel;   ///< that arrows share
    double title;     ///< least height
    double titleWidth;
    double grid;                    ///< least width of the grid of blocks
    double thread;                  ///< least height of one, with the gutter
    std::array<double, 5> pitches;  ///< of cells, the highest first
};
constexpr double kNumberedThread = 27;  // its number and its value, above each other
constexpr Density kRoomy{15, 46, 12, 30, 36, 122, 72, kNumberedThread, {34, 30, 26, 23, 20}};
constexpr Density kDense{13, 38, 5, 17, 18, 84, 72, kNumberedThread, {19, 19, 19, 18, 17}};
/// Threads have no number; that of a line is at its side.
constexpr Density kTight{12, 30, 3, 15, 17, 84, 54, 18, {17, 17, 17, 17, 17}};
constexpr uint64_t kTellingRows = 3;  // fewer of them are no neighbourhood

/// Which rows go on below where the lanes of a warp have no room beside each other. Those of the threads alone where
/// there is no height for more: who takes part shows before what lies beside the cells of the focused one.
enum class Fold : uint8_t { All, Threads, None };

class Stack {
public:
    Stack(StageLayout& layout, const std::vector<PanelSpec>& specs, QRectF area, double scale, const Density& density,
          Fold fold)
        : m_layout(layout), m_specs(specs), m_area(area), m_scale(scale), m_density(density), m_fold(fold)
    {
        for (size_t i = 0; i < specs.size(); ++i)
            if (specs[i].kind == PanelKind::Grid)
                m_grid = i;
            else
                m_order.push_back(i);
        std::stable_sort(m_order.begin(), m_order.end(), [&](size_t a, size_t b) { return rankOf(a) < rankOf(b); });
    }

    /// \p wholeWarp: only where all lanes of a warp show.
    bool place(bool wholeWarp)
    {
        m_wholeWarp = wholeWarp;
        return !m_order.empty() && chooseColumns() && (m_fold == Fold::None || fold()) && chooseRows() &&
               (placePanels(), placeGrid(), true);
    }

private:
    [[nodiscard]] int rankOf(size_t index) const
    {
        return m_specs[index].band == Band::Upper ? 0 : m_specs[index].kind == PanelKind::Threads ? 1 : 2;
    }
    [[nodiscard]] double px(double pixels) const { return pixels * m_scale; }
    /// A lens shows one slice of it at a time: what lies beside it in the picture of all is no neighbour.
    [[nodiscard]] bool isVolume(size_t index) const
    {
        return m_specs[index].kind == PanelKind::Buffer && m_specs[index].sliceRows != 0;
    }
    [[nodiscard]] uint64_t rowsOf(size_t index) const
    {
        const PanelSpec& spec = m_specs[index];
        const uint64_t cells = isVolume(index) ? spec.sliceRows : spec.rows;
        const auto all = cells + static_cast<uint64_t>(spec.fringe.top + spec.fringe.bottom);
        return spec.kind == PanelKind::Threads
                   ? std::min<uint64_t>(all, (uint64_t{kWarpSize} + spec.columns - 1) / spec.columns)
                   : all;
    }
    [[nodiscard]] uint64_t columnsOf(size_t index) const
    {
        const PanelSpec& spec = m_specs[index];
        const uint64_t cells = isVolume(index) ? spec.sliceColumns : spec.columns;
        return cells + static_cast<uint64_t>(spec.fringe.left + spec.fringe.right);
    }
    [[nodiscard]] double pitchOf(size_t index) const
    {
        if (m_specs[index].kind != PanelKind::Threads)
            return m_pitch.height();
        const double numbered = m_density.thread < kNumberedThread ? 0 : kThreadRows * m_pitch.height();
        return std::max(numbered, px(m_density.thread));
    }
    /// Width of the rows' numbers, at least in small type, with heads of arrows beside them.
    [[nodiscard]] double rowRuler() const
    {
        constexpr double kHead = 11;
        constexpr double kType = 8;
        double widest = m_density.rowRuler;
        for (const size_t index : m_order)
            widest = std::max(widest, kHead + kType * kMonoAdvance * m_specs[index].rowLetters);
        return px(widest);
    }
    [[nodiscard]] double rulerOf(size_t index) const
    {
        return m_specs[index].kind == PanelKind::Threads ? 0 : px(m_density.ruler);
    }
    [[nodiscard]] double heightOf(size_t index) const
    {
        const auto lines = static_cast<double>(m_rows[index] * linesOf(index));
        return std::max(rulerOf(index) + lines * pitchOf(index), px(m_density.title));
    }

    /// How many lines a row of a panel's cells takes.
    [[nodiscard]] uint64_t linesOf(size_t index) const
    {
        const bool folds = m_fold == Fold::All || m_specs[index].kind == PanelKind::Threads;
        return !folds || columnsOf(index) <= m_columns
                   ? 1
                   : std::min(m_lines, (columnsOf(index) + m_columns - 1) / m_columns);
    }

    /// Where a warp's lanes have no room beside each other, rows go on in the next line, so that all of them show.
    bool fold()
    {
        if (m_columns >= m_lanes)
            return true;
        const uint64_t most = m_fold == Fold::All ? 4 : 8;
        m_lines = (m_lanes + m_most - 1) / m_most;
        m_columns = (m_lanes + m_lines - 1) / m_lines;
        m_pitch.setWidth(std::min(m_room / static_cast<double>(m_columns), m_widest));
        return m_lines <= most;
    }

    bool chooseColumns()
    {
        constexpr double kMostTitle = 0.25;  // of the width
        double name = px(m_density.titleWidth);
        int letters = 1;
        uint64_t wanted = 1;
        for (const size_t index : m_order) {
            letters = std::max(letters, m_specs[index].letters);
            name = std::max(name, m_specs[index].nameWidth);
            wanted = std::max(wanted, columnsOf(index));
            if (m_specs[index].kind == PanelKind::Threads)
                m_lanes = std::min<uint64_t>(columnsOf(index), kWarpSize);
        }
        m_title = std::max(std::min(name, kMostTitle * m_area.width()), std::min(m_area.width() * 0.11, px(220)));
        m_overview = std::clamp(m_area.width() * 0.05, px(40), px(110));
        m_left = m_area.left() + m_title + px(m_density.between) + m_overview + rowRuler() + px(m_density.between);
        m_gridWidth = m_grid ? std::clamp(m_area.width() * 0.1, px(m_density.grid), px(240)) : 0;
        const double room = m_area.right() - m_left - (m_grid ? m_gridWidth + px(1.5 * m_density.between) : 0);
        const double narrow = px(kSmallType) * kMonoAdvance * letters + px(kGutter + 3);
        const double wide = px(kLargeType) * kMonoAdvance * letters + px(kGutter + 12);
        if (room < 4 * narrow)
            return false;
        const auto comfortable = static_cast<uint64_t>(room / wide);
        const auto most = static_cast<uint64_t>(room / narrow);
        m_columns = std::min(wanted, std::max(comfortable, std::min<uint64_t>(kWarpSize, most)));
        constexpr double kWidest = 1.25;
        m_room = room;
        m_widest = kWidest * wide;
        m_most = most;
        m_pitch.setWidth(std::min(room / static_cast<double>(m_columns), m_widest));
        return true;
    }

    [[nodiscard]] double heightNow() const
    {
        double sum = channels();
        for (const size_t index : m_order)
            sum += heightOf(index) + px(m_density.between);
        return sum;
    }

    [[nodiscard]] double channels() const
    {
        const bool threads = std::any_of(m_order.begin(), m_order.end(), [&](size_t i) { return rankOf(i) == 1; });
        return threads ? px(2 * m_density.channel) : px(m_density.channel);
    }

    [[nodiscard]] bool showsWarp() const
    {
        return std::ranges::all_of(m_order, [&](size_t i) {
            return m_specs[i].kind != PanelKind::Threads ||
                   (m_rows[i] >= rowsOf(i) && (m_fold != Fold::None || m_lanes <= m_columns));
        });
    }

    /// The highest cells at which every panel has a few rows; then as many rows as have room, those of the warp first,
    /// in turn.
    bool chooseRows()
    {
        for (const double pitch : m_density.pitches) {
            m_pitch.setHeight(px(pitch));
            m_rows.assign(m_specs.size(), 1);
            if (heightNow() > m_area.height())
                continue;
            while (addRows(true)) {
            }
            while (addRows(false)) {
            }
            if (m_wholeWarp && !showsWarp())
                continue;
            const bool telling = std::all_of(m_order.begin(), m_order.end(),
                                             [&](size_t i) { return m_rows[i] >= std::min(kTellingRows, rowsOf(i)); });
            if (telling || pitch == m_density.pitches.back())
                return true;
        }
        return false;
    }

    bool addRows(bool onlyThreads)
    {
        bool added = false;
        for (const size_t index : m_order) {
            if (m_rows[index] >= rowsOf(index) || (onlyThreads && m_specs[index].kind != PanelKind::Threads))
                continue;
            ++m_rows[index];
            const bool fits = heightNow() <= m_area.height();
            m_rows[index] -= fits ? 0 : 1;
            added |= fits;
        }
        return added;
    }

    void placePanels()
    {
        m_layout.panels.assign(m_specs.size(), {});
        m_layout.channels.clear();
        m_layout.mainChannel = 0;
        m_layout.riser = m_area.left();
        const double spare = m_area.height() - heightNow();
        const double more = std::min(spare * 0.2, px(m_density.channel));
        double y = m_area.top() + std::min((spare - 2 * more) * 0.4, px(m_density.channel));
        m_top = y;
        int rank = 0;
        const auto openChannel = [&] {
            m_layout.channels.push_back(
                {y - px(m_density.between) + 2, y + px(m_density.channel) + more - px(m_density.between)});
            y += px(m_density.channel) + more - px(m_density.between);
        };
        for (const size_t index : m_order) {
            for (; rank < rankOf(index); ++rank)
                if (rank == 0 || m_layout.channels.size() == 1)
                    openChannel();
            place(index, y);
            y += heightOf(index) + px(m_density.between);
        }
        if (m_layout.channels.empty())
            openChannel();
        m_bottom = y - px(m_density.between);
        markThoseAtChannels();
    }

    void place(size_t index, double y)
    {
        const PanelSpec& spec = m_specs[index];
        Panel& panel = m_layout.panels[index];
        panel.spec = spec;
        panel.lens = true;
        panel.titleBeside = true;
        panel.rows = m_rows[index];
        const uint64_t lines = linesOf(index);
        panel.columns = std::min(lines * m_columns, columnsOf(index));
        panel.perLine = lines == 1 ? 0 : m_columns;
        panel.pitchX = m_pitch.width();
        panel.pitchY = pitchOf(index);
        panel.gap = px(kGutter);
        // Arrows come from the channel: the columns' numbers stand on the other side.
        const double top = spec.band == Band::Upper ? y + rulerOf(index) : y;
        panel.body =
            QRectF(m_left, top, panel.pitchX * static_cast<double>(std::min(m_columns, panel.columns)) - panel.gap,
                   panel.pitchY * static_cast<double>(panel.rows * lines) - panel.gap);
        panel.frame = panel.body;
        panel.title = QRectF(m_area.left(), y, m_title, heightOf(index));
        panel.channel = m_layout.channels.empty() ? 0 : m_layout.channels.size() - 1;
        panel.channel = spec.kind == PanelKind::Threads ? 0 : panel.channel;
        panel.first = {-spec.fringe.top, -spec.fringe.left};
        const bool whole = panel.rows == rowsOf(index) && panel.columns == columnsOf(index) && !isVolume(index);
        if (!whole || spec.kind == PanelKind::Threads)
            panel.overview = overviewOf(spec, y, heightOf(index));
    }

    [[nodiscard]] QRectF overviewOf(const PanelSpec& spec, double y, double height) const
    {
        constexpr double kThinnest = 6;
        const QSizeF cells(static_cast<double>(spec.columns), static_cast<double>(spec.rows));
        const double unit = std::min(m_overview / cells.width(), height / cells.height());
        const QSizeF size(std::max(px(kThinnest), cells.width() * unit),
                          std::max(px(kThinnest), cells.height() * unit));
        return {QPointF(m_area.left() + m_title + px(m_density.between) + m_overview - size.width(), y), size};
    }

    void markThoseAtChannels()
    {
        for (const size_t index : m_order) {
            Panel& panel = m_layout.panels[index];
            panel.facesChannel = rankOf(index) == 1 || std::none_of(m_order.begin(), m_order.end(), [&](size_t other) {
                                     const double at = m_layout.panels[other].body.top();
                                     return rankOf(other) == rankOf(index) &&
                                            (rankOf(index) == 0 ? at > panel.body.top() : at < panel.body.top());
                                 });
        }
    }

    void placeGrid()
    {
        if (!m_grid)
            return;
        const PanelSpec& spec = m_specs[*m_grid];
        Panel& panel = m_layout.panels[*m_grid];
        panel.spec = spec;
        panel.rows = spec.rows;
        panel.columns = spec.columns;
        const double titles = px(44);
        const double side = std::min({m_gridWidth / static_cast<double>(spec.columns),
                                      (m_bottom - m_top - titles) / static_cast<double>(spec.rows), px(40)});
        panel.pitchX = side;
        panel.pitchY = side;
        constexpr double kGapShare = 0.1;
        panel.gap = side * kGapShare < 1 ? 0 : side * kGapShare;
        panel.body = QRectF(m_area.right() - m_gridWidth, m_top, side * static_cast<double>(spec.columns) - panel.gap,
                            side * static_cast<double>(spec.rows) - panel.gap);
        panel.frame = panel.body;
        panel.title = QRectF(panel.body.left(), panel.body.bottom(), m_gridWidth, titles);
    }

    StageLayout& m_layout;
    const std::vector<PanelSpec>& m_specs;
    QRectF m_area;
    double m_scale;
    const Density& m_density;
    Fold m_fold;
    bool m_wholeWarp = false;
    std::optional<size_t> m_grid;
    std::vector<size_t> m_order;   ///< from the top down
    std::vector<uint64_t> m_rows;  ///< [panel] that have room
    uint64_t m_columns = 1;        ///< in a line
    uint64_t m_lines = 1;          ///< of a row that is longer
    uint64_t m_lanes = 1;          ///< of a warp, beside each other
    uint64_t m_most = 1;           ///< columns that have room
    double m_room = 0;
    double m_widest = 0;  ///< that a column becomes
    QSizeF m_pitch;
    double m_title = 0;  ///< widths
    double m_overview = 0;
    double m_gridWidth = 0;
    double m_left = 0;  ///< of all lenses
    double m_top = 0;
    double m_bottom = 0;
};

}  // namespace

std::optional<StageLayout> stackedLayout(const StageLayout& layout, const std::vector<PanelSpec>& specs,
                                         const QRectF& area, double typeScale)
{
    constexpr std::array kWays{std::pair(Fold::All, &kRoomy),     std::pair(Fold::All, &kDense),
                               std::pair(Fold::Threads, &kRoomy), std::pair(Fold::Threads, &kDense),
                               std::pair(Fold::Threads, &kTight), std::pair(Fold::None, &kRoomy),
                               std::pair(Fold::None, &kDense)};
    // The first in which a whole warp has room, with rounded numbers where it has none otherwise; else the first that
    // has any.
    constexpr int kRounded = 6;  // letters
    std::vector<PanelSpec> rounded = specs;
    for (PanelSpec& spec : rounded)
        spec.letters = std::min(spec.letters, kRounded);
    for (const auto& [wholeWarp, wanted] :
         {std::pair(true, &specs), std::pair(true, std::as_const(rounded) == specs ? nullptr : &std::as_const(rounded)),
          std::pair(false, &specs)})
        for (const auto& [fold, density] : kWays) {
            StageLayout stacked;
            stacked.header = layout.header;
            stacked.caption = layout.caption;
            if (wanted != nullptr && Stack(stacked, *wanted, area, typeScale, *density, fold).place(wholeWarp))
                return stacked;
        }
    return std::nullopt;
}

}  // namespace lanescope::gui
