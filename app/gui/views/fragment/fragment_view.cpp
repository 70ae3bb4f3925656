// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/fragment/fragment_view.h"

#include <algorithm>
#include <array>
#include <set>

#include "app/gui/engine/value_format.h"
#include "core/analysis/fragments.h"
#include "core/analysis/matrix_reads.h"
#include "core/analysis/register_values.h"

namespace lanescope::gui {

namespace {

using analysis::Fragment;
using analysis::FragmentElement;
using analysis::MatrixInstruction;

struct FragmentData final : ViewData {
    std::vector<std::string> choices;  ///< opcodes, as the program has them
    std::string chosen;
    MatrixInstruction matrices;
    std::vector<trace::Event> accesses;       ///< of the focused warp's latest execution, by matrix; empty: none yet
    std::vector<analysis::MatrixRead> reads;  ///< of a warpgroup's product, by its descriptors
    analysis::RegisterValues registers;       ///< of a product
    uint32_t line = 0;
};

std::vector<std::string> instructionsOf(const trace::Catalog& catalog)
{
    std::vector<std::string> all;
    for (const trace::Site& site : catalog.sites)
        if (!site.instruction.empty() && std::ranges::find(all, site.instruction) == all.end() &&
            !analysis::fragmentsOf(site.instruction).fragments.empty())
            all.push_back(site.instruction);
    return all;
}

/// That of the statement just run, or of the line that comes next; empty: neither has one.
std::string instructionAt(const Snapshot& snapshot, const std::vector<std::string>& choices)
{
    const auto isChoice = [&](const std::string& instruction) {
        return std::ranges::find(choices, instruction) != choices.end();
    };
    for (const StatementEvent& entry : snapshot.statement)
        if (isChoice(snapshot.site(entry.event.site).instruction))
            return snapshot.site(entry.event.site).instruction;
    if (!snapshot.warps.empty())
        for (const trace::Site& site : snapshot.catalog->sites)
            if (site.where == snapshot.focusedWarp().nextLine && isChoice(site.instruction))
                return site.instruction;
    return {};
}

class FragmentPainter {
public:
    FragmentPainter(Canvas& canvas, const Snapshot& snapshot, const FragmentData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_data(data),
          m_settings(settings), m_showsValues(settings.own.as<FragmentSettings>().showsValues)
    {
    }

    void paint()
    {
        QRectF area = m_c.begin(subtitle());
        area.setTop(paintChoices(area));
        const double foot = m_c.u(22) * m_theme.typeScale;
        QRectF matrices = area.adjusted(0, 0, 0, -foot);
        if (!m_data.reads.empty()) {
            constexpr double kShare = 0.42;
            const double left = area.right() - area.width() * kShare;
            paintReads({left, matrices.top(), area.right() - left, matrices.height()});
            matrices.setRight(left - m_c.u(22));
        }
        paintMatrices(matrices);
        m_c.text({area.left(), area.bottom() - foot, area.width(), foot},
                 QObject::tr("T5 R2, or 5:2: lane 5, register 2 of the operand; marked: lane %1, the focused one; a "
                             "click focuses a lane")
                     .arg(m_snapshot.lane),
                 m_c.sans(11), m_theme.dim);
    }

private:
    [[nodiscard]] QString subtitle() const
    {
        QString text = QString::fromStdString(m_data.matrices.title);
        if (m_data.line != 0)
            text += QObject::tr("  ·  line %1").arg(m_data.line);
        if (m_data.matrices.movesMemory)
            text += m_data.accesses.empty()
                        ? QObject::tr("  ·  warp %1 has not come there yet").arg(m_snapshot.warp)
                        : QObject::tr("  ·  addresses of warp %1's latest, hover").arg(m_snapshot.warp);
        else if (m_data.registers.step)
            text += QObject::tr("  ·  values of warp %1's latest, its sums at step %2")
                        .arg(m_snapshot.warp)
                        .arg(*m_data.registers.step);
        if (m_data.chosen.starts_with("wgmma"))
            text += QObject::tr("  ·  the 16 rows of one warp; A as if it were in registers");
        return text;
    }

    [[nodiscard]] bool hasValues() const
    {
        return !m_data.accesses.empty() || !m_data.reads.empty() || m_data.registers.step.has_value();
    }

    double paintChoices(const QRectF& area)
    {
        double x = area.left(), y = area.top();
        const double row = m_c.u(34) * m_theme.typeScale;
        for (const std::string& choice : m_data.choices) {
            const QString title = QString::fromStdString(analysis::fragmentsOf(choice).title);
            const double width = Canvas::widthOf(title, m_c.sans(12.5, true)) + m_c.u(30);
            if (x > area.left() && x + width > area.right()) {
                x = area.left();
                y += row;
            }
            x = m_c.pill({x, y}, title, choice == m_data.chosen,
                         m_settings.with(FragmentSettings{choice, m_showsValues})) +
                m_c.u(8);
        }
        if (hasValues()) {
            auto changed = m_settings.own.as<FragmentSettings>();
            changed.showsValues = !m_showsValues;
            m_c.pill({x + m_c.u(12), y}, QObject::tr("values"), m_showsValues, m_settings.with(changed));
        }
        return y + row;
    }

    // ---- Matrices ----

    /// Of a product B stands above D, and A beside it, as one multiplies by hand; others stand side by side.
    void paintMatrices(const QRectF& area)
    {
        const std::vector<Fragment>& all = m_data.matrices.fragments;
        const bool isProduct = all.size() == 3 && !m_data.matrices.movesMemory;
        const double gap = m_c.u(26), head = m_c.u(20) * m_theme.typeScale;
        if (isProduct) {
            const auto columns = static_cast<double>(all[0].cols + all[1].cols);
            const auto rows = static_cast<double>(all[1].rows + all[0].rows);
            const QSizeF cell(std::min(m_c.u(74), (area.width() - gap) / columns),
                              std::min(m_c.u(30), (area.height() - 2 * head - gap / 2) / rows));
            const double x = area.left() + cell.width() * all[0].cols + gap;
            const double y = area.top() + head + cell.height() * all[1].rows + gap / 2 + head;
            paintMatrix(all[1], {x, area.top() + head}, cell);
            paintMatrix(all[0], {area.left(), y}, cell);
            paintMatrix(all[2], {x, y}, cell);
            return;
        }
        paintInTurn(area, gap, head);
    }

    /// A matrix, or some columns of a wide one, which is broken into lines.
    struct Band {
        const Fragment* fragment = nullptr;
        uint32_t first = 0;
        uint32_t cols = 0;
    };

    [[nodiscard]] std::vector<Band> bands(uint32_t mostColumns) const
    {
        std::vector<Band> all;
        for (const Fragment& fragment : m_data.matrices.fragments)
            for (uint32_t first = 0; first < fragment.cols; first += mostColumns)
                all.push_back({&fragment, first, std::min(mostColumns, fragment.cols - first)});
        return all;
    }

    void paintInTurn(const QRectF& area, double gap, double head)
    {
        constexpr uint32_t kMostColumns = 32;
        const bool isBelow = std::ranges::any_of(m_data.matrices.fragments,
                                                 [](const Fragment& each) { return each.cols > kMostColumns; });
        const std::vector<Band> all = bands(isBelow ? kMostColumns : UINT32_MAX);
        uint32_t columns = 0, rows = 0;
        for (const Band& band : all) {
            columns = isBelow ? std::max(columns, band.cols) : columns + band.cols;
            rows = isBelow ? rows + band.fragment->rows : std::max(rows, band.fragment->rows);
        }
        const auto count = static_cast<double>(all.size());
        const QSizeF cell(std::min(m_c.u(74), (area.width() - (isBelow ? 0 : gap * (count - 1))) / columns),
                          std::min(m_c.u(34), (area.height() - (head + gap / 4) * (isBelow ? count : 1)) / rows));
        double x = area.left(), y = area.top() + head;
        for (const Band& band : all) {
            paintBand(band, {x, y}, cell);
            if (m_data.matrices.movesMemory && !m_data.accesses.empty())
                paintBanks(*band.fragment, {x, y + cell.height() * rows + head, cell.width() * band.cols,
                                            area.bottom() - y - cell.height() * rows - head});
            if (isBelow)
                y += cell.height() * band.fragment->rows + head + gap / 4;
            else
                x += cell.width() * band.cols + gap;
        }
    }

    void paintMatrix(const Fragment& fragment, QPointF leftTop, QSizeF cell)
    {
        paintBand({&fragment, 0, fragment.cols}, leftTop, cell);
    }

    void paintBand(const Band& band, QPointF leftTop, QSizeF cell)
    {
        const Fragment& fragment = *band.fragment;
        const double head = m_c.u(20) * m_theme.typeScale;
        QString title =
            QObject::tr("%1  %2 × %3").arg(QString::fromStdString(fragment.name)).arg(fragment.rows).arg(fragment.cols);
        if (band.cols < fragment.cols)
            title += QObject::tr(", columns %1 to %2").arg(band.first).arg(band.first + band.cols - 1);
        m_c.text({leftTop.x(), leftTop.y() - head, std::max(cell.width() * band.cols, m_c.u(150)), head}, title,
                 m_c.sans(12.5, true), m_theme.text);
        chooseFont(cell);
        chooseValueFont(fragment, cell);
        for (uint32_t row = 0; row < fragment.rows; ++row)
            for (uint32_t col = 0; col < band.cols; ++col)
                paintElement(
                    fragment, row, band.first + col,
                    {leftTop.x() + cell.width() * col, leftTop.y() + cell.height() * row, cell.width(), cell.height()});
    }

    /// Byte in the block's shared memory of an element; none: it is not known.
    [[nodiscard]] std::optional<uint64_t> byteOf(const FragmentElement& element) const
    {
        const auto place = placeOf(element);
        return place ? std::optional(place->view->buffer.sharedOffset + place->offset) : std::nullopt;
    }

    /// The rows of a matrix, each at the address that a lane names, in the banks that they take: one pass moves a
    /// matrix where no two rows meet in one.
    void paintBanks(const Fragment& fragment, const QRectF& area)
    {
        const double line = std::min(m_c.u(20) * m_theme.typeScale, area.height() / (fragment.rows + 3));
        const double label = m_c.u(66) * m_theme.typeScale, pitch = (area.width() - label) / analysis::kBanks;
        std::array<std::set<uint64_t>, analysis::kBanks> words;
        constexpr uint64_t kRowBytes = 16;
        const auto banksOf = [&](uint32_t row, auto visit) {
            if (const auto byte = byteOf(fragment.at(row, 0)))
                for (uint64_t word = *byte / analysis::kBankBytes; word < (*byte + kRowBytes) / analysis::kBankBytes;
                     ++word)
                    visit(static_cast<size_t>(word % analysis::kBanks), word);
        };
        for (uint32_t row = 0; row < fragment.rows; ++row)
            banksOf(row, [&](size_t bank, uint64_t word) { words[bank].insert(word); });
        size_t degree = 0;
        for (const auto& bank : words)
            degree = std::max(degree, bank.size());
        for (uint32_t row = 0; row < fragment.rows; ++row) {
            const double y = area.top() + line * (row + 1);
            if (const auto byte = byteOf(fragment.at(row, 0)))
                m_c.text({area.left(), y, label - m_c.u(6), line},
                         QObject::tr("T%1: %2").arg(fragment.at(0, 0).reg * 8 + row).arg(*byte), m_c.mono(10),
                         m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
            for (size_t bank = 0; bank < analysis::kBanks; ++bank)
                m_p.fillRect(
                    QRectF(area.left() + label + pitch * static_cast<double>(bank), y + 1, pitch - 1, line - 2),
                    mixed(m_theme.cell, m_theme.stage, 0.6));
            banksOf(row, [&](size_t bank, uint64_t) {
                m_p.fillRect(
                    QRectF(area.left() + label + pitch * static_cast<double>(bank), y + 1, pitch - 1, line - 2),
                    words[bank].size() > 1 ? m_theme.error : m_theme.read);
            });
        }
        const QFont font = m_c.sans(11);
        const QString whole = QObject::tr("rows in the 32 banks, at each lane's address");
        m_c.text({area.left(), area.top(), area.width(), line},
                 m_c.widthOf(whole, font) <= area.width() ? whole : QObject::tr("rows in the 32 banks"), font,
                 m_theme.dim);
        m_c.text({area.left() + label, area.top() + line * (fragment.rows + 1), area.width() - label, line},
                 degree > 1 ? QObject::tr("%1 passes: rows meet in a bank").arg(degree) : QObject::tr("one pass"),
                 m_c.sans(12, true), degree > 1 ? m_theme.error : m_theme.good);
    }

    // ---- What descriptors read ----

    /// Some lines of a matrix; one of many lines is broken into several.
    struct Block {
        const analysis::MatrixRead* read = nullptr;
        uint32_t first = 0;
        uint32_t lines = 0;
    };

    void paintReads(const QRectF& area)
    {
        constexpr uint32_t kMostLines = 16;
        std::vector<Block> blocks;
        uint32_t pieces = 2;
        for (const analysis::MatrixRead& read : m_data.reads) {
            pieces = std::max(pieces, read.pieces);
            for (uint32_t first = 0; first < read.lines; first += kMostLines)
                blocks.push_back({&read, first, std::min(kMostLines, read.lines - first)});
        }
        const double line = m_c.u(19) * m_theme.typeScale, gap = m_c.u(8);
        double y = area.top();
        for (const QString& text : readsText()) {
            m_c.text({area.left(), y, area.width(), line}, text, m_c.sans(12, y == area.top()), m_theme.text);
            y += line;
        }
        // As many beside each other as leave a line high enough to be read.
        const double least = m_c.u(13) * m_theme.typeScale;
        size_t across = 1;
        const auto rowsOf = [&] { return (blocks.size() + across - 1) / across; };
        const auto lineHeight = [&] {
            return ((area.bottom() - y) / static_cast<double>(rowsOf()) - line - gap) / kMostLines;
        };
        while (across < blocks.size() && lineHeight() < least)
            ++across;
        const double width = (area.width() - gap * static_cast<double>(across - 1)) / static_cast<double>(across);
        const double height = std::min(lineHeight(), m_c.u(20) * m_theme.typeScale);
        for (size_t i = 0; i < blocks.size(); ++i) {
            const size_t row = i / across, column = i % across;
            paintBlock(blocks[i],
                       {area.left() + (width + gap) * static_cast<double>(column),
                        y + (line + gap + height * kMostLines) * static_cast<double>(row)},
                       {width / pieces, height}, line);
        }
    }

    [[nodiscard]] QStringList readsText() const
    {
        uint64_t differing = 0, unwritten = 0, computed = 0;
        for (const analysis::MatrixRead& read : m_data.reads) {
            differing += read.differing();
            unwritten += read.unwritten();
            for (const analysis::MatrixChunk& chunk : read.chunks)
                computed += chunk.isWritten && !chunk.source;
        }
        QStringList texts{QObject::tr("what the descriptors read, 16 bytes each")};
        texts.append(differing != 0   ? QObject::tr("%1 lie elsewhere in the copies' order").arg(differing)
                     : unwritten != 0 ? QObject::tr("%1 that nobody wrote").arg(unwritten)
                     : computed != 0  ? QObject::tr("%1 computed, the others in the copies' order").arg(computed)
                                      : QObject::tr("all in the order of the copies"));
        return texts;
    }

    void paintBlock(const Block& block, QPointF leftTop, QSizeF cell, double head)
    {
        const analysis::MatrixRead& read = *block.read;
        QString title = QString::fromStdString(read.name);
        if (read.lines > block.lines)
            title += QObject::tr(" %1 to %2").arg(block.first).arg(block.first + block.lines - 1);
        m_c.text({leftTop.x(), leftTop.y(), cell.width() * read.pieces, head}, title, m_c.sans(12, true), m_theme.text);
        const QFont font = fontFor(read, cell);
        for (uint32_t line = 0; line < block.lines; ++line)
            for (uint32_t piece = 0; piece < read.pieces; ++piece) {
                const analysis::MatrixChunk& chunk = read.at(block.first + line, piece);
                const QRectF at(leftTop.x() + cell.width() * piece, leftTop.y() + head + cell.height() * line,
                                cell.width(), cell.height());
                const QRectF inner = at.adjusted(0.8, 0.8, -0.8, -0.8);
                const bool isWrong = chunk.differs || !chunk.isWritten;
                m_p.setPen(Qt::NoPen);
                m_p.setBrush(isWrong        ? mixed(m_theme.error, m_theme.stage, 0.45)
                             : chunk.source ? mixed(m_theme.read, m_theme.stage, piece % 2 == 0 ? 0.34 : 0.24)
                                            : mixed(m_theme.dim, m_theme.stage, 0.25));
                m_p.drawRoundedRect(inner, 2, 2);
                const QString text = sourceText(chunk);
                if (Canvas::widthOf(text, font) < inner.width())
                    m_c.text(at, text, font, m_theme.text, Qt::AlignCenter);
                m_c.hit({at, readHint(read, block.first + line, piece), {}, {}});
            }
    }

    /// The largest in which all of its sources fit.
    [[nodiscard]] QFont fontFor(const analysis::MatrixRead& read, QSizeF cell) const
    {
        QString longest;
        for (const analysis::MatrixChunk& chunk : read.chunks)
            if (const QString text = sourceText(chunk); text.size() > longest.size())
                longest = text;
        double pixels = 11;
        while (pixels > 7 && (Canvas::widthOf(longest, m_c.mono(pixels)) > cell.width() - m_c.u(4) ||
                              m_c.u(pixels) * 1.3 > cell.height()))
            pixels -= 0.5;
        return m_c.mono(pixels);
    }

    /// Where in its source a chunk begins: "row,col", or its number where that has no rows.
    [[nodiscard]] QString sourceText(const analysis::MatrixChunk& chunk) const
    {
        if (!chunk.isWritten)
            return QStringLiteral("–");
        const auto at = chunk.source ? m_snapshot.indexOf(chunk.source->buffer) : std::nullopt;
        if (!at)
            return QObject::tr("computed");
        const trace::Buffer& source = m_snapshot.buffers[*at].buffer;
        const uint64_t number = chunk.source->offset / std::max<uint32_t>(source.element.totalBytes(), 1);
        if (source.dims.size() != 2 || source.dims[1] == 0)
            return QString::number(number);
        return QStringLiteral("%1,%2").arg(number / source.dims[1]).arg(number % source.dims[1]);
    }

    [[nodiscard]] QString readHint(const analysis::MatrixRead& read, uint32_t line, uint32_t piece) const
    {
        const analysis::MatrixChunk& chunk = read.at(line, piece);
        QString text = QObject::tr("%1, line %2, piece %3").arg(QString::fromStdString(read.name)).arg(line).arg(piece);
        const auto at = m_snapshot.indexOf(chunk.at.buffer);
        if (!at)
            return text + QObject::tr(": outside of all shared arrays");
        const BufferView& view = m_snapshot.buffers[*at];
        text += QObject::tr(": %1 at byte %2")
                    .arg(QString::fromStdString(view.buffer.name))
                    .arg(view.buffer.sharedOffset + chunk.at.offset);
        if (!chunk.isWritten)
            return text + QObject::tr(", which nobody wrote");
        if (const auto source = chunk.source ? m_snapshot.indexOf(chunk.source->buffer) : std::nullopt)
            text += QObject::tr(", copied from %1[%2]")
                        .arg(QString::fromStdString(m_snapshot.buffers[*source].buffer.name), sourceText(chunk));
        if (chunk.differs)
            text += QObject::tr("; by its neighbours something else should lie there");
        return text + valuesText(view, chunk.at.offset);
    }

    /// The values in the 16 bytes from \p offset on.
    static QString valuesText(const BufferView& view, uint64_t offset)
    {
        constexpr uint64_t kChunk = 16;
        const uint64_t bytes = std::max<uint32_t>(view.buffer.element.totalBytes(), 1);
        QStringList values;
        for (uint64_t number = offset / bytes; number < (offset + kChunk) / bytes && view.hasValue(number); ++number)
            values.append(valueText(view.buffer.element, view.at(number)));
        return values.isEmpty() ? QString() : QObject::tr("; holds %1").arg(values.join(QStringLiteral(" ")));
    }

    void chooseFont(QSizeF cell)
    {
        m_font.reset();
        if (m_showsValues && hasValues())
            return;
        for (const double pixels : {12.0, 10.5, 9.0, 8.0, 7.0})
            for (const bool isShort : {false, true})
                if (!m_font && cell.height() > m_c.u(pixels) * 1.15 &&
                    Canvas::widthOf(isShort ? QStringLiteral("31:31") : QStringLiteral("T31 R31"), m_c.mono(pixels)) <
                        cell.width() - m_c.u(3)) {
                    m_font = m_c.mono(pixels);
                    m_isShort = isShort;
                }
    }

    [[nodiscard]] QColor colourOf(const FragmentElement& element) const
    {
        const QColor hues[] = {m_theme.read, m_theme.good, m_theme.atomic, m_theme.dim};
        return mixed(hues[element.lane % 4], m_theme.stage, element.lane / 4 % 2 == 0 ? 0.34 : 0.2);
    }

    void paintElement(const Fragment& fragment, uint32_t row, uint32_t col, const QRectF& area)
    {
        const FragmentElement& element = fragment.at(row, col);
        const bool isFocused = element.lane == m_snapshot.lane;
        m_p.setPen(isFocused ? QPen(m_theme.strong, m_c.u(1.3)) : QPen(Qt::NoPen));
        m_p.setBrush(isFocused ? m_theme.write : colourOf(element));
        m_p.drawRoundedRect(area.adjusted(0.8, 0.8, -0.8, -0.8), 2, 2);
        // On orange the darker of both can be read.
        const QColor onFocus = m_theme.dark ? m_theme.stage : m_theme.strong;
        paintWords(element, valueOf(fragment, row, col), area, isFocused ? onFocus : m_theme.text);
        replay::Focus focus = m_snapshot.focus;
        focus.thread = positionOf(uint64_t{m_snapshot.warp} * kWarpSize + element.lane, m_snapshot.launch().block);
        m_c.hit({area, hint(fragment, row, col), focus, {}});
    }

    /// Lane and register, and below them the value where it is known; what has no room is left out. Where nothing of
    /// that fits, the focused lane's elements have their registers.
    void paintWords(const FragmentElement& element, const QString& value, const QRectF& area, const QColor& colour)
    {
        const QString place =
            (m_isShort ? QStringLiteral("%1:%2") : QStringLiteral("T%1 R%2")).arg(element.lane).arg(element.reg);
        if (!m_font && m_valueFont && (!value.isEmpty() || element.lane == m_snapshot.lane))
            return m_c.text(area, value.isEmpty() ? QStringLiteral("R%1").arg(element.reg) : value, *m_valueFont,
                            colour, Qt::AlignCenter);
        if (!m_font)
            return;
        if (!m_valueFont || value.isEmpty())
            return m_c.text(area, place, *m_font, colour, Qt::AlignCenter);
        const double upper = QFontMetricsF(*m_font).height(), lower = QFontMetricsF(*m_valueFont).height();
        const double top = area.center().y() - (upper + lower) / 2;
        m_c.text({area.left(), top, area.width(), upper}, place, *m_font, colour, Qt::AlignCenter);
        m_c.text({area.left(), top + upper, area.width(), lower}, value, *m_valueFont, colour, Qt::AlignCenter);
    }

    /// One size for the values of a matrix, below the lanes or, where those have no room, in their place.
    void chooseValueFont(const Fragment& fragment, QSizeF cell)
    {
        m_valueFont.reset();
        QString longest = m_font ? QString() : QStringLiteral("R31");
        for (uint32_t row = 0; row < fragment.rows; ++row)
            for (uint32_t col = 0; col < fragment.cols; ++col)
                if (const QString value = valueOf(fragment, row, col); value.size() > longest.size())
                    longest = value;
        const double room = cell.height() - (m_font ? QFontMetricsF(*m_font).height() : 0);
        for (const double pixels : {13.0, 12.0, 11.0, 10.0, 9.0, 8.0}) {
            const QFont font = m_c.mono(pixels, m_font.has_value());
            if (!m_valueFont && !longest.isEmpty() && QFontMetricsF(font).height() * 0.9 <= room &&
                Canvas::widthOf(longest, font) <= cell.width() - m_c.u(1.5))
                m_valueFont = font;
        }
    }

    /// What the element holds, where its memory says so (that of ldmatrix and stmatrix, or of a product's A that its
    /// descriptor reads) or where its register is told.
    [[nodiscard]] QString valueOf(const Fragment& fragment, uint32_t row, uint32_t col) const
    {
        const auto number = static_cast<size_t>(&fragment - m_data.matrices.fragments.data());
        if (const auto bits = m_data.registers.bitsOf(m_data.matrices, number, fragment.at(row, col)))
            return QString::fromStdString(analysis::elementText(fragment.type, *bits));
        if (m_data.matrices.movesMemory) {
            const auto place = placeOf(fragment.at(row, col));
            return place ? place->value() : QString();
        }
        for (const analysis::MatrixRead& read : m_data.reads)
            if (read.name == fragment.name && read.lines == fragment.rows && read.pieces != 0)
                return valueIn(read.at(row, col * read.pieces / fragment.cols), col % (fragment.cols / read.pieces));
        return {};
    }

    /// Of the elements in a chunk, that of number \p index.
    [[nodiscard]] QString valueIn(const analysis::MatrixChunk& chunk, uint32_t index) const
    {
        const auto at = m_snapshot.indexOf(chunk.at.buffer);
        if (!at || !chunk.isWritten)
            return {};
        const BufferView& view = m_snapshot.buffers[*at];
        return ElementPlace{&view, chunk.at.offset}.value(index);
    }

    [[nodiscard]] QString hint(const Fragment& fragment, uint32_t row, uint32_t col) const
    {
        const FragmentElement& element = fragment.at(row, col);
        QString text = QObject::tr("%1[%2][%3]: lane %4, register %5")
                           .arg(QString::fromStdString(fragment.name))
                           .arg(row)
                           .arg(col)
                           .arg(element.lane)
                           .arg(element.reg);
        if (fragment.perRegister > 1)
            text += QObject::tr(", part %1 of %2").arg(element.part + 1).arg(fragment.perRegister);
        if (const QString value = valueOf(fragment, row, col); !value.isEmpty() && !m_data.matrices.movesMemory)
            text += QObject::tr(", holds %1").arg(value);
        return text + placeText(element);
    }

    /// Where in shared memory an element lies.
    struct ElementPlace {
        const BufferView* view = nullptr;
        uint64_t offset = 0;  ///< bytes in the buffer

        /// Of the element \p index behind it; empty: it has none.
        [[nodiscard]] QString value(uint64_t index = 0) const
        {
            const trace::ValueType& type = view->buffer.element;
            const uint64_t number = offset / std::max<uint32_t>(type.totalBytes(), 1) + index;
            return view->hasValue(number) ? valueText(type, view->at(number)) : QString();
        }
    };

    /// What an element was loaded from or stored to; none: it is not known.
    [[nodiscard]] std::optional<ElementPlace> placeOf(const FragmentElement& element) const
    {
        const size_t pieces = m_data.matrices.isTransposed ? 2 : 1;
        const size_t index = element.reg * pieces + (pieces > 1 ? element.part : 0U);
        if (index >= m_data.accesses.size())
            return std::nullopt;
        const trace::Event& event = m_data.accesses[index];
        const auto at = m_snapshot.indexOf(event.bufferOf(element.lane));
        if (!at)
            return std::nullopt;
        return ElementPlace{&m_snapshot.buffers[*at],
                            event.offset[element.lane] + (pieces > 1 ? 0U : 2U * element.part)};
    }

    /// Buffer, address, bank and value of what an element was loaded from or stored to.
    [[nodiscard]] QString placeText(const FragmentElement& element) const
    {
        const auto place = placeOf(element);
        if (!place)
            return {};
        const uint64_t byte = place->view->buffer.sharedOffset + place->offset;
        QString text = QObject::tr("; %1 at byte %2, bank %3")
                           .arg(QString::fromStdString(place->view->buffer.name))
                           .arg(byte)
                           .arg(byte / analysis::kBankBytes % analysis::kBanks);
        if (const QString value = place->value(); !value.isEmpty())
            text += QObject::tr(", holds %1").arg(value);
        return text;
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const FragmentData& m_data;
    const ViewSettings& m_settings;
    bool m_showsValues;
    std::optional<QFont> m_font;
    std::optional<QFont> m_valueFont;
    bool m_isShort = false;
};

/// The accesses of the latest execution by the focused warp, before the focused step.
Result<std::vector<trace::Event>> latestAccesses(trace::TraceReader& reader, const Snapshot& snapshot,
                                                 const std::string& instruction, size_t count)
{
    constexpr StepIndex kFarthest = 1 << 16;
    std::vector<trace::Event> found;
    const StepIndex step = snapshot.focus.step;
    const Result<void> done = reader.visit(
        snapshot.focus.launch, BlockIndex{linearIndex(snapshot.focus.block, snapshot.launch().grid)},
        step > kFarthest ? step - kFarthest : 0, step, trace::Detail::Places,
        [&](StepIndex, const trace::Event& event) {
            if (event.isAccess() && event.warp == snapshot.warp && snapshot.site(event.site).instruction == instruction)
                found.push_back(event);
            return true;
        });
    if (!done.ok())
        return done.error();
    if (found.size() < count)
        found.clear();
    found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(std::min(count, found.size())));
    return found;
}

void showElements(ViewSettings& settings, const std::string& cells)
{
    auto own = settings.own.as<FragmentSettings>();
    own.showsValues = cells == "values";
    settings.own.set(own);
}

}  // namespace

FragmentView::FragmentView()
    : View({.name = "fragment",
            .title = "Fragment",
            .help = "which lane and register holds which element of a matrix (mma, wgmma, ldmatrix, stmatrix)",
            .options = {ViewOption{"--cells", "what cells say: where they lie, or the values in them",
                                   ViewOption::Word{{"places", "values"}, &showElements}}}})
{
}

Result<ViewDataPointer> FragmentView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                              const ViewSettings& settings) const
{
    auto data = std::make_shared<FragmentData>();
    data->choices = instructionsOf(*snapshot.catalog);
    if (data->choices.empty())
        return ViewDataPointer(data);
    data->chosen = settings.own.as<FragmentSettings>().instruction;
    if (std::ranges::find(data->choices, data->chosen) == data->choices.end())
        data->chosen = instructionAt(snapshot, data->choices);
    if (data->chosen.empty())
        data->chosen = data->choices.front();
    data->matrices = analysis::fragmentsOf(data->chosen);
    const auto site = std::ranges::find(snapshot.catalog->sites, data->chosen, &trace::Site::instruction);
    data->line = site->where.line;
    if (!data->matrices.movesMemory) {
        const BlockIndex block{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
        const auto warp = static_cast<uint16_t>(snapshot.warp);
        auto registers = analysis::traceRegisterValues(cache.session(), snapshot.focus.launch, block, warp,
                                                       snapshot.focus.step, data->chosen);
        if (!registers)
            return registers.error();
        data->registers = std::move(registers).value();
        if (data->registers.step)
            data->line = data->registers.where.line;
        auto reads = analysis::traceMatrixReads(cache.session(), snapshot.focus.launch, block, warp,
                                                snapshot.focus.step + 1, data->chosen);
        if (!reads)
            return reads.error();
        data->reads = std::move(reads).value();
        return ViewDataPointer(data);
    }
    const size_t count = data->matrices.fragments.size() * (data->matrices.isTransposed ? 2 : 1);
    auto accesses = latestAccesses(cache.session().reader(), snapshot, data->chosen, count);
    if (!accesses)
        return accesses.error();
    data->accesses = std::move(accesses).value();
    return ViewDataPointer(data);
}

void FragmentView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                         const ViewSettings& settings) const
{
    const auto& fragments = static_cast<const FragmentData&>(data);
    if (fragments.choices.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This program has no matrix instructions whose fragments are known."));
    }
    FragmentPainter(canvas, snapshot, fragments, settings).paint();
}

}  // namespace lanescope::gui
