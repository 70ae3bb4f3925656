// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/views/banks/banks_view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "app/gui/views/line_table.h"

namespace lanescope::gui {

namespace {

using analysis::kBanks;
using analysis::LineMetrics;
using analysis::SharedLayout;
using analysis::SharedRequest;
using analysis::Swizzle;

/// Over the run, by bank: words that were served, and those of them that had to wait.
struct BankHeat {
    std::array<uint64_t, kBanks> words{};
    std::array<uint64_t, kBanks> waited{};
};

struct BanksData final : ViewData {
    std::shared_ptr<const analysis::LaunchMetrics> metrics;
    std::shared_ptr<const analysis::SharedRequests> requests;
    std::vector<trace::Buffer> buffers;
    analysis::SharedCosts now;   ///< as it is
    analysis::SharedCosts then;  ///< with the chosen layout
    SharedLayout layout;
    std::map<SiteId, BankHeat> heat;  ///< with the chosen layout
};

const trace::Buffer* bufferOf(const BanksData& data, BufferId id)
{
    const auto found =
        std::find_if(data.buffers.begin(), data.buffers.end(), [&](const auto& b) { return b.id == id; });
    return found == data.buffers.end() ? nullptr : &*found;
}

std::array<uint64_t, kWarpSize> addressesOf(const SharedRequest& request, const trace::Buffer* buffer,
                                            const SharedLayout& layout)
{
    std::array<uint64_t, kWarpSize> address{};
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        address[lane] = buffer == nullptr ? request.offset[lane]
                                          : buffer->sharedOffset + relaidOffset(*buffer, request.offset[lane], layout);
    return address;
}

std::map<SiteId, BankHeat> heatOf(const BanksData& data)
{
    std::map<SiteId, BankHeat> heat;
    for (const SharedRequest& request : data.requests->patterns) {
        const auto address = addressesOf(request, bufferOf(data, request.buffer), data.layout);
        const analysis::BankCost cost = analysis::bankCost(request.mask, address, request.bytes);
        BankHeat& site = heat[request.site];
        for (const analysis::BankPhase& phase : cost.phases)
            for (size_t bank = 0; bank < kBanks; ++bank) {
                site.words[bank] += phase.words[bank] * request.count;
                site.waited[bank] += (phase.words[bank] > 1 ? phase.words[bank] - 1U : 0U) * request.count;
            }
    }
    return heat;
}

/// The shared access of the statement just run, else the run's worst.
struct Chosen {
    SharedRequest request;
    bool isStep = false;
};

std::optional<Chosen> chosenRequest(const Snapshot& snapshot, const BanksData& data)
{
    for (const StatementEvent& entry : snapshot.statement) {
        const trace::Event& event = entry.event;
        if (!event.isAccess() || event.mask == 0 || event.buffer == kNoBuffer || !event.laneBuffer.empty() ||
            snapshot.catalog->buffers[event.buffer.value].space != trace::Space::Shared)
            continue;
        const uint32_t bytes = std::clamp(snapshot.site(event.site).type.totalBytes(), 1U, 16U);
        Chosen chosen{{event.site, event.buffer, event.mask, bytes, {}, 1}, true};
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            chosen.request.offset[lane] = static_cast<uint32_t>(event.offset[lane]);
        return chosen;
    }
    const auto degreeOf = [&](const SharedRequest& request) {
        const auto address = addressesOf(request, bufferOf(data, request.buffer), {});
        return analysis::bankCost(request.mask, address, request.bytes).maxDegree;
    };
    const SharedRequest* worst = nullptr;
    uint32_t degree = 0;
    for (const SharedRequest& request : data.requests->patterns)
        if (const uint32_t d = degreeOf(request); worst == nullptr || d > degree) {
            worst = &request;
            degree = d;
        }
    return worst != nullptr ? std::optional(Chosen{*worst, false}) : std::nullopt;
}

QString layoutText(const SharedLayout& layout)
{
    QStringList parts;
    if (layout.padElements > 0)
        parts << QObject::tr("rows padded by %1").arg(layout.padElements);
    if (layout.swizzle == Swizzle::XorRow)
        parts << QObject::tr("column XOR row");
    if (layout.swizzle == Swizzle::RotateRow)
        parts << QObject::tr("column + row");
    return parts.isEmpty() ? QObject::tr("as it is") : parts.join(QStringLiteral(", "));
}

class BanksPainter {
public:
    BanksPainter(Canvas& canvas, const Snapshot& snapshot, const BanksData& data, const ViewSettings& settings)
        : m_c(canvas), m_p(canvas.painter()), m_theme(canvas.theme()), m_snapshot(snapshot), m_data(data),
          m_settings(settings), m_layout(settings.own.as<BanksSettings>().layout),
          m_chosen(chosenRequest(snapshot, data))
    {
    }

    void paint()
    {
        if (!m_chosen) {
            m_c.begin({});
            return m_c.empty(m_settings.selection ? QObject::tr("The selected steps do not use shared memory.")
                                                  : QObject::tr("This launch does not use shared memory."));
        }
        const trace::Site& site = m_snapshot.site(m_chosen->request.site);
        const QString which = m_chosen->isStep ? QObject::tr("this step") : QObject::tr("the run's worst request");
        QRectF area = m_c.begin(QObject::tr("line %1   %2   %3, %4 lanes")
                                    .arg(site.where.line)
                                    .arg(QString::fromStdString(site.expression), which)
                                    .arg(std::popcount(m_chosen->request.mask)));
        const double gap = m_c.u(10);
        const double table = std::min(area.height() * 0.36, lineTableHeight(m_c, sharedLines().size()));
        const double whatIf = m_c.u(72) * m_theme.typeScale;
        double y = paintRequest(area.adjusted(0, 0, 0, -table - whatIf - 2 * gap)) + gap;
        paintWhatIf({area.left(), y, area.width(), whatIf});
        y += whatIf + gap;
        paintLines({area.left(), y, area.width(), area.bottom() - y});
    }

private:
    [[nodiscard]] std::vector<const LineMetrics*> sharedLines() const
    {
        std::vector<const LineMetrics*> lines;
        for (const LineMetrics& line : m_data.metrics->lines)
            if (line.space == trace::Space::Shared)
                lines.push_back(&line);
        return lines;
    }

    /// Lanes by (row of 32 words, bank), under the chosen layout.
    using Words = std::map<uint64_t, std::map<uint32_t, std::vector<int>>>;
    Words wordsOf(analysis::BankCost& cost)
    {
        Words words;
        const SharedRequest& request = m_chosen->request;
        const auto address = addressesOf(request, bufferOf(m_data, request.buffer), m_data.layout);
        for (LaneMask rest = request.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const auto at = static_cast<size_t>(lane);
            for (uint64_t word = address[at] / 4; word <= (address[at] + request.bytes - 1) / 4; ++word)
                words[word / kBanks][static_cast<uint32_t>(word % kBanks)].push_back(lane);
        }
        cost = analysis::bankCost(request.mask, address, request.bytes);
        return words;
    }

    /// Within \p area; returns where it ends.
    double paintRequest(const QRectF& area)
    {
        analysis::BankCost cost;
        const Words words = wordsOf(cost);
        const double labels = m_c.u(64) * m_theme.typeScale;
        const double pitch = (area.width() - labels) / kBanks;
        const double head = m_c.u(18) * m_theme.typeScale;
        std::array<int, kBanks> degree{};
        for (const auto& [row, banks] : words)
            for (const auto& [bank, lanes] : banks)
                ++degree[bank];
        for (uint32_t bank = 0; bank < kBanks; ++bank)
            m_c.text({area.left() + labels + pitch * bank, area.top(), pitch, head}, QString::number(bank),
                     m_c.sans(11), degree[bank] > 1 ? m_theme.error : m_theme.dim, Qt::AlignCenter);
        const double verdict = m_c.u(26) * m_theme.typeScale;
        const double room = area.height() - head - verdict;
        const double height = std::min(m_c.u(34), room / double(std::max<size_t>(1, words.size())));
        const double least = m_c.u(6);
        const size_t shown = height >= least ? words.size() : static_cast<size_t>(room / least);
        const double rowHeight = std::max(height, least);
        const double label = m_c.u(15) * m_theme.typeScale;
        const auto labelled = static_cast<size_t>(std::max(1.0, std::ceil(label / rowHeight)));  // every how many rows
        size_t index = 0;
        for (const auto& [row, banks] : words) {
            if (index == shown)
                break;
            const double top = area.top() + head + rowHeight * double(index);
            if (index % labelled == 0)
                m_c.text({area.left(), top, labels - m_c.u(8), std::max(label, rowHeight)},
                         QStringLiteral("word %1").arg(row * kBanks), m_c.sans(11), m_theme.dim,
                         Qt::AlignRight | Qt::AlignVCenter);
            paintWordRow(area, labels, pitch, top, rowHeight, row, banks, degree);
            ++index;
        }
        const QRectF line(area.left(), area.top() + head + rowHeight * double(shown) + m_c.u(4), area.width(), verdict);
        paintVerdict(line, cost, words.size() - shown);
        return line.bottom();
    }

    void paintWordRow(const QRectF& area, double labels, double pitch, double top, double height, uint64_t row,
                      const std::map<uint32_t, std::vector<int>>& banks, const std::array<int, kBanks>& degree)
    {
        for (uint32_t bank = 0; bank < kBanks; ++bank) {
            const QRectF cell(area.left() + labels + pitch * bank + 1, top + 1, pitch - 2, height - 2);
            const auto at = banks.find(bank);
            const bool used = at != banks.end();
            const bool conflict = used && degree[bank] > 1;
            m_p.setPen(Qt::NoPen);
            m_p.setBrush(!used ? mixed(m_theme.cell, m_theme.stage, 0.55) : conflict ? m_theme.error : m_theme.read);
            m_p.drawRoundedRect(cell, 2, 2);
            if (!used)
                continue;
            const std::vector<int>& lanes = at->second;
            m_broadcast = m_broadcast || lanes.size() > 1;
            const QString text =
                lanes.size() == 1 ? QString::number(lanes.front()) : QStringLiteral("%1×").arg(lanes.size());
            constexpr double kSmallestType = 6.5;
            if (const double type = std::min(12.0, height / m_c.u(1) / m_theme.typeScale * 0.85); type >= kSmallestType)
                m_c.text(cell, text, m_c.mono(type, true), m_theme.stage, Qt::AlignCenter);
            QStringList names;
            for (const int lane : lanes)
                names << QString::number(lane);
            replay::Focus focus = m_snapshot.focus;
            focus.thread = positionOf(uint64_t{m_snapshot.warp} * kWarpSize + static_cast<uint64_t>(lanes.front()),
                                      m_snapshot.launch().block);
            m_c.hit({cell,
                     QObject::tr("bank %1, word %2: lanes %3").arg(bank).arg(row * kBanks + bank).arg(names.join(u',')),
                     m_chosen->isStep ? std::optional(focus) : std::nullopt,
                     {}});
        }
    }

    void paintVerdict(const QRectF& area, const analysis::BankCost& cost, size_t more)
    {
        QString text =
            cost.conflicts() == 0
                ? QObject::tr("No conflict: %1 wavefront%2.").arg(cost.wavefronts).arg(cost.wavefronts == 1 ? "" : "s")
                : QObject::tr("%1 different words in one bank: %2 wavefronts instead of %3.")
                      .arg(cost.maxDegree)
                      .arg(cost.wavefronts)
                      .arg(cost.phaseCount);
        if (m_broadcast)
            text += QObject::tr("  n× = n lanes share one word (broadcast).");
        if (more > 0) {
            m_c.leaveOut();
            text += QObject::tr("  Rows of words not shown: %1.").arg(more);
        }
        m_c.text(area, text, m_c.sans(14, true), cost.conflicts() == 0 ? m_theme.good : m_theme.error);
    }

    /// Elements more in each row, from none to as many as make any difference worth its memory.
    double paintPadding(QPointF leftTop)
    {
        constexpr uint32_t kMost = 16;
        std::vector<ViewSettings> choices;
        for (uint32_t pad = 0; pad <= kMost; ++pad)
            choices.push_back(m_settings.with(BanksSettings{{pad, m_layout.swizzle}}));
        return m_c.slider(leftTop, std::min(m_layout.padElements, kMost), choices,
                          [](size_t pad) { return padText(static_cast<uint32_t>(pad)); });
    }

    static QString padText(uint32_t elements)
    {
        return elements == 1 ? QObject::tr("1 element") : QObject::tr("%1 elements").arg(elements);
    }

    void paintWhatIf(const QRectF& area)
    {
        m_p.setPen(QPen(m_theme.border, 1));
        m_p.setBrush(mixed(m_theme.raised, m_theme.stage, 0.5));
        m_p.drawRoundedRect(area, m_c.u(6), m_c.u(6));
        const double y = area.top() + m_c.u(8);
        const double line = m_c.u(24) * m_theme.typeScale;
        double x = area.left() + m_c.u(14);
        const auto label = [&](const QString& text, bool bold) {
            const QFont font = m_c.sans(13, bold);
            const double width = Canvas::widthOf(text, font);
            m_c.text({x, y, width + 2, line}, text, font, bold ? m_theme.text : m_theme.dim);
            x += width + m_c.u(12);
        };
        const auto choice = [&](const QString& text, const SharedLayout& layout, bool on) {
            x = m_c.pill({x, y}, text, on, m_settings.with(BanksSettings{layout})) + m_c.u(6);
        };
        label(QObject::tr("What if"), true);
        label(QObject::tr("pad rows by"), false);
        x = paintPadding({x, y}) + m_c.u(4);
        label(padText(m_layout.padElements), true);
        x += m_c.u(10);
        label(QObject::tr("swizzle"), false);
        for (const auto& [name, swizzle] :
             {std::pair{QObject::tr("none"), Swizzle::None}, std::pair{QObject::tr("column XOR row"), Swizzle::XorRow},
              std::pair{QObject::tr("column + row"), Swizzle::RotateRow}}) {
            SharedLayout layout = m_layout;
            layout.swizzle = swizzle;
            choice(name, layout, swizzle == m_layout.swizzle);
        }
        const uint64_t before = m_data.now.wavefronts;
        const uint64_t after = m_data.then.wavefronts;
        const QLocale locale(QLocale::English);
        const bool asItIs = m_data.layout.padElements == 0 && m_data.layout.swizzle == Swizzle::None;
        QString what = selectionText(m_snapshot, m_settings, QObject::tr("whole launch"));
        what[0] = what[0].toUpper();
        const QString verdict =
            asItIs
                ? QObject::tr("%1 as it is: %2 wavefronts, %3 conflicts. Choose a layout to score it again.")
                      .arg(what, locale.toString(qulonglong(before)), locale.toString(qulonglong(m_data.now.conflicts)))
                : QObject::tr("%1, %2: %3 → %4 wavefronts, %5 → %6 conflicts%7")
                      .arg(what, layoutText(m_data.layout), locale.toString(qulonglong(before)),
                           locale.toString(qulonglong(after)), locale.toString(qulonglong(m_data.now.conflicts)),
                           locale.toString(qulonglong(m_data.then.conflicts)),
                           m_data.then.extraBytes > 0
                               ? QObject::tr(", +%1 B of shared memory a block").arg(m_data.then.extraBytes)
                               : QString());
        m_c.text({area.left() + m_c.u(14), y + line + m_c.u(4), area.width() - m_c.u(28), line}, verdict,
                 m_c.sans(13.5, true),
                 after < before   ? m_theme.good
                 : after > before ? m_theme.error
                                  : m_theme.text);
    }

    void paintLines(const QRectF& area)
    {
        std::map<uint32_t, const analysis::SharedSiteCost*> then;
        for (const analysis::SharedSiteCost& site : m_data.then.sites)
            then[site.site.value] = &site;
        const auto whatIf = [then](const LineMetrics& l) {
            const auto at = then.find(l.site.value);
            return at == then.end() ? 0.0 : double(at->second->wavefronts);
        };
        std::vector<LineColumn> columns = placeColumns(m_snapshot);
        columns.push_back(countColumn(QObject::tr("requests"), 110, [](const auto& l) { return double(l.requests); }));
        columns.push_back(
            countColumn(QObject::tr("wavefronts"), 120, [](const auto& l) { return double(l.wavefronts); }));
        columns.push_back({QObject::tr("banks 0 to 31, over the run"),
                           230,
                           false,
                           [](const LineMetrics&) { return QString(); },
                           {},
                           {},
                           [this](Canvas&, const QRectF& cell, const LineMetrics& l) { paintHeat(cell, l.site); }});
        columns.push_back(
            countColumn(QObject::tr("conflicts"), 100, [](const auto& l) { return double(l.conflicts); }));
        columns.push_back(countColumn(QObject::tr("degree"), 80, [](const auto& l) { return double(l.maxDegree); }));
        columns.push_back(countColumn(QObject::tr("what if"), 110, whatIf));
        paintLineTable(m_c, area, m_snapshot, sharedLines(), columns, m_settings);
    }

    /// The more words a bank served, the stronger; where some had to wait, in the colour of conflicts.
    void paintHeat(const QRectF& cell, SiteId site)
    {
        const auto found = m_data.heat.find(site);
        if (found == m_data.heat.end())
            return;
        const BankHeat& heat = found->second;
        const auto most =
            static_cast<double>(std::max<uint64_t>(1, *std::max_element(heat.words.begin(), heat.words.end())));
        const double pitch = cell.width() / kBanks;
        for (size_t bank = 0; bank < kBanks; ++bank) {
            const double share = static_cast<double>(heat.words[bank]) / most;
            const QColor colour = heat.waited[bank] > 0 ? m_theme.error : m_theme.read;
            m_p.fillRect(
                QRectF(cell.left() + pitch * static_cast<double>(bank), cell.top(), pitch * 0.86, cell.height()),
                heat.words[bank] == 0 ? mixed(m_theme.cell, m_theme.stage, 0.55)
                                      : mixed(colour, m_theme.stage, 0.25 + 0.75 * share));
        }
    }

    Canvas& m_c;
    QPainter& m_p;
    const Theme& m_theme;
    const Snapshot& m_snapshot;
    const BanksData& m_data;
    const ViewSettings& m_settings;
    SharedLayout m_layout;
    std::optional<Chosen> m_chosen;
    bool m_broadcast = false;  ///< some word is wanted by several lanes
};

void choosePadding(ViewSettings& settings, const uint32_t& elements)
{
    auto banks = settings.own.as<BanksSettings>();
    banks.layout.padElements = elements;
    settings.own.set(banks);
}

void chooseSwizzle(ViewSettings& settings, const std::string& name)
{
    auto banks = settings.own.as<BanksSettings>();
    banks.layout.swizzle = name == "xor" ? Swizzle::XorRow : name == "rotate" ? Swizzle::RotateRow : Swizzle::None;
    settings.own.set(banks);
}

}  // namespace

BanksView::BanksView()
    : View({.name = "banks",
            .title = "Banks",
            .help = "a request in its 32 banks, conflicts per line, and what another layout would cost",
            .options = {ViewOption{"--pad", "what if rows of shared arrays had this many elements more",
                                   ViewOption::Count{0, 1024, &choosePadding}},
                        ViewOption{"--swizzle", "what if columns were swizzled: none, xor or rotate",
                                   ViewOption::Word{{"none", "xor", "rotate"}, &chooseSwizzle}}},
            .countsSelection = true})
{
}

Result<ViewDataPointer> BanksView::compute(AnalysisCache& cache, const Snapshot& snapshot,
                                           const ViewSettings& settings) const
{
    auto data = std::make_shared<BanksData>();
    auto metrics = selectedMetrics(cache, snapshot, settings);
    auto requests =
        settings.selection ? cache.sharedRequests(*settings.selection) : cache.sharedRequests(snapshot.focus.launch);
    auto buffers = cache.session().buffersOf(snapshot.focus.launch);
    if (!metrics)
        return metrics.error();
    if (!requests)
        return requests.error();
    if (!buffers)
        return buffers.error();
    data->metrics = metrics.value();
    data->requests = requests.value();
    data->buffers = buffers.value();
    data->layout = settings.own.as<BanksSettings>().layout;
    data->now = analysis::scoreShared(*data->requests, data->buffers, {});
    data->then = analysis::scoreShared(*data->requests, data->buffers, data->layout);
    data->heat = heatOf(*data);
    return ViewDataPointer(data);
}

/// Plus and minus move the slider of the padding.
std::optional<ViewSettings> BanksView::afterKey(int key, const ViewSettings& settings) const
{
    auto banks = settings.own.as<BanksSettings>();
    if (key == Qt::Key_Plus)
        ++banks.layout.padElements;
    else if (key == Qt::Key_Minus)
        banks.layout.padElements -= banks.layout.padElements > 0;
    else
        return std::nullopt;
    return settings.with(banks);
}

void BanksView::paint(Canvas& canvas, const Snapshot& snapshot, const ViewData& data,
                      const ViewSettings& settings) const
{
    BanksPainter(canvas, snapshot, static_cast<const BanksData&>(data), settings).paint();
}

}  // namespace lanescope::gui
