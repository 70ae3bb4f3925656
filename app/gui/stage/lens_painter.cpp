// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside a lens: all cells small, with the lens's part and the block's tile in it, and numbers of rows and
// columns.
#include <QObject>

#include <algorithm>
#include <cmath>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/heat_image.h"
#include "app/gui/stage/picture_cache.h"
#include "app/gui/theme/text_line.h"

namespace lanescope::gui {

namespace {

constexpr double kNumberType = 9.5;  // pixels
constexpr double kNumberHeight = 12;
constexpr double kHeadRoom = 13;  // beside the first cells, for the heads of arrows

/// The part of a panel's cells that the lens shows, without ghost cells.
struct Window {
    Cell first;
    Cell last;  // one past

    explicit Window(const Panel& panel)
        : first{std::max<int64_t>(0, panel.first.row), std::max<int64_t>(0, panel.first.column)},
          last{std::min(panel.first.row + static_cast<int64_t>(panel.rows), static_cast<int64_t>(panel.spec.rows)),
               std::min(panel.first.column + static_cast<int64_t>(panel.columns),
                        static_cast<int64_t>(panel.spec.columns))}
    {
    }
};

/// Whether rows and columns are the buffer's own last dimensions, not a long row that was folded.
bool isMatrix(const BufferView& view)
{
    return view.buffer.dims.size() >= 2 && view.buffer.dims.back() == view.shape.rowLength() && !view.shape.columnMajor;
}

/// "2,17": the indices of a row in all dimensions but the last.
QString outerText(const trace::Buffer& buffer, uint64_t row)
{
    QStringList indices;
    for (size_t i = buffer.dims.size() - 1; i-- > 0;) {
        const uint64_t extent = std::max<uint64_t>(1, buffer.dims[i]);
        indices.prepend(QString::number(i == 0 ? row : row % extent));
        row /= extent;
    }
    return indices.join(u',');
}

class LensPainter {
public:
    LensPainter(QPainter& painter, const StageDrawing& drawing, size_t index)
        : m_painter(painter), m_d(drawing), m_panel(drawing.layout.panels[index]), m_index(index),
          m_snapshot(*drawing.scene.snapshot), m_window(m_panel),
          m_view(m_panel.spec.kind == PanelKind::Buffer ? &m_snapshot.buffers[m_panel.spec.buffer] : nullptr),
          m_all(drawing.view.map(m_panel.overview)), m_body(drawing.view.map(m_panel.body))
    {
    }

    void paint()
    {
        if (!m_panel.overview.isEmpty())
            paintOverview();
        m_painter.setFont(m_d.theme.mono(kNumberType));
        m_painter.setPen(m_d.theme.faint);
        paintRowNumbers();
        if (m_view != nullptr)
            paintColumnNumbers();
    }

private:
    void paintOverview()
    {
        if (m_view != nullptr) {
            paintCells();
            paintPrints(m_painter, Prints::Now);
        } else {
            paintWarps();
        }
        paintAccesses();
        const QRectF part = boxOf(m_window.first, m_window.last);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.setPen(QPen(m_d.theme.strong, 1.2));
        m_painter.drawRect(part);
        m_painter.setPen(QPen(m_d.theme.border, 1));
        m_painter.drawLine(part.topRight(), m_body.topLeft() - QPointF(numberWidth(), 0));
        m_painter.drawLine(part.bottomRight(), m_body.bottomLeft() - QPointF(numberWidth(), 0));
    }

    [[nodiscard]] double numberWidth() const { return 40 * m_d.theme.typeScale; }

    /// Of cells, in the overview; at least a dot.
    [[nodiscard]] QRectF boxOf(Cell first, Cell last) const
    {
        constexpr double kDot = 2.5;
        const double across = m_all.width() / static_cast<double>(m_panel.spec.columns);
        const double down = m_all.height() / static_cast<double>(m_panel.spec.rows);
        return {m_all.left() + static_cast<double>(first.column) * across,
                m_all.top() + static_cast<double>(first.row) * down,
                std::max(kDot, static_cast<double>(last.column - first.column) * across),
                std::max(kDot, static_cast<double>(last.row - first.row) * down)};
    }

    /// Lines between slices.
    void paintSlices(QPainter& painter) const
    {
        const BufferShape& shape = m_view->shape;
        if (!shape.hasSlices())
            return;
        painter.setPen(QPen(m_d.theme.stage, 1));
        for (uint64_t column = shape.sliceColumns; column < shape.columns; column += shape.sliceColumns) {
            const double x =
                m_all.left() + m_all.width() * static_cast<double>(column) / static_cast<double>(shape.columns);
            painter.drawLine(QPointF(x, m_all.top()), QPointF(x, m_all.bottom()));
        }
        for (uint64_t row = shape.sliceRows; row < shape.rows; row += shape.sliceRows) {
            const double y = m_all.top() + m_all.height() * static_cast<double>(row) / static_cast<double>(shape.rows);
            painter.drawLine(QPointF(m_all.left(), y), QPointF(m_all.right(), y));
        }
    }

    /// What changes with the data and the block, not with every step: hundreds of epochs may have left prints. Every
    /// pixel is the mean of several cells, so that no pattern of the data shows as another one, and dim, so that what
    /// is drawn over it is seen.
    void paintCells()
    {
        constexpr double kDim = 0.5;
        const OverlayTint tint(m_d, *m_view);
        const BufferShape& shape = m_view->shape;
        const bool uses = tint.colours();
        const bool hasPrints = m_snapshot.footprints && m_d.overlays.contains(Overlay::Tiles);
        const auto keyOf = [&](const Footprints& prints) {
            return PictureKey{
                {m_view->state, uses ? m_snapshot.gridUse : nullptr, uses ? m_snapshot.blockUse : nullptr, prints},
                &m_d.theme,
                m_all,
                {m_view->buffer.id.value, 0, tint.signature(), shape.rows, shape.columns, shape.columnMajor ? 1U : 0U,
                 1, 1, shape.sliceRows, shape.sliceColumns}};
        };
        const QRectF area = m_all.intersected(QRectF(QPointF(0, 0), m_d.size));
        if (area.isEmpty())
            return;
        const auto drawCells = [&](QPainter& painter) {
            painter.setOpacity(uses ? 1 : kDim);
            painter.drawImage(m_all, sampledImage(tint));
            painter.setOpacity(1);
            paintSlices(painter);
        };
        if (!hasPrints)
            return paintCached(m_painter, area, keyOf(nullptr), m_d.theme.stage, drawCells);
        // Of a long block other prints are shown in each epoch, over the same cells.
        paintCached(m_painter, area, keyOf(m_snapshot.footprints), m_d.theme.stage, [&](QPainter& painter) {
            paintCached(painter, area, keyOf(nullptr), m_d.theme.stage, drawCells);
            paintPrints(painter, Prints::All);
        });
    }

    [[nodiscard]] QImage sampledImage(const OverlayTint& tint) const
    {
        constexpr int kSamples = 4;  // each way
        constexpr int kMostPixels = 512;
        const auto cells = [](double pixels, uint64_t count) {
            const auto samples = static_cast<size_t>(std::clamp<double>(std::ceil(pixels), 1, kMostPixels) * kSamples);
            std::vector<uint32_t> under(samples);
            for (size_t i = 0; i < samples; ++i)
                under[i] = static_cast<uint32_t>((2 * i + 1) * count / (2 * samples));
            return under;
        };
        const QImage all =
            heatImage(*m_view, tint, m_d.theme,
                      {cells(m_all.height(), m_panel.spec.rows), cells(m_all.width(), m_panel.spec.columns)});
        return all.scaled(all.width() / kSamples, all.height() / kSamples, Qt::IgnoreAspectRatio,
                          Qt::SmoothTransformation);
    }

    void paintWarps()
    {
        m_painter.setPen(QPen(m_d.theme.border, 1));
        m_painter.setBrush(m_d.theme.cell);
        m_painter.drawRect(m_all);
        const uint64_t begin = uint64_t{m_snapshot.warp} * kWarpSize;
        const uint64_t end = std::min(begin + kWarpSize, m_snapshot.launch().threadsPerBlock());
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(m_d.theme.accent);
        for (uint64_t thread = begin; thread < end; ++thread) {
            const Cell cell = m_d.scene.threadCell(thread);
            m_painter.drawRect(boxOf(cell, {cell.row + 1, cell.column + 1}));
        }
    }

    enum class Prints : uint8_t { All, Now };

    /// All faintly; those of now again, over what others left since.
    void paintPrints(QPainter& painter, Prints which) const
    {
        if (!m_snapshot.footprints || !m_d.overlays.contains(Overlay::Tiles))
            return;
        for (const Footprint& print : *m_snapshot.footprints) {
            if (print.buffer != m_view->buffer.id || (which == Prints::Now && print.epoch != m_snapshot.epoch()))
                continue;
            constexpr double kSeen = 3;  // pixels: smaller ones are one box around all
            const BufferShape& shape = m_view->shape;
            if (m_all.width() * double(shape.rowLength()) / double(shape.columns) < kSeen) {
                paintPrint(painter, print, print.boxAround(shape), which);
                continue;
            }
            for (uint64_t slice = print.firstSlice; slice < print.lastSlice; ++slice)
                paintPrint(painter, print, print.boxIn(shape, slice), which);
        }
    }

    void paintPrint(QPainter& painter, const Footprint& print, const std::pair<Cell, Cell>& cells, Prints which) const
    {
        constexpr double kHasInside = 4;  // pixels
        const bool isNow = which == Prints::Now;
        const QColor colour = mixed(print.writes ? m_d.theme.write : m_d.theme.read, m_d.theme.stage, isNow ? 1 : 0.45);
        const QRectF box = boxOf(cells.first, cells.second);
        if (!isNow && std::max(box.width(), box.height()) < kHasInside)
            return painter.fillRect(box, colour);  // an outline takes ten times as long
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, isNow ? 1.6 : 0.8));
        painter.drawRect(box);
    }

    void paintAccesses()
    {
        m_painter.setPen(Qt::NoPen);
        for (const CellMark& mark : m_d.scene.marks[m_index]) {
            m_painter.setBrush(colourOf(m_d.theme, mark.kind));
            m_painter.drawRect(boxOf(mark.cell, {mark.cell.row + 1, mark.cell.column + 1}));
        }
    }

    [[nodiscard]] QString rowText(int64_t row) const
    {
        if (m_view == nullptr)
            return m_panel.spec.rows == 1 ? QString() : rowOfThreads(row);
        const auto flat = m_view->shape.elementOf({row, m_window.first.column});
        if (m_view->shape.rows == 1)
            return {};
        if (m_view->shape.hasSlices())
            return QString::number(m_view->shape.withinSlice({row, m_window.first.column}).row);
        return isMatrix(*m_view) ? outerText(m_view->buffer, static_cast<uint64_t>(row)) : QString::number(flat);
    }

    /// The first thread's number where long rows were folded, else y, or z and y.
    [[nodiscard]] QString rowOfThreads(int64_t row) const
    {
        const Dim3 block = m_snapshot.launch().block;
        const auto first = static_cast<uint64_t>(row) * m_panel.spec.columns;
        if (block.y * block.z == 1)
            return QString::number(first);
        const Dim3 at = positionOf(first, block);
        return block.z > 1 ? QStringLiteral("%1,%2").arg(at.z).arg(at.y) : QString::number(at.y);
    }

    void paintRowNumbers()
    {
        // Cells that the user made small have fewer numbers.
        const double pitch = m_panel.pitchY * static_cast<double>(m_panel.linesPerRow()) * m_d.view.scale;
        const auto every = static_cast<int64_t>(std::ceil(kNumberHeight * m_d.theme.typeScale / pitch));
        // Where the overview is close, in smaller type and closer to the cells.
        constexpr double kSmallestType = 8, kLeastHeadRoom = 11;
        const double scale = m_d.theme.typeScale;
        const QString widest = rowText(m_window.last.row - 1);
        const double room = m_panel.overview.isEmpty() ? m_body.left() : m_body.left() - m_all.right();
        const bool isCramped = textWidth(m_painter.font(), widest) + kHeadRoom * scale > room;
        if (isCramped)
            m_painter.setFont(m_d.theme.mono(kSmallestType));
        const double right = m_body.left() - (isCramped ? kLeastHeadRoom : kHeadRoom) * scale;
        for (int64_t row = m_window.first.row; row < m_window.last.row; row += std::max<int64_t>(1, every)) {
            const QRectF cell = m_d.view.map(m_panel.cellRect({row, m_window.first.column}));
            const QRectF number(right - 2 * numberWidth(), cell.top(), 2 * numberWidth(), cell.height());
            drawTextLine(m_painter, number, Qt::AlignRight | Qt::AlignVCenter, rowText(row));
            // Where the row goes on below: by how much the columns' numbers are higher there.
            for (uint64_t line = 1; line < m_panel.linesPerRow(); ++line)
                drawTextLine(m_painter,
                             number.translated(0, static_cast<double>(line) * m_panel.pitchY * m_d.view.scale),
                             Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("+%1").arg(line * m_panel.perLine));
        }
        m_painter.setFont(m_d.theme.mono(kNumberType));
    }

    /// Every one, every second, every fourth …, as has room.
    void paintColumnNumbers()
    {
        const bool matrix = isMatrix(*m_view) || m_view->shape.rows == 1;
        const QString sign = matrix ? QString() : QStringLiteral("+");
        const int64_t from = matrix ? 0 : m_window.first.column;
        const double widest = textWidth(m_painter.font(), sign + QString::number(m_window.last.column - 1 - from)) + 4;
        int64_t step = 1;
        while (static_cast<double>(step) * m_panel.pitchX * m_d.view.scale < widest)
            step *= 2;
        const double height = kNumberHeight * m_d.theme.typeScale;
        const double top = m_panel.spec.band == Band::Upper ? m_body.top() - height - 3 : m_body.bottom() + 3;
        const int64_t end =
            m_panel.perLine == 0
                ? m_window.last.column
                : std::min(m_window.last.column, m_panel.first.column + static_cast<int64_t>(m_panel.perLine));
        for (int64_t column = m_window.first.column; column < end; column += step) {
            const QRectF at = m_d.view.map(m_panel.cellRect({m_window.first.row, column}));
            const QRectF box(at.center().x() - widest / 2, top, widest, height);
            if (m_view->shape.hasSlices())
                paintColumnOfSlice(box, column, step);
            else
                drawTextLine(m_painter, box, Qt::AlignCenter, sign + QString::number(column - from));
        }
        if (m_view->shape.hasSlices())
            paintSliceEdges();
    }

    /// Its number in the slice; the first of a slice has the slice's index before it, "[7] 0".
    void paintColumnOfSlice(const QRectF& box, int64_t column, int64_t step)
    {
        const Cell cell{m_window.first.row, column};
        const int64_t within = m_view->shape.withinSlice(cell).column;
        const bool begins = column == m_window.first.column || within < step;
        const QString index = QStringLiteral("[%1]").arg(m_view->shape.sliceOf(cell));
        const QString both = index + QStringLiteral(" %1").arg(within);
        const double room = static_cast<double>(step) * m_panel.pitchX * m_d.view.scale;
        const bool fits = textWidth(m_painter.font(), both) <= room;
        m_painter.setPen(begins ? m_d.theme.text : m_d.theme.faint);
        const QString text = !begins ? QString::number(within) : fits ? both : index;
        const double width = std::max(box.width(), std::min(room, textWidth(m_painter.font(), text) + 2));
        drawTextLine(m_painter, {box.center().x() - width / 2, box.top(), width, box.height()}, Qt::AlignCenter, text);
        m_painter.setPen(m_d.theme.faint);
    }

    void paintSliceEdges()
    {
        const BufferShape& shape = m_view->shape;
        m_painter.setPen(QPen(m_d.theme.dim, 1.2));
        const double half = m_panel.gap * m_d.view.scale / 2;
        for (int64_t column = m_window.first.column + 1; column < m_window.last.column; ++column)
            if (column % static_cast<int64_t>(shape.sliceColumns) == 0) {
                const double x = m_d.view.map(m_panel.cellRect({m_window.first.row, column})).left() - half;
                m_painter.drawLine(QPointF(x, m_body.top()), QPointF(x, m_body.bottom()));
            }
        for (int64_t row = m_window.first.row + 1; row < m_window.last.row; ++row)
            if (row % static_cast<int64_t>(shape.sliceRows) == 0) {
                const double y = m_d.view.map(m_panel.cellRect({row, m_window.first.column})).top() - half;
                m_painter.drawLine(QPointF(m_body.left(), y), QPointF(m_body.right(), y));
            }
        m_painter.setPen(m_d.theme.faint);
    }

    QPainter& m_painter;
    const StageDrawing& m_d;
    const Panel& m_panel;
    size_t m_index;
    const Snapshot& m_snapshot;
    Window m_window;
    const BufferView* m_view;  ///< null: the threads
    QRectF m_all;              ///< the overview
    QRectF m_body;
};

QString rangeText(int64_t first, int64_t last, uint64_t all)
{
    return first == 0 && last == static_cast<int64_t>(all) ? QStringLiteral(":")
                                                           : QStringLiteral("%1:%2").arg(first).arg(last);
}

/// "a[7, 8:12, :]", of the slice that the window begins in; "+1" where it reaches into others.
QString sliceText(const BufferView& view, const Window& window)
{
    const BufferShape& shape = view.shape;
    const uint64_t slice = shape.sliceOf(window.first);
    const Cell from = shape.withinSlice(window.first);
    const Cell corner = shape.sliceCorner(slice);
    const int64_t rows = std::min(window.last.row - corner.row, static_cast<int64_t>(shape.sliceRows));
    const int64_t columns = std::min(window.last.column - corner.column, static_cast<int64_t>(shape.sliceColumns));
    const uint64_t last = shape.sliceOf({window.last.row - 1, window.last.column - 1});
    const QString text =
        QStringLiteral("%1[%2, %3, %4]")
            .arg(QString::fromStdString(view.buffer.name))
            .arg(slice)
            .arg(rangeText(from.row, rows, shape.sliceRows), rangeText(from.column, columns, shape.sliceColumns));
    return last == slice ? text : text + QStringLiteral(" …");
}

}  // namespace

QString windowText(const StageDrawing& drawing, const Panel& panel)
{
    const Snapshot& snapshot = *drawing.scene.snapshot;
    if (panel.spec.kind == PanelKind::Threads)
        return QObject::tr("warp %1 of %2").arg(snapshot.warp).arg(snapshot.warps.size());
    const BufferView& view = snapshot.buffers[panel.spec.buffer];
    const Window window(panel);
    const QString name = QString::fromStdString(view.buffer.name);
    if (!isMatrix(view)) {
        // Of a long row that was folded: the first line's, where lines are cut.
        const int64_t rows = window.last.row - window.first.row;
        const bool cut =
            rows > 1 && window.last.column - window.first.column < static_cast<int64_t>(view.shape.columns);
        const uint64_t end =
            view.shape.elementOf({cut ? window.first.row : window.last.row - 1, window.last.column - 1});
        const QString range = QStringLiteral("%1[%2:%3]")
                                  .arg(name)
                                  .arg(view.shape.elementOf(window.first))
                                  .arg(std::min(end + 1, view.shape.elements));
        return cut ? QObject::tr("%1 +%2 rows").arg(range).arg(rows - 1) : range;
    }
    if (view.shape.hasSlices())
        return sliceText(view, window);
    QString rows = rangeText(window.first.row, window.last.row, panel.spec.rows);
    if (view.buffer.dims.size() > 2)
        rows = QStringLiteral("%1 … %2").arg(outerText(view.buffer, static_cast<uint64_t>(window.first.row)),
                                             outerText(view.buffer, static_cast<uint64_t>(window.last.row - 1)));
    return QStringLiteral("%1[%2, %3]")
        .arg(name, rows, rangeText(window.first.column, window.last.column, panel.spec.columns));
}

void paintLens(QPainter& painter, const StageDrawing& drawing, size_t panel)
{
    painter.save();
    LensPainter(painter, drawing, panel).paint();
    painter.restore();
}

}  // namespace lanescope::gui
