// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/cluster/cluster_view.h"

#include <QPainterPath>

#include <algorithm>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

using analysis::Cluster;
using analysis::ClusterBlock;
using analysis::RemoteAccess;
using Way = RemoteAccess::Way;

struct ClusterData final : ViewData {
    std::shared_ptr<const Cluster> cluster;
};

QString verbOf(Way way)
{
    switch (way) {
    case Way::Load:
        return QObject::tr("reads");
    case Way::Store:
        return QObject::tr("writes");
    case Way::Atomic:
        return QObject::tr("updates");
    case Way::Copy:
        return QObject::tr("copies to");
    case Way::Arrival:
        return QObject::tr("arrives at");
    }
    return {};
}

/// Time runs downwards, a row to each access or barrier, however many steps lie between.
class ClusterPainter {
public:
    ClusterPainter(Canvas& canvas, const Snapshot& snapshot, const Cluster& cluster, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_cluster(cluster),
          m_settings(settings)
    {
        for (const RemoteAccess& access : cluster.accesses) {
            addBarriersUpTo(access.epoch);
            m_rows.push_back({&access, access.epoch});
        }
        addBarriersUpTo(static_cast<uint32_t>(std::ranges::max(cluster.blocks, {}, [](const ClusterBlock& block) {
                                                  return block.meetings.size();
                                              }).meetings.size()));
    }

    void paint()
    {
        const double line = m_c.u(18) * m_theme.typeScale;
        const QRectF area = m_c.begin(subtitle());
        m_body = area.adjusted(0, 2.4 * line, 0, -1.5 * line);
        place();
        m_body.setHeight(std::min(m_body.height(), double(m_visible) * m_height + m_c.u(4)));
        paintColumns();
        m_p.save();
        m_p.setClipRect(m_body.adjusted(-m_c.u(2), -m_c.u(8), m_c.u(2), 0));
        for (size_t row = m_first; row < m_first + m_visible; ++row)
            m_rows[row].access ? paintAccess(row) : paintBarrier(row);
        paintNow();
        m_p.restore();
        paintFoot({area.left(), area.bottom() - line, area.width(), line});
    }

private:
    struct Row {
        const RemoteAccess* access = nullptr;  ///< null: the cluster's barrier that ends the epoch
        uint32_t epoch = 0;
    };

    void addBarriersUpTo(uint32_t epoch)
    {
        for (; m_barriers < epoch; ++m_barriers)
            m_rows.push_back({nullptr, m_barriers});
    }

    [[nodiscard]] QString subtitle() const
    {
        const Dim3 extent = m_cluster.extent;
        uint64_t accesses = 0;
        for (const RemoteAccess& access : m_cluster.accesses)
            accesses += access.accesses;
        return QObject::tr("cluster of %1 × %2 × %3  ·  %4 accesses of other blocks' shared memory  ·  %5")
            .arg(extent.x)
            .arg(extent.y)
            .arg(extent.z)
            .arg(countText(accesses))
            .arg(m_barriers == 1 ? QObject::tr("1 cluster barrier")
                                 : QObject::tr("%1 cluster barriers").arg(m_barriers));
    }

    [[nodiscard]] uint32_t focusedRank() const
    {
        return analysis::rankInCluster(m_snapshot.focus.block, m_cluster.extent);
    }

    /// Rows that lie before the focused step.
    [[nodiscard]] size_t rowsBefore() const
    {
        const ClusterBlock& block = m_cluster.blocks[focusedRank()];
        const uint32_t epoch = block.epochOf(m_snapshot.focus.step);
        const double place = block.placeOf(m_snapshot.focus.step);
        return static_cast<size_t>(std::ranges::count_if(m_rows, [&](const Row& row) {
            return row.epoch < epoch || (row.epoch == epoch && row.access && row.access->place < place);
        }));
    }

    void place()
    {
        const auto count = static_cast<double>(m_cluster.blocks.size());
        m_gap = m_c.u(count > 8 ? 8 : 26);
        m_width = std::min((m_body.width() - m_gap * (count - 1)) / count, m_c.u(260) * m_theme.typeScale);
        const double height = m_c.u(41) * m_theme.typeScale;
        m_visible = std::min(m_rows.size(), std::max<size_t>(1, static_cast<size_t>(m_body.height() / height)));
        m_height = std::min(m_body.height() / double(std::max<size_t>(1, m_visible)), 1.5 * height);
        const size_t before = rowsBefore();
        const size_t following = before > m_visible / 2 ? before - m_visible / 2 : 0;
        m_first = std::min(m_rows.size() - m_visible,
                           m_settings.scroll > 0 ? static_cast<size_t>(m_settings.scroll) : following);
    }

    [[nodiscard]] QRectF column(uint32_t rank) const
    {
        return {m_body.left() + rank * (m_width + m_gap), m_body.top(), m_width, m_body.height()};
    }
    [[nodiscard]] double topOf(size_t row) const { return m_body.top() + (double(row) - double(m_first)) * m_height; }
    [[nodiscard]] QRectF cellOf(size_t row, uint32_t rank) const
    {
        const QRectF of = column(rank);
        const double margin = std::max(m_c.u(3), (m_height - m_c.u(27) * m_theme.typeScale) / 2);
        return {of.left(), topOf(row) + margin, of.width(), m_height - 2 * margin};
    }

    void paintColumns()
    {
        const double line = m_c.u(18) * m_theme.typeScale;
        for (uint32_t rank = 0; rank < m_cluster.blocks.size(); ++rank) {
            const ClusterBlock& block = m_cluster.blocks[rank];
            const QRectF of = column(rank);
            const bool isFocused = rank == focusedRank();
            if (isFocused)
                m_p.fillRect(of, mixed(m_theme.accent, m_theme.stage, 0.07));
            m_p.setPen(QPen(isFocused ? m_theme.accent : m_theme.border, m_c.u(1)));
            m_p.drawLine(of.topLeft(), of.bottomLeft());
            m_p.drawLine(of.topRight(), of.bottomRight());
            const QRectF head(of.left(), of.top() - 2.2 * line, of.width(), line);
            m_c.text(head, blockName(block, of.width()), m_c.sans(13, true), isFocused ? m_theme.accent : m_theme.text,
                     Qt::AlignCenter);
            m_c.text(head.translated(0, line), aboutBlock(rank, of.width()), m_c.sans(11), m_theme.dim,
                     Qt::AlignCenter);
            if (block.isRecorded)
                hit(head.united(head.translated(0, line)), rank, m_snapshot.focus.step,
                    blockText(block.position, m_snapshot.launch()));
        }
    }

    /// In fewer letters where the column is narrow.
    [[nodiscard]] QString blockName(const ClusterBlock& block, double width) const
    {
        const QString whole = blockText(block.position, m_snapshot.launch());
        return Canvas::widthOf(whole, m_c.sans(13, true)) <= width
                   ? whole
                   : positionText(block.position, m_snapshot.launch().grid);
    }
    [[nodiscard]] QString aboutBlock(uint32_t rank, double width) const
    {
        const ClusterBlock& block = m_cluster.blocks[rank];
        const QString steps = countText(block.steps);
        const QString whole = block.isRecorded ? QObject::tr("rank %1 · %2 steps").arg(rank).arg(steps)
                                               : QObject::tr("rank %1 · not recorded").arg(rank);
        return Canvas::widthOf(whole, m_c.sans(11)) <= width ? whole : QObject::tr("rank %1").arg(rank);
    }

    void hit(const QRectF& area, uint32_t rank, StepIndex step, const QString& text)
    {
        replay::Focus focus = m_snapshot.focus;
        focus.block = m_cluster.blocks[rank].position;
        focus.step = std::min(step, m_cluster.blocks[rank].steps);
        m_c.hit({area, text, focus, {}});
    }

    // ---- Rows ----

    void paintBarrier(size_t row)
    {
        const double y = topOf(row) + m_height / 2;
        const double right = column(static_cast<uint32_t>(m_cluster.blocks.size() - 1)).right();
        m_p.setPen(QPen(m_theme.barrier, m_c.u(2)));
        m_p.drawLine(QPointF(m_body.left(), y), QPointF(right, y));
        const QString text = QObject::tr("cluster barrier %1").arg(m_rows[row].epoch + 1);
        const QFont font = m_c.sans(11.5);
        const double width = Canvas::widthOf(text, font) + m_c.u(16), height = m_c.u(18) * m_theme.typeScale;
        const QRectF label((m_body.left() + right - width) / 2, y - height / 2, width, height);
        m_p.setPen(QPen(m_theme.barrier, m_c.u(1)));
        m_p.setBrush(m_theme.stage);
        m_p.drawRoundedRect(label, m_c.u(4), m_c.u(4));
        m_c.text(label, text, font, m_theme.text, Qt::AlignCenter);
        const uint32_t rank = focusedRank();
        const ClusterBlock& block = m_cluster.blocks[rank];
        if (m_rows[row].epoch < block.meetings.size())
            hit(label, rank, block.meetings[m_rows[row].epoch], QObject::tr("behind this barrier"));
    }

    [[nodiscard]] QColor colourOf(Way way) const
    {
        switch (way) {
        case Way::Load:
        case Way::Copy:
            return m_theme.read;
        case Way::Store:
            return m_theme.write;
        case Way::Atomic:
            return m_theme.atomic;
        case Way::Arrival:
            return m_theme.good;
        }
        return m_theme.text;
    }

    /// "shared[0]", "shared[0:32]": in elements, of arrays with one dimension.
    [[nodiscard]] QString cellsOf(const RemoteAccess& access) const
    {
        if (!access.array)
            return QObject::tr("shared memory");
        const trace::Buffer& buffer = m_snapshot.catalog->buffers[access.array->value];
        QString name = QString::fromStdString(buffer.name);
        const uint64_t element = std::max<uint32_t>(buffer.element.totalBytes(), 1);
        const uint64_t first = access.begin / element, last = (access.end - 1) / element;
        if (buffer.bytes <= element)
            return name;
        return first == last ? QStringLiteral("%1[%2]").arg(name).arg(first)
                             : QStringLiteral("%1[%2:%3]").arg(name).arg(first).arg(last + 1);
    }

    void paintAccess(size_t row)
    {
        const RemoteAccess& access = *m_rows[row].access;
        const QColor colour = colourOf(access.way);
        constexpr double kFaded = 0.25;
        m_p.setOpacity(isSelected(access) ? 1 : kFaded);
        const QRectF from = cellOf(row, access.from);
        for (size_t i = 0; i < access.to.size(); ++i)
            paintArc(from, cellOf(row, access.to[i]), {double(i + 1) / double(access.to.size() + 1), access.way},
                     colour);
        const QString what = QObject::tr("%1 %2").arg(verbOf(access.way), cellsOf(access));
        const QString words = QObject::tr("%1: %2 of %3, %4, line %5, %6 accesses")
                                  .arg(blockText(m_cluster.blocks[access.from].position, m_snapshot.launch()), what,
                                       ranksText(access.to), warpsText(access.warps))
                                  .arg(m_snapshot.site(access.site).where.line)
                                  .arg(access.accesses);
        paintBox(from, colour, true, what, verbOf(access.way));
        hit(from, access.from, access.first, words);
        for (const uint32_t rank : access.to) {
            paintBox(cellOf(row, rank), colour, false, cellsOf(access), {});
            hit(cellOf(row, rank), access.from, access.first, words);
        }
        m_p.setOpacity(1);
    }

    /// Of the selected warps: of all blocks alike, in which each has the same part.
    [[nodiscard]] bool isSelected(const RemoteAccess& access) const
    {
        const auto& selection = m_settings.selection;
        return !selection || std::ranges::any_of(access.warps, [&](uint16_t warp) { return selection->takes(warp); });
    }

    [[nodiscard]] static QString ranksText(const std::vector<uint32_t>& ranks)
    {
        QStringList names;
        for (const uint32_t rank : ranks)
            names << QString::number(rank);
        return ranks.size() == 1 ? QObject::tr("rank %1").arg(names.front())
                                 : QObject::tr("ranks %1").arg(names.join(QStringLiteral(", ")));
    }

    void paintBox(const QRectF& cell, const QColor& colour, bool isFilled, const QString& text, const QString& shorter)
    {
        m_p.setPen(QPen(colour, m_c.u(1.3)));
        m_p.setBrush(isFilled ? mixed(colour, m_theme.stage, 0.3) : m_theme.cell);
        m_p.drawRoundedRect(cell, m_c.u(4), m_c.u(4));
        const double room = cell.width() - m_c.u(8);
        for (const QString& words : {text, shorter})
            for (const double pixels : {12.0, 11.0, 10.0, 9.5})
                if (!words.isEmpty() && Canvas::widthOf(words, m_c.sans(pixels)) <= room)
                    return m_c.text(cell, words, m_c.sans(pixels), m_theme.text, Qt::AlignCenter);
    }

    struct Arc {
        double at = 0.5;  ///< where it leaves the top of the box of who accesses, from 0 to 1
        Way way = Way::Load;
    };

    /// In the direction in which the data go.
    void paintArc(const QRectF& from, const QRectF& to, const Arc& arc, const QColor& colour)
    {
        const bool comesBack = arc.way == Way::Load;
        const auto topOfBox = [&](const QRectF& box) {
            return QPointF(&box == &from ? box.left() + arc.at * box.width() : box.center().x(), box.top());
        };
        const QRectF& begin = comesBack ? to : from;
        const QRectF& end = comesBack ? from : to;
        const bool rightwards = end.center().x() > begin.center().x();
        const bool areNeighbours = std::abs(end.center().x() - begin.center().x()) < 1.5 * (m_width + m_gap);
        const QPointF start =
            areNeighbours ? QPointF(rightwards ? begin.right() : begin.left(), begin.center().y()) : topOfBox(begin);
        const QPointF stop =
            areNeighbours ? QPointF(rightwards ? end.left() : end.right(), end.center().y()) : topOfBox(end);
        const double rise = areNeighbours ? 0 : std::min(m_height * 0.26, m_c.u(13));
        QPainterPath path(start);
        path.cubicTo(start + QPointF((stop.x() - start.x()) * 0.1, -rise),
                     stop - QPointF((stop.x() - start.x()) * 0.1, rise), stop);
        m_p.setPen(QPen(colour, m_c.u(1.6), Qt::SolidLine, Qt::RoundCap));
        m_p.setBrush(Qt::NoBrush);
        m_p.drawPath(path);
        const double head = m_c.u(5);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(colour);
        if (areNeighbours) {
            const double back = rightwards ? -head : head;
            m_p.drawPolygon(QPolygonF({stop, stop + QPointF(back, -head * 0.7), stop + QPointF(back, head * 0.7)}));
        } else {
            m_p.drawPolygon(QPolygonF({stop, stop + QPointF(-head * 0.7, -head), stop + QPointF(head * 0.7, -head)}));
        }
    }

    void paintNow()
    {
        const double y = topOf(rowsBefore());
        const QRectF of = column(focusedRank());
        m_p.setPen(QPen(m_theme.accent, m_c.u(1.8), Qt::DashLine));
        m_p.drawLine(QPointF(of.left() - m_gap / 2, y), QPointF(of.right() + m_gap / 2, y));
    }

    void paintFoot(const QRectF& line)
    {
        QString range;
        if (m_visible < m_rows.size()) {
            m_c.leaveOut();
            range = QObject::tr("rows %1 to %2 of %3; scroll, or step; ")
                        .arg(m_first + 1)
                        .arg(m_first + m_visible)
                        .arg(m_rows.size());
        }
        const QFont font = m_c.sans(11);
        for (const QString& marks :
             {QObject::tr("time runs downwards; only the cluster's barriers order the blocks; arrows go as the data; "
                          "dashed: this step"),
              QObject::tr("only cluster barriers order the blocks; dashed: this step"),
              QObject::tr("dashed: this step")})
            if (Canvas::widthOf(range + marks, font) <= line.width())
                return m_c.text(line, range + marks, font, m_theme.dim);
        m_c.text(line, range, font, m_theme.dim);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const Cluster& m_cluster;
    const ViewSettings& m_settings;
    std::vector<Row> m_rows;
    uint32_t m_barriers = 0;
    QRectF m_body;
    double m_gap = 0;
    double m_width = 0;   ///< of a column
    double m_height = 0;  ///< of a row
    size_t m_first = 0;
    size_t m_visible = 0;
};

}  // namespace

ClusterView::ClusterView()
    : View({.name = "cluster",
            .title = "Cluster",
            .help = "the blocks of a cluster side by side, and what each does to the others' shared memory"})
{
}

bool ClusterView::hasSubject(const trace::Catalog& catalog) const
{
    return std::ranges::any_of(catalog.launches,
                               [](const trace::Launch& launch) { return launch.cluster.count() > 1; });
}

Result<ViewDataPointer> ClusterView::compute(AnalysisCache& cache, const Snapshot& snapshot, const ViewSettings&) const
{
    auto cluster =
        cache.cluster(snapshot.focus.launch, BlockIndex{linearIndex(snapshot.focus.block, snapshot.launch().grid)});
    if (!cluster)
        return cluster.error();
    auto data = std::make_shared<ClusterData>();
    data->cluster = cluster.value();
    return ViewDataPointer(data);
}

void ClusterView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                        const ViewSettings& settings) const
{
    const Cluster& cluster = *static_cast<const ClusterData&>(data).cluster;
    const uint32_t rank = cluster.blocks.empty() ? 0 : analysis::rankInCluster(snapshot.focus.block, cluster.extent);
    // The picture may be of a few steps before, in another cluster.
    const bool isThis = rank < cluster.blocks.size() && cluster.blocks[rank].position == snapshot.focus.block;
    if (!isThis || cluster.epochs() == 0) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This launch's blocks form no clusters."));
    }
    ClusterPainter(canvas, snapshot, cluster, settings).paint();
}

}  // namespace lanescope::gui
