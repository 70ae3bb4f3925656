// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/blocks/blocks_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <QImage>

#include "app/gui/engine/block_phases.h"
#include "app/gui/engine/value_format.h"
#include "app/gui/stage/overlay_tint.h"

namespace lanescope::gui {

namespace {

using trace::SiteKind;
using Slot = LaunchStrips::Slot;
using Strip = LaunchStrips::Strip;

struct BlocksData final : ViewData {
    std::shared_ptr<const LaunchStrips> strips;
};

using Map = BlocksSettings::Map;

Map after(Map map)
{
    return map == Map::Findings ? Map::Patterns : static_cast<Map>(static_cast<int>(map) + 1);
}

void chooseMap(ViewSettings& settings, const std::string& map)
{
    settings.own.set(BlocksSettings{map == "steps"        ? Map::Steps
                                    : map == "divergence" ? Map::Divergence
                                    : map == "findings"   ? Map::Findings
                                                          : Map::Patterns});
}

std::vector<ViewOption> blocksOptions()
{
    std::vector<ViewOption> options = columnOptions();
    options.push_back({"--map", "what the map of the grid colours",
                       ViewOption::Word{{"patterns", "steps", "divergence", "findings"}, &chooseMap}});
    return options;
}

/// Column and row of a block in the map of the grid.
QPointF placeInMap(uint64_t block, uint64_t columns)
{
    const uint64_t row = block / columns;
    return {double(block % columns), double(row)};
}

class BlocksPainter {
public:
    BlocksPainter(Canvas& canvas, const Snapshot& snapshot, const LaunchStrips& strips, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_strips(strips),
          m_settings(settings), m_map(settings.own.as<BlocksSettings>().map), m_grid(snapshot.launch().grid)
    {
    }

    void paint()
    {
        const QRectF area = m_c.begin(summary());
        if (m_strips.strips.empty())
            return m_c.empty(QObject::tr("No block of this launch was recorded."));
        const double line = m_c.u(20) * m_theme.typeScale;
        chooseRows();
        m_plot = area.adjusted(m_c.u(m_byPattern ? 150 : 84) * m_theme.typeScale, 0, 0, -line - m_c.u(8));
        if (m_byPattern)
            paintMap();
        const size_t all = m_shown.size();
        m_height = std::clamp(m_plot.height() / double(all), m_c.u(3), m_c.u(m_byPattern ? 90 : all <= 2 ? 200 : 130));
        m_rows = std::min(all, static_cast<size_t>(m_plot.height() / m_height + 1e-6));
        m_first = std::min(static_cast<size_t>(std::max(0.0, m_settings.scroll * 4)), all - m_rows);
        m_c.hit({m_plot, {}, {}, {}, true});
        for (size_t row = m_first; row < m_first + m_rows; ++row)
            paintStrip(*m_shown[row], rectOf(row));
        paintLabels();
        if (m_byPattern)
            paintPhases();
        paintFindings();
        paintScrubber();
        paintLegend({area.left(), area.bottom() - line, area.width(), line});
    }

private:
    /// Many blocks by what they do, the outliers first, and so a few of more steps than can be seen, of which most do
    /// the same; others each by itself.
    void chooseRows()
    {
        constexpr size_t kFew = 32;
        constexpr size_t kAlike = 4;  // blocks to a pattern
        m_byPattern = !m_strips.patterns.empty() &&
                      (m_strips.blocks > kFew || (m_strips.blocks >= kAlike * m_strips.patterns.size() &&
                                                  double(m_strips.longest) > m_c.size().width()));
        for (const Strip& strip : m_byPattern ? m_strips.patterns : m_strips.strips)
            m_shown.push_back(&strip);
    }

    /// The row that a recorded block is in.
    [[nodiscard]] std::optional<size_t> rowOf(BlockIndex block) const
    {
        if (m_byPattern)
            return m_strips.patternOf(block);
        const Strip* strip = m_strips.stripOf(block);
        return strip == nullptr ? std::nullopt : std::optional(static_cast<size_t>(strip - m_strips.strips.data()));
    }

    /// The usual pattern keeps to the background.
    [[nodiscard]] QColor colourOf(size_t pattern) const
    {
        return pattern + 1 == m_shown.size() ? mixed(m_theme.dim, m_theme.stage, 0.35)
                                             : mixed(numberedColour(m_theme, pattern), m_theme.strong, 0.9);
    }

    /// Blocks of one row of the map: of the grid's, but long rows wrap, as one would not see where a block is.
    [[nodiscard]] uint64_t mapColumns() const
    {
        constexpr uint32_t kLong = 2048;
        const bool isLine = uint64_t{m_grid.y} * m_grid.z == 1;
        return isLine || m_grid.x > kLong ? static_cast<uint64_t>(std::ceil(std::sqrt(double(m_grid.count()))))
                                          : m_grid.x;
    }

    /// The grid at the right: which block has which pattern. Slices of a deep grid stand below each other.
    void paintMap()
    {
        constexpr uint64_t kMost = 1 << 22;  // blocks that are worth a picture
        if (m_grid.count() > kMost)
            return;
        const uint64_t columns = mapColumns();
        const uint64_t rows = (m_grid.count() + columns - 1) / columns;
        constexpr double kShare = 0.3;  // of the width
        const double key = m_c.u(50) * m_theme.typeScale;
        const double cell =
            std::min({m_plot.width() * kShare / double(columns), (m_plot.height() - key) / double(rows), m_c.u(44)});
        const QRectF map(m_plot.right() - cell * double(columns), m_plot.top(), cell * double(columns),
                         cell * double(rows));
        m_plot.setRight(map.left() - m_c.u(18));
        QImage image(static_cast<int>(columns), static_cast<int>(rows), QImage::Format_ARGB32);
        image.fill(m_theme.stage);
        const std::vector<QColor> colours = mapColours();
        for (size_t i = 0; i < m_strips.recorded.size(); ++i) {
            const uint64_t block = m_strips.recorded[i].value;
            image.setPixelColor(static_cast<int>(block % columns), static_cast<int>(block / columns), colours[i]);
        }
        m_p.setRenderHint(QPainter::SmoothPixmapTransform, cell < 1);
        m_p.drawImage(map, image);
        m_p.setBrush(Qt::NoBrush);
        m_p.setPen(QPen(m_theme.border, 1));  // blocks that were not recorded are in it, too
        m_p.drawRect(map.adjusted(-0.5, -0.5, 0.5, 0.5));
        paintBlockEdges(map, cell);
        if (m_map == Map::Patterns)
            paintOutliers(map, cell, columns);
        paintMapKey({map.left(), map.bottom() + m_c.u(6), map.width(), m_c.u(20) * m_theme.typeScale});
        const uint64_t here = linearIndex(m_snapshot.focus.block, m_grid);
        m_p.setBrush(Qt::NoBrush);
        m_p.setPen(QPen(m_theme.strong, 1.5));
        m_p.drawRect(
            QRectF(map.topLeft() + cell * placeInMap(here, columns), QSizeF(cell, cell)).adjusted(-1, -1, 1, 1));
        hitMap(map, cell, columns);
    }

    /// Lines between blocks, where these are large enough.
    void paintBlockEdges(const QRectF& map, double cell)
    {
        constexpr double kLarge = 4;  // pixels
        if (cell < m_c.u(kLarge))
            return;
        m_p.setPen(QPen(m_theme.stage, m_c.u(0.8)));
        for (double x = map.left() + cell; x < map.right() - 1; x += cell)
            m_p.drawLine(QPointF(x, map.top()), QPointF(x, map.bottom()));
        for (double y = map.top() + cell; y < map.bottom() - 1; y += cell)
            m_p.drawLine(QPointF(map.left(), y), QPointF(map.right(), y));
    }

    /// [recorded block]
    [[nodiscard]] std::vector<QColor> mapColours() const
    {
        std::vector<QColor> colours(m_strips.recorded.size(), mixed(m_theme.dim, m_theme.stage, 0.2));
        for (size_t i = 0; i < colours.size(); ++i)
            if (m_map == Map::Patterns)
                colours[i] = colourOf(m_strips.patternOfEach[i]);
            else if (m_map == Map::Steps)
                colours[i] = stepsColour(shareOfSteps(m_strips.stepsOfEach[i]));
            else if (m_map == Map::Divergence && m_strips.divergedOfEach[i])
                colours[i] = m_theme.ofKind(SiteKind::Branch);
        if (m_map == Map::Findings)
            forFindings([&](const trace::Finding& finding, size_t place) {
                colours[place] = finding.severity == Severity::Error ? m_theme.error : m_theme.warning;
            });
        return colours;
    }

    [[nodiscard]] double shareOfSteps(StepIndex steps) const
    {
        return m_strips.longest == m_strips.shortest
                   ? 0.5
                   : double(steps - m_strips.shortest) / double(m_strips.longest - m_strips.shortest);
    }

    [[nodiscard]] QColor stepsColour(double share) const
    {
        return mixed(m_theme.read, mixed(m_theme.read, m_theme.stage, 0.12), share);
    }

    /// Calls \p visit with each finding but advice and the place of a block in it among the recorded ones.
    template <typename Visit>
    void forFindings(const Visit& visit) const
    {
        for (const trace::Finding& finding : m_snapshot.catalog->findings) {
            if (finding.launch != m_snapshot.focus.launch || finding.severity == Severity::Advice)
                continue;
            for (const trace::FindingAccess& side : finding.accesses) {
                const BlockIndex block{linearIndex(side.block, m_grid)};
                const auto at = std::ranges::lower_bound(m_strips.recorded, block);
                if (at != m_strips.recorded.end() && *at == block)
                    visit(finding, static_cast<size_t>(at - m_strips.recorded.begin()));
            }
        }
    }

    /// Below the map: what its colours are, which a click changes, and what they mean.
    void paintMapKey(const QRectF& line)
    {
        const QFont font = m_c.sans(12.5);
        const auto& [name, meaning] = mapWords();
        const QRectF place(line.left(), line.top(), m_plot.right() + m_c.u(18) + line.width() - line.left(),
                           line.height());
        m_c.text(place, m_c.takesClicks() ? QObject::tr("colour: %1 (M: others)").arg(name) : name, font, m_theme.text);
        m_c.text(place.translated(0, line.height()), meaning, font, m_theme.dim);
        if (m_c.takesClicks())
            m_c.hit({place,
                     QObject::tr("colour the map by something else"),
                     {},
                     m_settings.with(BlocksSettings{after(m_map)})});
    }

    [[nodiscard]] std::pair<QString, QString> mapWords() const
    {
        const QLocale locale(QLocale::English);
        switch (m_map) {
        case Map::Steps:
            return {QObject::tr("steps"),
                    m_strips.longest == m_strips.shortest
                        ? QObject::tr("%1 each").arg(locale.toString(qulonglong(m_strips.longest)))
                        : QObject::tr("pale %1 to full %2")
                              .arg(locale.toString(qulonglong(m_strips.shortest)),
                                   locale.toString(qulonglong(m_strips.longest)))};
        case Map::Divergence:
            return {QObject::tr("divergence"),
                    m_strips.divergedBlocks == 0
                        ? QObject::tr("no warp parts")
                        : QObject::tr("coloured: warps part (%1)").arg(m_strips.divergedBlocks)};
        case Map::Findings: {
            std::set<size_t> blocks;
            forFindings([&](const trace::Finding&, size_t place) { blocks.insert(place); });
            return {QObject::tr("findings"), blocks.empty()
                                                 ? QObject::tr("none but advice")
                                                 : QObject::tr("coloured: named by one (%1)").arg(blocks.size())};
        }
        case Map::Patterns:
            break;
        }
        return {QObject::tr("patterns"), m_strips.patterns.size() == 1 ? QObject::tr("all blocks do the same")
                                                                       : QObject::tr("as beside the rows")};
    }

    /// Where cells are smaller than what one sees, the rare ones are larger than their cells.
    void paintOutliers(const QRectF& map, double cell, uint64_t columns)
    {
        constexpr size_t kRare = 64;  // blocks of a pattern
        const double size = std::max(cell, m_c.u(4));
        for (size_t i = 0; i < m_strips.recorded.size(); ++i) {
            const size_t pattern = m_strips.patternOfEach[i];
            if (m_shown[pattern]->blocks > kRare || pattern + 1 == m_shown.size())
                continue;
            const uint64_t block = m_strips.recorded[i].value;
            const QPointF middle = map.topLeft() + cell * (placeInMap(block, columns) + QPointF(0.5, 0.5));
            m_p.fillRect(QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size), colourOf(pattern));
        }
    }

    /// One block each where it can be hit, else the middle one of several.
    void hitMap(const QRectF& map, double cell, uint64_t columns)
    {
        const double step = std::max(cell, m_c.u(6));
        for (double y = map.top(); y < map.bottom() - 1e-6; y += step)
            for (double x = map.left(); x < map.right() - 1e-6; x += step) {
                const auto column = static_cast<uint64_t>((x + step / 2 - map.left()) / cell);
                const auto row = static_cast<uint64_t>((y + step / 2 - map.top()) / cell);
                const BlockIndex block(row * columns + column);
                const auto pattern = column < columns ? m_strips.patternOf(block) : std::nullopt;
                if (!pattern)
                    continue;
                replay::Focus focus = m_snapshot.focus;
                focus.block = positionOf(block.value, m_grid);
                m_c.hit({QRectF(x, y, step, step),
                         QObject::tr("%1: as %2 in all").arg(wordsFor(block)).arg(m_shown[*pattern]->blocks),
                         focus,
                         {}});
            }
    }

    [[nodiscard]] QString nameOf(BlockIndex block) const
    {
        return positionText(positionOf(block.value, m_grid), m_grid);
    }

    [[nodiscard]] QString wordsFor(BlockIndex block) const
    {
        return blockText(positionOf(block.value, m_grid), m_snapshot.launch());
    }

    [[nodiscard]] QString summary() const
    {
        const QLocale locale(QLocale::English);
        QString text = QObject::tr("%1 recorded").arg(locale.toString(qulonglong(m_strips.blocks)));
        if (const size_t patterns = m_strips.patterns.size(); m_strips.blocks > 1 && patterns > 0)
            text += patterns == 1 ? QObject::tr(", 1 pattern") : QObject::tr(", %1 patterns").arg(patterns);
        if (m_strips.shortest == m_strips.longest)
            text += QObject::tr("  ·  %1 steps each").arg(locale.toString(qulonglong(m_strips.longest)));
        else
            text +=
                QObject::tr("  ·  %1 to %2 steps: %3 is the shortest, %4 the longest")
                    .arg(locale.toString(qulonglong(m_strips.shortest)), locale.toString(qulonglong(m_strips.longest)),
                         wordsFor(m_strips.shortestBlock), nameOf(m_strips.longestBlock));
        return text + (m_strips.divergedBlocks == 0
                           ? QObject::tr("  ·  no warp parts")
                           : QObject::tr("  ·  warps part in %1 of them").arg(m_strips.divergedBlocks));
    }

    [[nodiscard]] QRectF rectOf(size_t row) const
    {
        return {m_plot.left(), m_plot.top() + double(row - m_first) * m_height, m_plot.width(), m_height};
    }

    /// Of a step, on the scale of the longest block.
    [[nodiscard]] double xOf(double step) const
    {
        const double share = step / std::max(1.0, double(m_strips.longest));
        return m_plot.left() + (share - m_settings.pan) * m_settings.zoom * m_plot.width();
    }

    [[nodiscard]] double stepAt(double x) const
    {
        const double share = m_settings.pan + (x - m_plot.left()) / m_plot.width() / m_settings.zoom;
        return share * double(m_strips.longest);
    }

    /// A place on a strip is told by the barriers in it where these stand apart, else by what there is most of.
    [[nodiscard]] bool tellsBarriers(const Strip& strip) const
    {
        constexpr double kApart = 6;  // pixels
        const auto barriers = std::count_if(strip.columns.begin(), strip.columns.end(), [](const Slot& slot) {
            return slot.rank >= 0 && kindOfRank(slot.rank) == SiteKind::Barrier;
        });
        return double(barriers) * kApart < m_plot.width() * m_settings.zoom;
    }

    /// Of steps between two places; \p barriers: they come first.
    [[nodiscard]] Slot slotOf(const Strip& strip, double from, double to, bool barriers) const
    {
        const double first = std::max(0.0, from) / double(m_strips.stepsPerSlot);
        const double last = std::max(first + 1e-9, to / double(m_strips.stepsPerSlot));
        std::array<size_t, 8> counts{};
        Slot slot;
        for (auto i = static_cast<size_t>(first); i < strip.columns.size() && double(i) < last; ++i) {
            slot.rank = std::max(slot.rank, strip.columns[i].rank);
            slot.diverged = slot.diverged || strip.columns[i].diverged;
            if (strip.columns[i].rank >= 0)
                ++counts.at(static_cast<size_t>(strip.columns[i].rank));
        }
        if (slot.rank < 0 || barriers || kindOfRank(slot.rank) != SiteKind::Barrier)
            return slot;
        const auto others = counts.begin() + rankOf(SiteKind::Barrier);
        const auto most = std::max_element(counts.begin(), others);
        slot.rank = *most > 0 ? static_cast<int8_t>(most - counts.begin()) : slot.rank;
        return slot;
    }

    /// Of the focused block's pattern, where barriers are too close to show: what the steps between two of them are, by
    /// shares. False: that is not known, or steps stand apart.
    bool paintShares(const Strip& strip, const QRectF& row)
    {
        const BlockPhases* const phases = m_snapshot.overview->phases.get();
        const auto focused = rowOf(m_snapshot.overview->block);
        if (!phases || phases->epochs() < 2 || tellsBarriers(strip) || m_height <= m_c.u(16) ||
            focused != rowOf(strip.first))
            return false;
        m_hidesBarriers = true;
        m_p.setRenderHint(QPainter::Antialiasing, false);
        constexpr double kFilled = 0.9;
        const double high = std::round(row.height() * kFilled);
        for (size_t epoch = 0; epoch < phases->epochs(); ++epoch) {
            std::array<uint64_t, BlockPhases::kRanks> steps{};
            StepIndex first = UINT64_MAX, last = 0;
            for (size_t warp = 0; warp < phases->warps; ++warp) {
                const BlockPhases::Phase& phase = phases->phase(epoch, warp);
                if (phase.last == 0)
                    continue;
                first = std::min(first, phase.first);
                last = std::max(last, phase.last);
                for (size_t rank = 0; rank < steps.size(); ++rank)
                    steps[rank] += phase.steps[rank];
            }
            const double left = std::max(m_plot.left(), std::round(xOf(double(first))));
            const double right = std::min(m_plot.right(), std::max(left + 1, std::round(xOf(double(last)))));
            uint64_t total = 0;
            for (const uint64_t count : steps)
                total += count;
            if (last == 0 || right <= left || total == 0)
                continue;
            double y = std::round(row.center().y() + high / 2);
            for (size_t rank = steps.size(); rank-- > 0;) {
                const double part = high * double(steps[rank]) / double(total);
                m_p.fillRect(QRectF(left, y - part, right - left, part), m_theme.ofKind(kindOfRank(int8_t(rank))));
                y -= part;
            }
        }
        m_p.setRenderHint(QPainter::Antialiasing);
        return true;
    }

    /// Runs of columns that are alike, one pixel at the least: the most telling slot of a pixel speaks for it.
    void paintStrip(const Strip& strip, const QRectF& row)
    {
        if (paintShares(strip, row))
            return addHits(strip, row);
        const bool bars = m_height > m_c.u(9);  // else colour alone has to tell the kinds
        const auto pixels = static_cast<size_t>(m_plot.width());
        const bool barriers = tellsBarriers(strip);
        m_hidesBarriers = m_hidesBarriers || !barriers;
        int8_t before = -1;  // where barriers fill a place, it goes on with what was before them
        const auto slotAt = [&](double x) {
            Slot slot = slotOf(strip, stepAt(x), stepAt(x + 1), barriers);
            if (!barriers && before >= 0 && slot.rank >= 0 && kindOfRank(slot.rank) == SiteKind::Barrier)
                slot.rank = before;
            before = slot.rank;
            return slot;
        };
        m_p.setRenderHint(QPainter::Antialiasing, false);
        Slot slot = slotAt(m_plot.left());
        for (size_t from = 0; from < pixels;) {
            size_t to = from + 1;
            Slot next;
            while (to < pixels && (next = slotAt(m_plot.left() + double(to))) == slot)
                ++to;
            if (slot.rank >= 0) {
                const SiteKind kind = kindOfRank(slot.rank);
                const double height = bars ? row.height() * barHeightOf(kind) : std::ceil(row.height());
                const QRectF box(m_plot.left() + double(from), std::round(row.center().y() - height / 2),
                                 double(to - from), std::round(height));
                const QColor full = m_theme.ofKind(kind);
                m_p.fillRect(box, slot.diverged ? mixed(full, m_theme.stage, 0.5) : full);
            }
            from = to;
            slot = next;
        }
        m_p.setRenderHint(QPainter::Antialiasing);
        addHits(strip, row);
    }

    /// Places to click: a few dozen steps each, so that there are not more places than can be hit.
    void addHits(const Strip& strip, const QRectF& row)
    {
        const double width = m_c.u(12);
        for (double x = row.left(); x < row.right(); x += width) {
            const double step = stepAt(x + width / 2);
            if (step < 0 || step > double(strip.steps))
                continue;
            replay::Focus focus = m_snapshot.focus;
            if (rowOf(BlockIndex{linearIndex(focus.block, m_grid)}) != rowOf(strip.first))
                focus.block = positionOf(strip.first.value, m_grid);
            focus.step = static_cast<StepIndex>(step);
            const QString which = strip.blocks == 1
                                      ? wordsFor(strip.first)
                                      : QObject::tr("%1 and %2 more").arg(wordsFor(strip.first)).arg(strip.blocks - 1);
            m_c.hit({QRectF(x, row.top(), width, row.height()),
                     QObject::tr("%1, step %2 of %3").arg(which).arg(focus.step).arg(strip.steps),
                     focus,
                     {}});
        }
    }

    [[nodiscard]] std::optional<size_t> focusedRow() const
    {
        const auto row = rowOf(BlockIndex{linearIndex(m_snapshot.focus.block, m_grid)});
        return row && *row >= m_first && *row < m_first + m_rows ? row : std::nullopt;
    }

    /// "(0,0)"; of a pattern how many blocks have it, or its only one.
    [[nodiscard]] QString labelOf(const Strip& strip) const
    {
        return m_byPattern && strip.blocks > 1 ? QObject::tr("%1 blocks").arg(countText(strip.blocks))
                                               : nameOf(strip.first);
    }

    void paintLabels()
    {
        const double line = m_c.u(16) * m_theme.typeScale;
        const double width = m_c.u(m_byPattern ? 126 : 78) * m_theme.typeScale;
        const auto focused = focusedRow();
        const auto label = [&](size_t row, bool bold) {
            const QRectF at(m_plot.left() - width - m_c.u(6), rectOf(row).center().y() - line / 2, width, line);
            m_c.text(at, labelOf(*m_shown[row]), m_c.mono(12, bold), bold ? m_theme.accent : m_theme.dim,
                     Qt::AlignRight | Qt::AlignVCenter);
            if (m_byPattern)
                m_p.fillRect(QRectF(at.left() - m_c.u(16), at.center().y() - m_c.u(6), m_c.u(12), m_c.u(12)),
                             colourOf(row));
        };
        const auto every = static_cast<size_t>(std::ceil(line / m_height));
        for (size_t row = m_first; row < m_first + m_rows; row += every)
            if (!focused || row == *focused || std::max(row, *focused) - std::min(row, *focused) >= every)
                label(row, focused == row);
        if (focused)
            label(*focused, true);
    }

    /// One kind of epoch of the focused block.
    struct PhaseRow {
        const BlockPhases::Pattern* pattern = nullptr;
        std::array<uint64_t, BlockPhases::kRanks> steps{};  ///< by rank
        uint64_t total = 0;
    };

    [[nodiscard]] std::vector<PhaseRow> phaseRows(const BlockPhases& phases) const
    {
        std::vector<PhaseRow> rows(phases.patterns.size());
        for (size_t epoch = 0; epoch < phases.epochs(); ++epoch) {
            PhaseRow& row = rows[phases.patternOf[epoch]];
            row.pattern = &phases.patterns[phases.patternOf[epoch]];
            for (size_t warp = 0; warp < phases.warps; ++warp)
                for (size_t rank = 0; rank < row.steps.size(); ++rank) {
                    row.steps[rank] += phases.phase(epoch, warp).steps[rank];
                    row.total += phases.phase(epoch, warp).steps[rank];
                }
        }
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
        return rows;
    }

    /// Below the strips, where there is room: what the focused block does between barriers, most first.
    void paintPhases()
    {
        const BlockPhases* phases = m_snapshot.overview->phases.get();
        const double line = m_c.u(24) * m_theme.typeScale;
        double y = m_plot.top() + m_height * double(m_rows) + m_c.u(26);
        const auto room = static_cast<int>((m_plot.bottom() - y) / line) - 1;
        if (phases == nullptr || phases->patterns.empty() || room < 1)
            return;
        const double left = m_plot.left() - m_c.u(150) * m_theme.typeScale;
        const QString title = m_settings.warps().empty() ? QObject::tr("between the barriers of %1")
                                                         : QObject::tr("between the barriers of %1, all warps");
        m_c.text({left, y, m_plot.right() - left, line}, title.arg(wordsFor(m_snapshot.overview->block)),
                 m_c.sans(13, true), m_theme.text);
        const std::vector<PhaseRow> rows = phaseRows(*phases);
        // Code that has no room beside what its epochs do stands below, as long as there is room for all of it.
        const bool isBelow = 2 * rows.size() <= static_cast<size_t>(room);
        y += line;
        for (size_t i = 0; i < rows.size() && i < static_cast<size_t>(room); ++i)
            y += paintPhase(rows[i], {left, y, m_plot.right() - left, line}, isBelow);
    }

    /// "64 epochs", what its steps are, its share of all steps, and its line. Returns the height that it took.
    double paintPhase(const PhaseRow& row, const QRectF& area, bool mayTakeTwo)
    {
        const double times = m_c.u(92) * m_theme.typeScale;
        m_c.text({area.left(), area.top(), times, area.height()},
                 row.pattern->epochs == 1 ? QObject::tr("1 epoch") : QObject::tr("%1 epochs").arg(row.pattern->epochs),
                 m_c.mono(12), m_theme.dim);
        const QRectF bar(area.left() + times, area.top() + area.height() * 0.2, m_c.u(150), area.height() * 0.6);
        double x = bar.left();
        for (size_t rank = row.steps.size(); rank-- > 0;) {
            const double width = bar.width() * double(row.steps[rank]) / double(std::max<uint64_t>(1, row.total));
            m_p.fillRect(QRectF(x, bar.top(), width, bar.height()), m_theme.ofKind(kindOfRank(int8_t(rank))));
            x += width;
        }
        const double share = 100.0 * double(row.total) / double(std::max<StepIndex>(1, m_snapshot.overview->stepCount));
        const double percent = m_c.u(58) * m_theme.typeScale;
        m_c.text({bar.right() + m_c.u(6), area.top(), percent, area.height()},
                 share >= 1 ? QObject::tr("%1 %").arg(share, 0, 'f', 0) : QObject::tr("< 1 %"), m_c.mono(12),
                 m_theme.text, Qt::AlignRight | Qt::AlignVCenter);
        if (row.pattern->line == 0)
            return area.height();
        const double at = bar.right() + m_c.u(22) + percent;
        const QString text = codeText(*m_snapshot.catalog, row.pattern->source, row.pattern->line);
        const QString name = QObject::tr("line %1").arg(row.pattern->line);
        const QString whole = name + QStringLiteral("  ") + text;
        const QFont font = m_c.mono(12.5);
        const bool isBeside = Canvas::widthOf(whole, font) <= area.right() - at;
        m_c.text({at, area.top(), area.right() - at, area.height()}, isBeside ? whole : name, font, m_theme.text);
        if (isBeside || !mayTakeTwo || Canvas::widthOf(text, font) > area.right() - bar.left())
            return area.height();
        m_c.text({bar.left(), area.bottom(), area.right() - bar.left(), area.height()}, text, font, m_theme.text);
        return 2 * area.height();
    }

    void paintFindings()
    {
        m_p.setPen(QPen(m_theme.stage, 1));
        for (const trace::Finding& finding : m_snapshot.catalog->findings) {
            if (finding.launch != m_snapshot.focus.launch || finding.severity == Severity::Advice)
                continue;
            for (const trace::FindingAccess& side : finding.accesses) {
                const auto found = rowOf(BlockIndex{linearIndex(side.block, m_grid)});
                const double x = xOf(double(side.step));
                if (!found || *found < m_first || *found >= m_first + m_rows || x < m_plot.left() || x > m_plot.right())
                    continue;
                const size_t row = *found;
                const double size = std::max(m_c.u(5), m_height * 0.3);
                const QPointF at(x, rectOf(row).center().y());
                m_p.setBrush(finding.severity == Severity::Error ? m_theme.error : m_theme.warning);
                m_p.drawPolygon(QPolygonF{at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size),
                                          at + QPointF(-size, 0)});
                replay::Focus focus{finding.launch, side.block, side.step + 1, side.thread, {}, 0};
                m_c.hit({QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size),
                         QObject::tr("%1: to this access").arg(QString::fromUtf8(lanescope::nameOf(finding.kind))),
                         focus,
                         {}});
            }
        }
    }

    void paintScrubber()
    {
        const auto row = focusedRow();
        const double x = xOf(double(m_snapshot.focus.step));
        if (!row || x < m_plot.left() - 1 || x > m_plot.right() + 1)
            return;
        const QRectF at = rectOf(*row);
        m_p.setPen(QPen(m_theme.strong, m_c.u(2)));
        m_p.drawLine(QPointF(x, at.top() - m_c.u(3)), QPointF(x, at.bottom() + m_c.u(3)));
    }

    void paintLegend(const QRectF& area)
    {
        const QFont font = m_c.sans(12.5);
        double x = area.left();
        const auto entry = [&](const QColor& colour, const QString& text) {
            m_p.fillRect(QRectF(x, area.center().y() - m_c.u(5), m_c.u(12), m_c.u(10)), colour);
            x += m_c.u(17);
            const double width = Canvas::widthOf(text, font) + 2;
            m_c.text({x, area.top(), width, area.height()}, text, font, m_theme.dim);
            x += width + m_c.u(14);
        };
        for (const auto& [kind, text] :
             {std::pair{SiteKind::Barrier, QObject::tr("barrier")}, std::pair{SiteKind::Atomic, QObject::tr("atomic")},
              std::pair{SiteKind::Store, QObject::tr("write")}, std::pair{SiteKind::Load, QObject::tr("read")},
              std::pair{SiteKind::Branch, QObject::tr("branch")},
              std::pair{SiteKind::VariableWrite, QObject::tr("variable")}})
            entry(m_theme.ofKind(kind), text);
        entry(mixed(m_theme.ofKind(SiteKind::Load), m_theme.stage, 0.5), QObject::tr("paler: some lanes wait"));
        QString more = m_hidesBarriers ? QObject::tr("barriers too close to show: Ctrl and the wheel zoom")
                                       : QObject::tr("click a place to go there");
        if (m_rows < m_shown.size()) {
            m_c.leaveOut();
            more += QObject::tr("; scroll for %1 more rows").arg(m_shown.size() - m_rows);
        }
        m_c.text({x, area.top(), area.right() - x, area.height()}, more, font, m_theme.dim,
                 Qt::AlignRight | Qt::AlignVCenter);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const LaunchStrips& m_strips;
    const ViewSettings& m_settings;
    Map m_map;
    Dim3 m_grid;
    std::vector<const Strip*> m_shown;  ///< a row each
    bool m_byPattern = false;
    bool m_hidesBarriers = false;
    QRectF m_plot;
    double m_height = 10;  ///< of a strip
    size_t m_first = 0;    ///< strip that shows at the top
    size_t m_rows = 0;     ///< strips that show
};

}  // namespace

BlocksView::BlocksView()
    : View({.name = "blocks",
            .title = "Blocks",
            .help = "every block of the launch, step by step; many by what they do, the outliers first",
            .options = blocksOptions()})
{
}

Result<ViewDataPointer> BlocksView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                            const ViewSettings& settings) const
{
    auto data = std::make_shared<BlocksData>();
    auto strips = cache.strips(snapshot.focus.launch, settings.warps());
    if (!strips)
        return strips.error();
    data->strips = strips.value();
    return ViewDataPointer(data);
}

void BlocksView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                       const ViewSettings& settings) const
{
    BlocksPainter(canvas, snapshot, *static_cast<const BlocksData&>(data).strips, settings).paint();
}

std::optional<ViewSettings> BlocksView::afterKey(int key, const ViewSettings& settings) const
{
    return key == Qt::Key_M ? std::optional(settings.with(BlocksSettings{after(settings.own.as<BlocksSettings>().map)}))
                            : std::nullopt;
}

}  // namespace lanescope::gui
