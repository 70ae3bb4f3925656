// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/tensor/tensor_view.h"

#include <algorithm>
#include <map>
#include <span>

#include "app/gui/engine/value_format.h"
#include "app/gui/stage/overlay_tint.h"
#include "core/analysis/cluster.h"
#include "core/analysis/tensor_copy.h"

namespace lanescope::gui {

namespace {

using analysis::TensorCopy;
using analysis::TensorPiece;
using device::TensorMap;

constexpr uint64_t kRowBytes = 128;  ///< of shared memory: a word of each bank
constexpr uint64_t kChunkBytes = 16;
constexpr uint64_t kChunks = kRowBytes / kChunkBytes;

struct TensorData final : ViewData {
    std::shared_ptr<const std::vector<TensorCopy>> copies;
};

/// The copy that the focused step is in, else the latest before it, else the first.
size_t copyAt(const std::vector<TensorCopy>& copies, StepIndex step)
{
    for (size_t i = 0; i < copies.size(); ++i)
        if (copies[i].holds(step))
            return i;
    const auto behind = std::ranges::upper_bound(copies, step, {}, &TensorCopy::first);
    return behind == copies.begin() ? 0 : static_cast<size_t>(behind - copies.begin()) - 1;
}

template <typename Range>
QString listOf(const Range& range, unsigned count)
{
    QStringList all;
    for (unsigned i = 0; i < count; ++i)
        all << QString::number(range[i]);
    return all.join(QStringLiteral(", "));
}

QString swizzleText(const TensorMap& map)
{
    switch (map.swizzle) {
    case TensorMap::Swizzle::None:
        return QObject::tr("none");
    case TensorMap::Swizzle::Bytes32:
        return QObject::tr("32 bytes: chunks of 2");
    case TensorMap::Swizzle::Bytes64:
        return QObject::tr("64 bytes: chunks of 4");
    case TensorMap::Swizzle::Bytes128:
        return QObject::tr("128 bytes: chunks of 8");
    }
    return {};
}

QString typeText(TensorMap::Type type)
{
    static const char* const kNames[] = {"uint8",       "uint16",  "uint32",  "int32",   "uint64",
                                         "int64",       "float16", "float32", "float64", "bfloat16",
                                         "float32 ftz", "tf32",    "tf32 ftz"};
    return QString::fromLatin1(kNames[static_cast<size_t>(type)]);
}

class TensorPainter {
public:
    TensorPainter(Canvas& canvas, const Snapshot& snapshot, const std::vector<TensorCopy>& copies,
                  const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_copies(copies),
          m_index(copyAt(copies, snapshot.focus.step)), m_copy(copies[m_index]), m_settings(settings),
          m_line(canvas.u(18) * canvas.theme().typeScale)
    {
    }

    void paint()
    {
        QRectF area = m_c.begin(subtitle());
        area.setTop(paintChoices(area));
        const double gap = m_c.u(24);
        const double side = std::clamp(area.width() * 0.36, m_c.u(250), m_c.u(430) * m_theme.typeScale);
        const QRectF left(area.left(), area.top(), side, area.height());
        const double below = paintCard(left);
        const double held = paintHeld({left.left(), left.bottom() - 3.4 * m_line, left.width(), 3.4 * m_line});
        if (m_copy.map)
            paintTensor({left.left(), below + m_c.u(12), left.width(), held - below - m_c.u(24)});
        paintMemory({left.right() + gap, area.top(), area.right() - left.right() - gap, area.height()});
    }

private:
    [[nodiscard]] QString verb() const
    {
        return m_copy.way == TensorCopy::Way::Load    ? QObject::tr("load")
               : m_copy.way == TensorCopy::Way::Store ? QObject::tr("store")
                                                      : QObject::tr("reduction");
    }

    [[nodiscard]] QString tensorName() const
    {
        return m_copy.tensor ? QString::fromStdString(m_snapshot.catalog->buffers[m_copy.tensor->value].name)
                             : QObject::tr("a tensor");
    }
    [[nodiscard]] QString sharedName() const
    {
        return m_copy.shared ? QString::fromStdString(m_snapshot.catalog->buffers[m_copy.shared->value].name)
                             : QObject::tr("another block's shared memory");
    }

    [[nodiscard]] QString subtitle() const
    {
        const bool isLoad = m_copy.way == TensorCopy::Way::Load;
        return QObject::tr("%1 of a box: %2 → %3  ·  %4, copy %5 of %6")
            .arg(verb(), isLoad ? tensorName() : sharedName(), isLoad ? sharedName() : tensorName(),
                 blockText(m_snapshot.focus.block, m_snapshot.launch()))
            .arg(m_index + 1)
            .arg(m_copies.size());
    }

    /// The copies before and behind; where the next row begins.
    double paintChoices(const QRectF& area)
    {
        if (!m_c.takesClicks() || m_copies.size() < 2)
            return area.top();
        double x = area.left();
        const auto choice = [&](const QString& label, size_t index) {
            const QFont font = m_c.sans(12);
            const QRectF box(x, area.top(), Canvas::widthOf(label, font) + m_c.u(18), m_line * 1.2);
            m_p.setPen(QPen(m_theme.border, m_c.u(1)));
            m_p.setBrush(m_theme.raised);
            m_p.drawRoundedRect(box, m_c.u(5), m_c.u(5));
            m_c.text(box, label, font, m_theme.text, Qt::AlignCenter);
            replay::Focus focus = m_snapshot.focus;
            focus.step = m_copies[index].first + 1;
            m_c.hit({box, label, focus, {}});
            x = box.right() + m_c.u(8);
        };
        if (m_index > 0)
            choice(QObject::tr("‹ copy %1").arg(m_index), m_index - 1);
        if (m_index + 1 < m_copies.size())
            choice(QObject::tr("copy %1 ›").arg(m_index + 2), m_index + 1);
        return area.top() + m_line * 1.2 + m_c.u(10);
    }

    // ---- The card ----

    using Rows = std::vector<std::pair<QString, QString>>;

    [[nodiscard]] uint64_t bytesInside() const
    {
        uint64_t bytes = 0;
        for (const TensorPiece& piece : m_copy.pieces)
            bytes += piece.global ? piece.bytes : 0;
        return bytes;
    }

    [[nodiscard]] Rows cardRows() const
    {
        Rows rows;
        if (const auto& map = m_copy.map) {
            rows.emplace_back(QObject::tr("tensor map"), QObject::tr("%1, rank %2 of %3")
                                                             .arg(QString::fromStdString(m_copy.parameter))
                                                             .arg(map->rank)
                                                             .arg(typeText(map->type)));
            rows.emplace_back(QObject::tr("extents"), listOf(map->extents, map->rank));
            if (map->rank > 1)
                rows.emplace_back(QObject::tr("strides"),
                                  QObject::tr("%1 bytes").arg(listOf(map->strides, map->rank - 1U)));
            if (map->isIm2col)
                rows.emplace_back(QObject::tr("im2col"),
                                  QObject::tr("%1 channels, %2 pixels").arg(map->channels).arg(map->pixels));
            else
                rows.emplace_back(QObject::tr("box"), listOf(map->box, map->rank));
            if (std::ranges::any_of(std::span(map->elementStrides).first(map->rank),
                                    [](uint32_t stride) { return stride != 1; }))
                rows.emplace_back(QObject::tr("steps"), listOf(map->elementStrides, map->rank));
            rows.emplace_back(QObject::tr("swizzle"), swizzleText(*map));
            if (map->isInterleaved())
                rows.emplace_back(QObject::tr("interleaved"),
                                  QObject::tr("slices of %1 bytes in dimension 0").arg(map->innermostBytes()));
            rows.emplace_back(QObject::tr("outside"), map->fillsWithNaN ? QObject::tr("NaN") : QObject::tr("zeros"));
            if (!map->isIm2col)
                rows.emplace_back(QObject::tr("corner"),
                                  m_copy.isCornerKnown ? listOf(m_copy.corner, map->rank) : QObject::tr("not known"));
        } else {
            rows.emplace_back(QObject::tr("tensor map"), QObject::tr("none of the kernel's parameters"));
        }
        const uint64_t all = m_copy.pieces.size() * kChunkBytes, inside = bytesInside();
        rows.emplace_back(
            QObject::tr("bytes"),
            inside == all ? countText(all)
                          : QObject::tr("%1, of which %2 are outside").arg(countText(all), countText(all - inside)));
        rows.emplace_back(QObject::tr("asked by"), QObject::tr("warp %1 lane %2, line %3")
                                                       .arg(m_copy.warp)
                                                       .arg(m_copy.lane)
                                                       .arg(m_snapshot.site(m_copy.site).where.line));
        return rows;
    }

    /// Returns its lower edge.
    double paintCard(const QRectF& area)
    {
        const Rows rows = cardRows();
        const bool isMulticast = !m_copy.targets.empty();
        const double height = m_line * double(rows.size() + (isMulticast ? 2 : 0)) + m_c.u(16);
        const QRectF card(area.left(), area.top(), area.width(), height);
        m_p.setPen(QPen(m_theme.border, m_c.u(1)));
        m_p.setBrush(m_theme.window);
        m_p.drawRoundedRect(card, m_c.u(6), m_c.u(6));
        const double head = m_c.u(84) * m_theme.typeScale;
        double y = card.top() + m_c.u(8);
        for (const auto& [name, value] : rows) {
            m_c.text({card.left() + m_c.u(10), y, head, m_line}, name, m_c.sans(11.5), m_theme.dim);
            const double room = card.width() - head - m_c.u(20);
            const QFont font = Canvas::widthOf(value, m_c.mono(11.5)) <= room ? m_c.mono(11.5) : m_c.mono(9.5);
            m_c.text({card.left() + m_c.u(10) + head, y, room, m_line}, value, font, m_theme.text);
            y += m_line;
        }
        if (isMulticast)
            paintTargets({card.left() + m_c.u(10), y, card.width() - m_c.u(20), 2 * m_line}, head);
        return card.bottom();
    }

    /// The cluster's blocks, those lit that the box goes to.
    void paintTargets(const QRectF& area, double head)
    {
        m_c.text({area.left(), area.top(), head, m_line}, QObject::tr("goes to"), m_c.sans(11.5), m_theme.dim);
        const Dim3 cluster = m_snapshot.launch().cluster;
        const uint32_t own = analysis::rankInCluster(m_snapshot.focus.block, cluster);
        const double width = std::min(m_c.u(34) * m_theme.typeScale, (area.width() - head) / double(cluster.count()));
        for (uint32_t rank = 0; rank < cluster.count(); ++rank) {
            const bool isLit =
                std::ranges::binary_search(m_copy.targets, rank) || (rank == own && m_copy.shared.has_value());
            const QRectF box(area.left() + head + rank * width, area.top() + m_c.u(2), width - m_c.u(4), m_line * 1.5);
            m_p.setPen(QPen(isLit ? m_theme.read : m_theme.border, m_c.u(rank == own ? 2 : 1)));
            m_p.setBrush(isLit ? mixed(m_theme.read, m_theme.stage, 0.4) : m_theme.cell);
            m_p.drawRoundedRect(box, m_c.u(3), m_c.u(3));
            m_c.text(box, QString::number(rank), m_c.sans(11.5), isLit ? m_theme.text : m_theme.dim, Qt::AlignCenter);
            m_c.hit({box,
                     isLit ? QObject::tr("rank %1 gets the box").arg(rank) : QObject::tr("rank %1 does not").arg(rank),
                     {},
                     {}});
        }
    }

    // ---- The tensor ----

    /// The plane of the two innermost dimensions, which the box lies in; the part outside hatched.
    void paintTensor(const QRectF& area)
    {
        const TensorMap& map = *m_copy.map;
        if (area.height() < 5 * m_line)
            return;
        if (map.isIm2col)
            return paintPixels(area);
        if (!m_copy.isCornerKnown)
            return;
        const double columns = double(map.extents[0]), rows = map.rank > 1 ? double(map.extents[1]) : 1;
        const double boxRows = map.rank > 1 ? map.isInterleaved() ? map.taken(1) : map.box[1] : 1;
        const double left = std::min(0.0, double(m_copy.corner[0]));
        const double top = map.rank > 1 ? std::min(0.0, double(m_copy.corner[1])) : 0;
        const double right = std::max(columns, double(m_copy.corner[0]) + map.box[0]);
        const double bottom = std::max(rows, (map.rank > 1 ? double(m_copy.corner[1]) : 0) + boxRows);
        const QRectF body = area.adjusted(m_c.u(30) * m_theme.typeScale, 2.2 * m_line, -m_c.u(6), -m_c.u(4));
        double across = body.width() / (right - left), down = body.height() / (bottom - top);
        // Cells are square, unless that makes one side too thin to be seen.
        const double least = m_c.u(24);
        const double square = std::min(across, down);
        across = std::max(square, std::min(across, least / columns));
        down = std::max(square, std::min(down, least / rows));
        const auto place = [&](double column, double row, double width, double height) {
            return QRectF(body.left() + (column - left) * across, body.top() + (row - top) * down, width * across,
                          height * down);
        };
        const QRectF tensor = place(0, 0, columns, rows);
        QRectF box = place(double(m_copy.corner[0]), map.rank > 1 ? double(m_copy.corner[1]) : 0, map.box[0], boxRows);
        const double thin = m_c.u(4);
        box = QRectF(box.left(), box.top(), std::max(box.width(), thin), std::max(box.height(), thin));
        m_c.text({area.left(), area.top(), area.width(), m_line}, tensorTitle(), m_c.sans(12.5, true), m_theme.text);
        m_c.text({tensor.left(), area.top() + m_line, tensor.width(), m_line},
                 QObject::tr("%1 → dimension 0").arg(map.extents[0]), m_c.sans(10.5), m_theme.dim);
        m_p.setPen(QPen(m_theme.dim, m_c.u(1.2)));
        m_p.setBrush(m_theme.cell);
        m_p.drawRect(tensor);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(mixed(m_theme.read, m_theme.stage, 0.45));
        m_p.drawRect(box.intersected(tensor));
        m_p.setPen(QPen(m_theme.read, m_c.u(1.6)));
        m_p.setBrush(Qt::NoBrush);
        if (!tensor.contains(box)) {
            QRegion outside = QRegion(box.toAlignedRect()).subtracted(QRegion(tensor.toAlignedRect()));
            m_p.save();
            m_p.setClipRegion(outside, Qt::IntersectClip);
            m_p.fillRect(box, QBrush(m_theme.warning, Qt::BDiagPattern));
            m_p.restore();
            m_p.setPen(QPen(m_theme.warning, m_c.u(1.6)));
        }
        m_p.drawRect(box);
        m_c.hit({box, QObject::tr("the box, from (%1) on").arg(listOf(m_copy.corner, map.rank)), {}, {}});
    }

    using Coordinates = std::array<int64_t, TensorMap::kMostDimensions>;

    /// Pixels that are read, in their order, by what is around the plane that they lie in: images, of a volume its
    /// depths, too.
    [[nodiscard]] std::map<std::vector<int64_t>, std::vector<size_t>> pixelsByPlane() const
    {
        const TensorMap& map = *m_copy.map;
        std::map<std::vector<int64_t>, std::vector<size_t>> planes;
        for (size_t i = 0; i < m_copy.pixels.size(); ++i) {
            if (!m_copy.pixels[i])
                continue;
            std::vector<int64_t> around{(*m_copy.pixels[i])[map.rank - 1]};
            for (unsigned axis = map.firstPlace() + 2; axis < map.firstPlace() + map.rank - 2; ++axis)
                around.push_back((*m_copy.pixels[i])[axis]);
            planes[around].push_back(i);
        }
        return planes;
    }
    /// Planes of pixels side by side, those that are read lit; the rest of them lies outside and is filled.
    void paintPixels(const QRectF& area)
    {
        const auto planes = pixelsByPlane();
        if (planes.empty())
            return;
        const auto inside = static_cast<uint64_t>(
            std::ranges::count_if(m_copy.pixels, [](const auto& pixel) { return pixel.has_value(); }));
        m_c.text({area.left(), area.top(), area.width(), m_line},
                 inside == m_copy.pixels.size() ? QObject::tr("pixels of %1 that are read").arg(tensorName())
                                                : QObject::tr("pixels of %1 that are read; %2 of %3 lie outside")
                                                      .arg(tensorName(), countText(m_copy.pixels.size() - inside),
                                                           countText(m_copy.pixels.size())),
                 m_c.sans(12.5, true), m_theme.text);
        constexpr size_t kMostPlanes = 4;
        const size_t shown = std::min(planes.size(), kMostPlanes);
        const double width = area.width() / double(shown);
        double x = area.left();
        for (auto plane = planes.begin(); plane != std::next(planes.begin(), static_cast<std::ptrdiff_t>(shown));
             ++plane) {
            paintPlane({x, area.top() + 1.2 * m_line, width - m_c.u(10), area.height() - 1.2 * m_line}, *plane);
            x += width;
        }
        if (shown < planes.size())
            m_c.leaveOut();
    }

    void paintPlane(const QRectF& area, const std::pair<const std::vector<int64_t>, std::vector<size_t>>& plane)
    {
        const TensorMap& map = *m_copy.map;
        const unsigned across = map.firstPlace(), down = across + 1;
        const bool isFlat = map.rank == 3;
        const double columns = double(map.extents[across]), rows = isFlat ? 1 : double(map.extents[down]);
        QStringList around;
        for (const int64_t each : plane.first)
            around << QString::number(each);
        m_c.text({area.left(), area.top(), area.width(), m_line},
                 around.size() == 1 ? QObject::tr("image %1").arg(around.front())
                                    : QObject::tr("image %1, depth %2").arg(around[0], around[1]),
                 m_c.sans(10.5), m_theme.dim);
        const double cell = std::min({area.width() / columns, (area.height() - 1.2 * m_line) / rows, m_c.u(30)});
        const auto place = [&](double column, double row, double width, double height) {
            return QRectF(area.left() + column * cell, area.top() + 1.2 * m_line + row * cell, width * cell,
                          height * cell);
        };
        m_p.setPen(QPen(m_theme.dim, m_c.u(1.2)));
        m_p.setBrush(m_theme.cell);
        m_p.drawRect(place(0, 0, columns, rows));
        const size_t atStep = pieceAtStep() * kChunkBytes / std::max(map.rowBytes(), 1U);
        for (const size_t pixel : plane.second) {
            const Coordinates& at = *m_copy.pixels[pixel];
            const QRectF box = place(double(at[across]), isFlat ? 0 : double(at[down]), 1, 1);
            m_p.setPen(pixel == atStep ? QPen(m_theme.strong, m_c.u(1.6)) : QPen(m_theme.stage, m_c.u(0.5)));
            m_p.setBrush(mixed(m_theme.read, m_theme.stage, 0.45));
            m_p.drawRect(box);
            const QString number = QString::number(pixel);
            if (const QFont font = m_c.sans(10.5); Canvas::widthOf(number, font) < cell - m_c.u(3) && m_line < cell)
                m_c.text(box, number, font, m_theme.text, Qt::AlignCenter);
            m_c.hit({box, QObject::tr("pixel %1: (%2)").arg(number, listOf(at, map.rank)), {}, {}});
        }
    }

    [[nodiscard]] QString tensorTitle() const
    {
        const TensorMap& map = *m_copy.map;
        QString text = QObject::tr("box on %1").arg(tensorName());
        if (map.rank > 2) {
            QStringList fixed;
            for (unsigned i = 2; i < map.rank; ++i)
                fixed << QString::number(m_copy.corner[i]);
            text += QObject::tr(", at %1 of the outer dimensions").arg(fixed.join(QStringLiteral(", ")));
        }
        if (bytesInside() < m_copy.pieces.size() * kChunkBytes)
            text += QObject::tr("; hatched: outside");
        return text;
    }

    // ---- What was copied ----

    /// The piece that the focused step copies, or the latest before it.
    [[nodiscard]] size_t pieceAtStep() const
    {
        size_t found = 0;
        for (size_t i = 0; i < m_copy.pieces.size(); ++i)
            if (m_copy.pieces[i].step <= m_snapshot.focus.step && m_copy.pieces[i].step >= m_copy.pieces[found].step)
                found = i;
        return found;
    }

    /// The values in the 16 bytes that a piece has come to, as they are at this step; none: they are not known.
    [[nodiscard]] QStringList valuesOf(size_t index) const
    {
        const TensorPiece& piece = m_copy.pieces[index];
        const auto at = m_copy.shared ? m_snapshot.indexOf(*m_copy.shared) : std::nullopt;
        if (!at || !piece.shared)
            return {};
        const BufferView& view = m_snapshot.buffers[*at];
        const uint64_t bytes = std::max<uint32_t>(view.buffer.element.totalBytes(), 1);
        QStringList values;
        for (uint64_t number = *piece.shared / bytes; number < (*piece.shared + kChunkBytes) / bytes; ++number)
            values << (view.hasValue(number) ? valueText(view.buffer.element, view.at(number)) : QStringLiteral("–"));
        return values;
    }

    /// The chunk that this step copies, enlarged: its values. Returns its upper edge.
    double paintHeld(const QRectF& area)
    {
        m_held = pieceAtStep();
        const QStringList values = valuesOf(m_held);
        if (values.isEmpty())
            return area.bottom();
        const uint64_t chunks = rowChunks();
        m_c.text(
            {area.left(), area.top(), area.width(), m_line},
            QObject::tr("this step's chunk, %1.%2 of %3").arg(m_held / chunks).arg(m_held % chunks).arg(sharedName()),
            m_c.sans(12.5, true), m_theme.text);
        const double width = std::min(area.width() / double(values.size()), m_c.u(64) * m_theme.typeScale);
        QString longest;
        for (const QString& value : values)
            longest = value.size() > longest.size() ? value : longest;
        double pixels = 13;
        while (pixels > 8 && Canvas::widthOf(longest, m_c.mono(pixels)) > width - m_c.u(5))
            pixels -= 0.5;
        const QColor hue = numberedColour(m_theme, m_held % chunks);
        for (qsizetype i = 0; i < values.size(); ++i) {
            const QRectF cell = QRectF(area.left() + double(i) * width, area.top() + 1.3 * m_line, width, 1.6 * m_line)
                                    .adjusted(m_c.u(1), 0, -m_c.u(1), 0);
            m_p.setPen(Qt::NoPen);
            m_p.setBrush(mixed(hue, m_theme.stage, 0.55));
            m_p.drawRoundedRect(cell, m_c.u(3), m_c.u(3));
            m_c.text(cell, values[i], m_c.mono(pixels), m_theme.text, Qt::AlignCenter);
        }
        return area.top();
    }

    // ---- Shared memory ----

    [[nodiscard]] uint64_t rowChunks() const
    {
        if (!m_copy.map)
            return kChunks;
        const TensorMap& map = *m_copy.map;
        return std::max<uint64_t>(1, uint64_t{map.isIm2col ? map.channels : map.taken(0)} * map.innermostBytes() /
                                         kChunkBytes);
    }

    /// Where in the array the box begins, at a multiple of a row.
    [[nodiscard]] uint64_t begin() const
    {
        uint64_t least = UINT64_MAX;
        for (const TensorPiece& piece : m_copy.pieces)
            if (piece.shared)
                least = std::min(least, *piece.shared);
        return least == UINT64_MAX ? 0 : least / kRowBytes * kRowBytes;
    }

    void paintMemory(const QRectF& area)
    {
        const double gap = m_c.u(26);
        const double label = m_c.u(46) * m_theme.typeScale;
        const double width = (area.width() - gap - label) / 2;
        const double foot = 1.5 * m_line;
        const QRectF body = area.adjusted(label, 2.4 * m_line, 0, -foot);
        m_rowHeight = m_c.u(19) * m_theme.typeScale;
        uint64_t last = 0;
        for (const TensorPiece& piece : m_copy.pieces)
            if (piece.shared)
                last = std::max(last, *piece.shared - begin());
        const uint64_t rows = std::max(last / kRowBytes + 1, (m_copy.pieces.size() + kChunks - 1) / kChunks);
        const auto fitting = static_cast<uint64_t>(std::max(1.0, body.height() / m_rowHeight));
        m_shown = std::min(rows, fitting);
        m_top = std::min(rows - m_shown, static_cast<uint64_t>(std::max(0.0, m_settings.scroll)));
        const QRectF logical(body.left(), body.top(), width, body.height());
        const QRectF physical(body.left() + width + gap, body.top(), width, body.height());
        const auto title = [&](const QRectF& of, const QString& text, const QString& under) {
            m_c.text({of.left(), area.top(), of.width(), m_line}, text, m_c.sans(12.5, true), m_theme.text);
            m_c.text({of.left(), area.top() + m_line, of.width(), m_line}, under, m_c.sans(10.5), m_theme.dim);
        };
        title(logical, QObject::tr("the box in order"), QObject::tr("row.chunk, 16 bytes each"));
        title(physical, QObject::tr("in %1").arg(sharedName()), QObject::tr("128 bytes a row: all 32 banks"));
        for (uint64_t row = m_top; row < m_top + m_shown; ++row)
            m_c.text({area.left(), yOf(body, row), label - m_c.u(8), m_rowHeight},
                     QStringLiteral("+%1").arg(row * kRowBytes), m_c.mono(10), m_theme.dim,
                     Qt::AlignRight | Qt::AlignVCenter);
        for (size_t i = 0; i < m_copy.pieces.size(); ++i) {
            paintPiece(logical, i, i * kChunkBytes);
            if (m_copy.pieces[i].shared)
                paintPiece(physical, i, *m_copy.pieces[i].shared - begin());
        }
        paintFoot({area.left(), area.bottom() - m_line, area.width(), m_line}, rows);
    }

    [[nodiscard]] double yOf(const QRectF& body, uint64_t row) const
    {
        return body.top() + double(row - m_top) * m_rowHeight;
    }

    void paintPiece(const QRectF& body, size_t index, uint64_t offset)
    {
        const uint64_t row = offset / kRowBytes;
        if (row < m_top || row >= m_top + m_shown)
            return;
        const TensorPiece& piece = m_copy.pieces[index];
        const double width = body.width() / double(kChunks);
        const uint64_t chunk = offset % kRowBytes / kChunkBytes;
        const QRectF cell = QRectF(body.left() + double(chunk) * width, yOf(body, row), width, m_rowHeight)
                                .adjusted(m_c.u(1), m_c.u(1), -m_c.u(1), -m_c.u(1));
        const uint64_t chunks = rowChunks();
        const bool isOutside = !piece.global;
        const bool isNow = piece.step <= m_snapshot.focus.step || m_copy.last < m_snapshot.focus.step;
        const QColor hue = numberedColour(m_theme, index % chunks);
        m_p.setPen(Qt::NoPen);
        m_p.setBrush(isOutside ? m_theme.stage : mixed(hue, m_theme.stage, isNow ? 0.55 : 0.25));
        m_p.drawRoundedRect(cell, m_c.u(2), m_c.u(2));
        if (isOutside || piece.bytes < kChunkBytes) {
            QRectF filled = cell;
            if (!isOutside)
                filled.setLeft(cell.left() + cell.width() * double(piece.bytes) / double(kChunkBytes));
            m_p.fillRect(filled, m_theme.stage);
            m_p.fillRect(filled, QBrush(m_theme.warning, Qt::BDiagPattern));
            m_p.setPen(QPen(m_theme.warning, m_c.u(1)));
            m_p.setBrush(Qt::NoBrush);
            m_p.drawRoundedRect(filled, m_c.u(2), m_c.u(2));
        }
        const QString name = QStringLiteral("%1.%2").arg(index / chunks).arg(index % chunks);
        const QFont font = m_c.mono(9.5);
        if (Canvas::widthOf(name, font) <= cell.width() - 2) {
            if (isOutside) {
                const double half = Canvas::widthOf(name, font) / 2 + 2;
                m_p.fillRect(QRectF(cell.center().x() - half, cell.top() + 2, 2 * half, cell.height() - 4),
                             m_theme.stage);
            }
            m_c.text(cell, name, font, m_theme.text, Qt::AlignCenter);
        }
        if (index == m_held) {
            m_p.setPen(QPen(m_theme.strong, m_c.u(1.4)));
            m_p.setBrush(Qt::NoBrush);
            m_p.drawRoundedRect(cell, m_c.u(2), m_c.u(2));
        }
        replay::Focus focus = m_snapshot.focus;
        focus.step = piece.step + 1;
        m_c.hit({cell, hintOf(index), focus, {}});
    }

    [[nodiscard]] QString hintOf(size_t index) const
    {
        const TensorPiece& piece = m_copy.pieces[index];
        QString text = QObject::tr("row %1, chunk %2").arg(index / rowChunks()).arg(index % rowChunks());
        if (piece.shared)
            text += QObject::tr(": byte %1 of %2").arg(*piece.shared).arg(sharedName());
        if (piece.global && m_copy.tensor)
            text += QObject::tr(", byte %1 of %2")
                        .arg(*piece.global - m_snapshot.catalog->buffers[m_copy.tensor->value].deviceAddress)
                        .arg(tensorName());
        else
            text += QObject::tr(", outside: filled");
        if (const QStringList values = valuesOf(index); !values.isEmpty())
            text += QObject::tr("; holds %1").arg(values.join(QLatin1Char(' ')));
        return text;
    }

    void paintFoot(const QRectF& line, uint64_t rows)
    {
        QString text;
        if (m_shown < rows) {
            m_c.leaveOut();
            text = QObject::tr("rows %1 to %2 of %3; scroll; ").arg(m_top + 1).arg(m_top + m_shown).arg(rows);
        }
        const QFont font = m_c.sans(11);
        for (const QString& words :
             {QObject::tr("colours: the chunk's place in its row; pale: not yet copied; hatched: "
                          "outside the tensor, filled"),
              QObject::tr("pale: not yet copied; hatched: outside, filled"), QObject::tr("hatched: filled")})
            if (Canvas::widthOf(text + words, font) <= line.width())
                return m_c.text(line, text + words, font, m_theme.dim);
        m_c.text(line, text, font, m_theme.dim);
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const std::vector<TensorCopy>& m_copies;
    size_t m_index;
    const TensorCopy& m_copy;
    const ViewSettings& m_settings;
    double m_line;
    double m_rowHeight = 0;
    uint64_t m_top = 0;    ///< row of 128 bytes that shows first
    uint64_t m_shown = 0;  ///< rows that show
    size_t m_held = 0;     ///< the piece whose values are shown
};

}  // namespace

TensorView::TensorView()
    : View({.name = "tensor",
            .title = "Tensor copy",
            .help = "one copy of a tensor's box: what of the tensor, what outside, and how it lies in shared memory"})
{
}

bool TensorView::hasSubject(const trace::Catalog& catalog) const
{
    return std::ranges::any_of(catalog.sites, &analysis::isTensorCopy);
}

Result<ViewDataPointer> TensorView::compute(AnalysisCache& cache, const Snapshot& snapshot, const ViewSettings&) const
{
    auto copies = cache.tensorCopies(snapshot.focus.launch,
                                     BlockIndex{linearIndex(snapshot.focus.block, snapshot.launch().grid)});
    if (!copies)
        return copies.error();
    auto data = std::make_shared<TensorData>();
    data->copies = copies.value();
    return ViewDataPointer(data);
}

void TensorView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                       const ViewSettings& settings) const
{
    const std::vector<TensorCopy>& copies = *static_cast<const TensorData&>(data).copies;
    if (copies.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This block copies no boxes of tensors (cp.async.bulk.tensor)."));
    }
    TensorPainter(canvas, snapshot, copies, settings).paint();
}

}  // namespace lanescope::gui
