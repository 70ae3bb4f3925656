// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/layout/layout_view.h"

#include <algorithm>
#include <map>

#include "app/gui/engine/value_format.h"
#include "core/analysis/run_layout.h"
#include "core/layout/layout.h"

namespace lanescope::gui {

namespace {

using analysis::AccessLayout;
using analysis::RunLayout;

constexpr uint32_t kRowBytes = 128;  ///< of shared memory: a word of each bank
constexpr uint32_t kChunkBytes = 16;

struct LayoutData final : ViewData {
    RunLayout run;
    std::vector<trace::Buffer> choices;
    std::vector<int64_t> typed;             ///< [row][col] of the layout to compare with; empty: there is none
    std::string problem;                    ///< with it
    std::vector<uint32_t> typedWavefronts;  ///< by access
};

/// Elements that lie side by side wherever they lie, as many as a chunk of 16 bytes has at most.
uint32_t unitOf(const RunLayout& run)
{
    const uint32_t element = std::max<uint32_t>(run.buffer.element.totalBytes(), 1);
    uint32_t unit = std::max(1U, kChunkBytes / element);
    const auto holds = [&](uint32_t count) {
        if (run.cols % count != 0)
            return false;
        for (uint64_t i = 0; i < run.offsets.size(); ++i)
            if (i % count != 0 && run.offsets[i] >= 0 && run.offsets[i - 1] >= 0 &&
                run.offsets[i] != run.offsets[i - 1] + 1)
                return false;
        return true;
    };
    while (unit > 1 && !holds(unit))
        unit /= 2;
    return unit;
}

/// What the accesses of the run would take were the array laid out as typed.
std::vector<uint32_t> costsOf(const RunLayout& run, const std::vector<int64_t>& typed)
{
    std::map<int64_t, int64_t> moved;
    for (size_t i = 0; i < typed.size(); ++i)
        if (run.offsets[i] >= 0)
            moved[run.offsets[i]] = typed[i];
    const auto element = static_cast<int64_t>(std::max<uint32_t>(run.buffer.element.totalBytes(), 1));
    std::vector<uint32_t> costs;
    for (const AccessLayout& access : run.accesses) {
        std::array<uint64_t, kWarpSize> address{};
        for (size_t lane = 0; lane < kWarpSize; ++lane) {
            const auto offset = static_cast<int64_t>(access.offset[lane]);
            const auto found = moved.find(offset / element);
            const int64_t there = found == moved.end() ? offset / element : found->second;
            address[lane] = run.buffer.sharedOffset + static_cast<uint64_t>(there * element + offset % element);
        }
        costs.push_back(analysis::bankCost(access.mask, address, access.bytes).wavefronts);
    }
    return costs;
}

void compareWith(LayoutData& data, const std::string& expression)
{
    const Result<layout::View> view = layout::evaluate(expression);
    const bool fits = view && view.value().rows() == static_cast<int>(data.run.rows) &&
                      view.value().cols() == static_cast<int>(data.run.cols);
    if (!view)
        data.problem = view.error().text();
    else if (!fits)
        data.problem = "the run's tile has " + std::to_string(data.run.rows) + " x " + std::to_string(data.run.cols) +
                       " elements, the typed layout " + std::to_string(view.value().rows()) + " x " +
                       std::to_string(view.value().cols());
    if (!fits)
        return;
    for (int row = 0; row < view.value().rows(); ++row)
        for (int col = 0; col < view.value().cols(); ++col)
            data.typed.push_back(view.value().at(row, col));
    data.typedWavefronts = costsOf(data.run, data.typed);
}

class LayoutPainter {
public:
    LayoutPainter(Canvas& canvas, const Snapshot& snapshot, const LayoutData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_data(data),
          m_run(data.run), m_settings(settings), m_own(settings.own.as<LayoutSettings>()), m_unit(unitOf(data.run)),
          m_element(std::max<uint32_t>(data.run.buffer.element.totalBytes(), 1))
    {
    }

    void paint()
    {
        QRectF area = m_c.begin(subtitle());
        area.setTop(paintChoices(area));
        const double line = m_c.u(20) * m_theme.typeScale;
        const double wanted = line * static_cast<double>(m_run.accesses.size() + 2);
        const double table = std::min(area.height() * 0.34, wanted);
        if (!m_run.offsets.empty())
            paintGrids(area.adjusted(0, 0, 0, -table - m_c.u(12)));
        else
            m_c.text({area.left(), area.top(), area.width(), line},
                     QObject::tr("No tile of global memory was copied into this array; below, who uses it how."),
                     m_c.sans(13), m_theme.dim);
        paintAccesses({area.left(), area.bottom() - table, area.width(), table}, line);
    }

private:
    [[nodiscard]] QString subtitle() const
    {
        QString text = QString::fromStdString(m_run.buffer.name);
        if (m_run.source)
            text += QObject::tr("  ·  tile %1 × %2 of %3, from row %4, column %5")
                        .arg(m_run.rows)
                        .arg(m_run.cols)
                        .arg(QString::fromStdString(m_run.source->name))
                        .arg(m_run.firstRow)
                        .arg(m_run.firstCol);
        if (m_run.layout)
            text +=
                QStringLiteral("  ·  %1  %2")
                    .arg(QString::fromStdString(m_run.layout->name()), QString::fromStdString(m_run.layout->text()));
        else if (m_run.source)
            text += QObject::tr("  ·  no layout of strides, swizzled or not");
        return text;
    }

    double paintChoices(const QRectF& area)
    {
        const double row = m_c.u(34) * m_theme.typeScale;
        double x = area.left();
        for (const trace::Buffer& buffer : m_data.choices) {
            if (x > area.right() - m_c.u(140))
                break;
            LayoutSettings chosen{buffer.id, {}, m_own.values};
            x = m_c.pill({x, area.top()}, QString::fromStdString(buffer.name), buffer.id == m_run.buffer.id,
                         m_settings.with(chosen)) +
                m_c.u(8);
        }
        if (m_run.offsets.empty())
            return area.top() + row;
        const double second = area.top() + row;
        const QFont label = m_c.sans(12.5, true);
        const QString words = QObject::tr("beside it");
        m_c.text({area.left(), second, Canvas::widthOf(words, label) + 2, m_c.u(24) * m_theme.typeScale}, words, label,
                 m_theme.text);
        x = area.left() + Canvas::widthOf(words, label) + m_c.u(12);
        for (const auto& [title, expression] : presets())
            x = m_c.pill({x, second}, title, m_own.expression == expression,
                         m_settings.with(LayoutSettings{m_run.buffer.id, expression, m_own.values})) +
                m_c.u(6);
        x = m_c.pill({x + m_c.u(10), second}, QObject::tr("values"), m_own.values,
                     m_settings.with(LayoutSettings{m_run.buffer.id, m_own.expression, !m_own.values})) +
            m_c.u(6);
        const QString verdict = verdictText();
        m_c.text({x + m_c.u(8), second, area.right() - x - m_c.u(8), m_c.u(24) * m_theme.typeScale}, verdict,
                 m_c.sans(12.5, true), m_data.problem.empty() ? m_theme.text : m_theme.error);
        return second + row;
    }

    [[nodiscard]] std::vector<std::pair<QString, std::string>> presets() const
    {
        const auto shape = [&](uint32_t down, uint32_t along) {
            return "(" + std::to_string(m_run.rows) + "," + std::to_string(m_run.cols) + "):(" + std::to_string(down) +
                   "," + std::to_string(along) + ")";
        };
        std::vector<std::pair<QString, std::string>> all{{QObject::tr("nothing"), ""},
                                                         {QObject::tr("row-major"), shape(m_run.cols, 1)},
                                                         {QObject::tr("rows padded by 1"), shape(m_run.cols + 1, 1)},
                                                         {QObject::tr("column-major"), shape(1, m_run.rows)}};
        const bool isTyped =
            std::ranges::none_of(all, [&](const auto& each) { return each.second == m_own.expression; });
        if (isTyped)
            all.emplace_back(QString::fromStdString(m_own.expression), m_own.expression);
        return all;
    }

    [[nodiscard]] bool differs(size_t index) const
    {
        return !m_data.typed.empty() && m_run.offsets[index] >= 0 && m_data.typed[index] != m_run.offsets[index];
    }

    [[nodiscard]] QString verdictText() const
    {
        if (!m_data.problem.empty())
            return QString::fromStdString(m_data.problem);
        if (m_data.typed.empty())
            return {};
        size_t different = 0;
        for (size_t i = 0; i < m_run.offsets.size(); ++i)
            different += differs(i) ? 1 : 0;
        return different == 0
                   ? QObject::tr("the same")
                   : QObject::tr("%1 of %2 elements lie elsewhere (outlined)").arg(different).arg(m_run.offsets.size());
    }

    // ---- The tile, and the memory that it lies in ----

    void paintGrids(const QRectF& area)
    {
        const double head = m_c.u(22) * m_theme.typeScale;
        const double gap = m_c.u(40);
        const double half = (area.width() - gap) / 2;
        const uint32_t columns = m_run.cols / m_unit, perRow = std::max(1U, kRowBytes / (m_unit * m_element));
        if (paintStacked(area, columns, perRow))
            return;
        const double height = std::min(m_c.u(26), std::max(m_c.u(17), (area.height() - head) / m_run.rows)) *
                              std::min(1.0, m_theme.typeScale);
        m_shown = std::min(m_run.rows, static_cast<uint32_t>((area.height() - 2 * head) / height));
        m_firstRow = std::min(m_run.rows - m_shown, static_cast<uint32_t>(m_settings.scroll));
        title({area.left(), area.top(), half, head},
              m_own.values  ? QObject::tr("rows and columns: what each cell holds, %1 bytes").arg(m_unit * m_element)
              : m_unit == 1 ? QObject::tr("rows and columns: where each element lies")
                            : QObject::tr("rows and columns, %1 elements to a cell: where they lie").arg(m_unit));
        title({area.left() + half + gap, area.top(), half, head},
              QObject::tr("shared memory, %1 bytes to a row: (row, column) that lies there").arg(kRowBytes));
        const double labels = m_c.u(34) * m_theme.typeScale;
        const QRectF logical(area.left() + labels, area.top() + head, half - labels, height);
        const QRectF memory(area.left() + half + gap + labels, area.top() + head, half - labels, height);
        paintLogical(logical, columns, labels);
        paintMemory(memory, perRow, labels);
        if (m_shown < m_run.rows) {
            m_c.leaveOut();
            m_c.text({area.left(), area.top() + head + height * m_shown, area.width(), head},
                     QObject::tr("rows %1 to %2 of %3; scroll for more")
                         .arg(m_firstRow)
                         .arg(m_firstRow + m_shown - 1)
                         .arg(m_run.rows),
                     m_c.sans(11), m_theme.dim);
        }
    }

    /// A small tile above its memory, each as wide as the picture, where both have room so; false: they have not.
    bool paintStacked(const QRectF& area, uint32_t columns, uint32_t perRow)
    {
        const double head = m_c.u(22) * m_theme.typeScale;
        const double labels = m_c.u(34) * m_theme.typeScale;
        const double gap = m_c.u(26);
        const auto memoryRows = static_cast<uint32_t>(std::ranges::max(m_run.offsets) / m_unit / perRow + 1);
        const double rows = m_run.rows + memoryRows;
        const double height = std::min((area.height() - 2 * head - gap) / rows, m_c.u(64));
        const double narrowest = m_c.u(46);  // of a cell of the tile
        if (height < m_c.u(38) || (area.width() - labels) / columns < narrowest)
            return false;
        m_firstRow = 0;
        m_largestType = kLargeType;
        title({area.left(), area.top(), area.width(), head}, QObject::tr("rows and columns: where each element lies"));
        const QRectF logical(area.left() + labels, area.top() + head, area.width() - labels, height);
        m_shown = m_run.rows;
        paintLogical(logical, columns, labels);
        const double below = logical.top() + height * m_run.rows + gap;
        title({area.left(), below, area.width(), head},
              QObject::tr("shared memory, %1 bytes to a row: (row, column) that lies there").arg(kRowBytes));
        m_shown = memoryRows;
        paintMemory({logical.left(), below + head, logical.width(), height}, perRow, labels);
        return true;
    }

    void title(const QRectF& area, const QString& text) { m_c.text(area, text, m_c.sans(12.5, true), m_theme.text); }

    /// By the place in the tile's row, so that one sees what moves.
    [[nodiscard]] QColor colourOf(uint32_t unitColumn, uint32_t columns) const
    {
        const QColor hues[] = {m_theme.read, m_theme.write, m_theme.good, m_theme.atomic};
        const uint32_t group = std::max(1U, columns / 8);
        const QColor hue = hues[unitColumn / group % 4];
        return mixed(hue, m_theme.stage, unitColumn / group % 8 < 4 ? 0.42 : 0.2);
    }

    /// One size for a whole grid, whose widest text is \p widest; none where that does not fit.
    void chooseFont(const QString& widest, double width, double height)
    {
        m_font.reset();
        for (const double pixels : {kLargeType, 14.0, 11.5, 10.0, 8.5})
            if (!m_font && pixels <= m_largestType && Canvas::widthOf(widest, m_c.mono(pixels)) <= width - m_c.u(5) &&
                height > m_c.u(pixels) * 1.15)
                m_font = m_c.mono(pixels);
    }

    void cell(const QRectF& area, const QColor& colour, const QString& text, bool isDifferent)
    {
        m_p.setPen(isDifferent ? QPen(m_theme.error, m_c.u(1.6)) : QPen(Qt::NoPen));
        m_p.setBrush(colour);
        m_p.drawRoundedRect(area.adjusted(0.7, 0.7, -0.7, -0.7), 2, 2);
        if (m_font && !text.isEmpty())
            m_c.text(area, text, *m_font, m_theme.text, Qt::AlignCenter);
    }

    void rowLabel(const QRectF& row, double labels, uint64_t number)
    {
        m_c.text({row.left() - labels, row.top(), labels - m_c.u(6), row.height()}, QString::number(number),
                 m_c.sans(10.5), m_theme.dim, Qt::AlignRight | Qt::AlignVCenter);
    }

    void paintLogical(const QRectF& first, uint32_t columns, double labels)
    {
        const double pitch = std::min(first.width() / columns, std::max(m_c.u(80), first.height() * 1.6));
        QString widest = QString::number(std::ranges::max(m_run.offsets));
        for (uint32_t i = 0; m_own.values && i < m_shown * columns; ++i) {
            const int64_t offset =
                m_run.offsets[size_t{m_firstRow + i / columns} * m_run.cols + size_t{i % columns} * m_unit];
            if (const QString text = offset < 0 ? QString() : heldText(offset, pitch);
                i == 0 || text.size() > widest.size())
                widest = text;
        }
        chooseFont(widest, pitch, first.height());
        for (uint32_t i = 0; i < m_shown; ++i) {
            const uint32_t row = m_firstRow + i;
            const QRectF line = first.translated(0, first.height() * i);
            rowLabel(line, labels, row);
            for (uint32_t column = 0; column < columns; ++column) {
                const size_t index = size_t{row} * m_run.cols + size_t{column} * m_unit;
                const int64_t offset = m_run.offsets[index];
                const QRectF area(line.left() + pitch * column, line.top(), pitch, line.height());
                cell(area, offset < 0 ? m_theme.cell : colourOf(column, columns),
                     offset < 0     ? QString()
                     : m_own.values ? heldText(offset, pitch)
                                    : QString::number(offset),
                     differs(index));
                if (offset >= 0)
                    hit(area, row, column * m_unit, offset, index);
            }
        }
    }

    void hit(const QRectF& area, uint32_t row, uint32_t column, int64_t offset, size_t index)
    {
        const uint64_t byte = m_run.buffer.sharedOffset + static_cast<uint64_t>(offset) * m_element;
        QString text = QObject::tr("row %1, column %2: element %3, byte %4, bank %5")
                           .arg(row)
                           .arg(column)
                           .arg(offset)
                           .arg(byte)
                           .arg(byte / analysis::kBankBytes % analysis::kBanks);
        if (differs(index))
            text += QObject::tr("; typed: element %1").arg(m_data.typed[index]);
        if (const QStringList values = valuesFrom(offset); !values.isEmpty())
            text += QObject::tr("; holds %1").arg(values.join(QLatin1Char(' ')));
        replay::Focus focus = m_snapshot.focus;
        focus.buffer = m_run.buffer.id;
        focus.cell = static_cast<uint64_t>(offset);
        m_c.hit({area, text, focus, {}});
    }

    /// The values of a cell's elements, the first of which is \p offset, at this step; empty: they are not known.
    [[nodiscard]] QStringList valuesFrom(int64_t offset) const
    {
        const auto at = m_snapshot.indexOf(m_run.buffer.id);
        QStringList values;
        for (uint64_t i = 0; at && i < m_unit; ++i)
            if (const uint64_t number = static_cast<uint64_t>(offset) + i; m_snapshot.buffers[*at].hasValue(number))
                values << valueText(m_run.buffer.element, m_snapshot.buffers[*at].at(number));
        return values;
    }

    /// All values of a cell, or, where they have no room of \p width, the first.
    [[nodiscard]] QString heldText(int64_t offset, double width) const
    {
        const QStringList values = valuesFrom(offset);
        if (values.isEmpty())
            return QStringLiteral("–");
        QString all = values.join(QLatin1Char(' '));
        return Canvas::widthOf(all, m_c.mono(8.5)) <= width - m_c.u(5) ? all : values.front() + QStringLiteral(" …");
    }

    void paintMemory(const QRectF& first, uint32_t perRow, double labels)
    {
        std::map<int64_t, size_t> there;  // by unit of memory: index of the first element in it
        for (size_t i = 0; i < m_run.offsets.size(); i += m_unit)
            if (m_run.offsets[i] >= 0)
                there.emplace(m_run.offsets[i] / m_unit, i);
        const double pitch = std::min(first.width() / perRow, m_c.u(80));
        chooseFont(QStringLiteral("%1,%2").arg(m_run.rows - 1).arg(m_run.cols - m_unit), pitch, first.height());
        const uint32_t columns = m_run.cols / m_unit;
        for (uint32_t i = 0; i < m_shown; ++i) {
            const QRectF line = first.translated(0, first.height() * i);
            const int64_t begin = int64_t{m_firstRow + i} * perRow;
            if (there.empty() || begin > there.rbegin()->first)
                break;
            rowLabel(line, labels, static_cast<uint64_t>(begin) * m_unit * m_element);
            for (uint32_t column = 0; column < perRow; ++column) {
                const QRectF area(line.left() + pitch * column, line.top(), pitch, line.height());
                const auto found = there.find(begin + column);
                if (found == there.end()) {
                    cell(area, mixed(m_theme.cell, m_theme.stage, 0.5), {}, false);
                    continue;
                }
                const auto row = static_cast<uint32_t>(found->second / m_run.cols);
                const auto col = static_cast<uint32_t>(found->second % m_run.cols);
                cell(area, colourOf(col / m_unit, columns), QStringLiteral("%1,%2").arg(row).arg(col),
                     differs(found->second));
                hit(area, row, col, m_run.offsets[found->second], found->second);
            }
        }
    }

    // ---- Who uses it how ----

    void paintAccesses(const QRectF& area, double line)
    {
        const bool isShared = m_run.buffer.space == trace::Space::Shared;
        const std::vector<double> shares{0.07, 0.08, 0.36, 0.27, 0.22};
        const auto row = [&](double y, const QStringList& cells, const QFont& font, const QColor& colour,
                             const QColor& last) {
            double x = area.left();
            for (int i = 0; i < cells.size(); ++i) {
                const double width = area.width() * shares[static_cast<size_t>(i)];
                m_c.text({x, y, width - m_c.u(8), line}, cells[i], font, i + 1 == cells.size() ? last : colour);
                x += width;
            }
        };
        row(area.top(),
            {QObject::tr("line"), QObject::tr("access"), QObject::tr("expression"),
             QObject::tr("element of each lane, from the first one's"),
             isShared ? QObject::tr("wavefronts, first request") : QObject::tr("sectors, first request")},
            m_c.sans(11.5), m_theme.dim, m_theme.dim);
        double y = area.top() + line;
        if (m_run.accesses.empty() && !m_settings.warps().empty())
            m_c.text({area.left(), y, area.width(), line}, QObject::tr("These warps do not access the array."),
                     m_c.sans(13), m_theme.dim);
        for (size_t i = 0; i < m_run.accesses.size(); ++i, y += line) {
            if (y + line > area.bottom() + 1)
                return m_c.leaveOut();
            const AccessLayout& access = m_run.accesses[i];
            const trace::Site& site = m_snapshot.site(access.site);
            const bool isBad =
                isShared ? access.wavefronts > access.idealWavefronts : access.sectors > access.idealSectors;
            row(y,
                {QString::number(site.where.line),
                 site.kind == trace::SiteKind::Load    ? QObject::tr("read")
                 : site.kind == trace::SiteKind::Store ? QObject::tr("write")
                                                       : QObject::tr("atomic"),
                 QString::fromStdString(wordsOf(site)), lanesText(access), costText(access, i, isShared)},
                m_c.mono(11.5), m_theme.text, isBad ? m_theme.error : m_theme.good);
        }
    }

    /// Of what is written as inline assembly, the instruction.
    static std::string wordsOf(const trace::Site& site)
    {
        if (site.instruction.empty())
            return site.expression;
        const size_t second = site.instruction.find('.', site.instruction.find('.') + 1);
        return site.instruction.substr(0, site.instruction.find('.', second + 1));
    }

    static QString lanesText(const AccessLayout& access)
    {
        if (access.lanes == 1)
            return QObject::tr("1 lane");
        const QString strides =
            access.strides ? QString::fromStdString(access.strides->text()) : QObject::tr("irregular");
        return QObject::tr("%1 lanes  %2%3")
            .arg(access.lanes)
            .arg(strides, access.isSwizzled ? QObject::tr(", swizzled") : QString());
    }

    [[nodiscard]] QString costText(const AccessLayout& access, size_t index, bool isShared) const
    {
        const uint32_t cost = isShared ? access.wavefronts : access.sectors;
        const uint32_t ideal = isShared ? access.idealWavefronts : access.idealSectors;
        QString text = QObject::tr("%1, ideal %2").arg(cost).arg(ideal);
        if (isShared && index < m_data.typedWavefronts.size())
            text += QObject::tr("; beside it %1").arg(m_data.typedWavefronts[index]);
        return text;
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const LayoutData& m_data;
    const RunLayout& m_run;
    const ViewSettings& m_settings;
    LayoutSettings m_own;
    uint32_t m_unit;
    uint32_t m_element;
    uint32_t m_shown = 0;
    uint32_t m_firstRow = 0;
    static constexpr double kLargeType = 18;
    double m_largestType = 11.5;  ///< of a cell's text
    std::optional<QFont> m_font;
};

void showValues(ViewSettings& settings, const std::string& what)
{
    auto own = settings.own.as<LayoutSettings>();
    own.values = what == "values";
    settings.own.set(own);
}

void chooseExpression(ViewSettings& settings, const std::string& expression)
{
    auto own = settings.own.as<LayoutSettings>();
    own.expression = expression;
    settings.own.set(own);
}

}  // namespace

LayoutView::LayoutView()
    : View({.name = "layout",
            .title = "Layout",
            .help = "where the rows and columns of a shared array lie, and what that costs",
            .options = {ViewOption{"--layout", "a layout to lay beside it, (32,32):(33,1)",
                                   ViewOption::Text{&chooseExpression}},
                        ViewOption{"--cells", "what cells say: where they lie, or the values in them",
                                   ViewOption::Word{{"places", "values"}, &showValues}}}})
{
}

Result<ViewDataPointer> LayoutView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                            const ViewSettings& settings) const
{
    auto buffers = cache.session().buffersOf(snapshot.focus.launch);
    if (!buffers)
        return buffers.error();
    auto data = std::make_shared<LayoutData>();
    for (const trace::Buffer& buffer : buffers.value())
        if (buffer.space == trace::Space::Shared)
            data->choices.push_back(buffer);
    const auto own = settings.own.as<LayoutSettings>();
    const BlockIndex block{linearIndex(snapshot.focus.block, snapshot.launch().grid)};
    for (const trace::Buffer& buffer : data->choices) {
        if (own.buffer && *own.buffer != buffer.id)
            continue;
        Result<RunLayout> run =
            analysis::traceLayout(cache.session(), snapshot.focus.launch, block, buffer.id, settings.warps());
        if (!run)
            return run.error();
        data->run = std::move(run).value();
        if (own.buffer || data->run.source)
            break;
    }
    if (!data->run.offsets.empty() && !own.expression.empty())
        compareWith(*data, own.expression);
    return ViewDataPointer(data);
}

void LayoutView::aim(ViewSettings& settings, const Snapshot& snapshot) const
{
    auto own = settings.own.as<LayoutSettings>();
    own.buffer = snapshot.focus.buffer;
    settings.own.set(own);
}

void LayoutView::leaveLaunch(ViewSettings& settings) const
{
    settings.own.set(LayoutSettings{});
}

void LayoutView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                       const ViewSettings& settings) const
{
    const auto& layout = static_cast<const LayoutData&>(data);
    if (layout.choices.empty()) {
        canvas.begin({});
        return canvas.empty(QObject::tr("This launch has no shared arrays."));
    }
    LayoutPainter(canvas, snapshot, layout, settings).paint();
}

}  // namespace lanescope::gui
