// SPDX-License-Identifier: GPL-3.0-or-later
// What the overlays colour cells with, and what that means.
#include "app/gui/stage/overlay_tint.h"

#include <QObject>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "app/gui/engine/buffer_shape.h"
#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

using analysis::BufferUse;
using analysis::CellUse;
using analysis::kNobody;

const BufferUse* useOf(const std::shared_ptr<const analysis::Footprint>& footprint, BufferId id)
{
    if (!footprint)
        return nullptr;
    const auto found = footprint->find(id);
    return found == footprint->end() ? nullptr : &found->second;
}

bool isShownAsRace(const trace::Finding& finding)
{
    return familyOf(finding.kind) == Family::Race;
}

void askFor(const Overlays& overlays, SnapshotOptions& options)
{
    options.footprints = overlays.contains(Overlay::Tiles);
    options.gridUse = overlays.contains(Overlay::Mapping) || overlays.contains(Overlay::Halo);
    options.blockUse = options.gridUse || overlays.contains(Overlay::Heat);
    options.age = overlays.contains(Overlay::Age);
    options.padding = overlays.contains(Overlay::Halo);
}

QColor numberedColour(const Theme& theme, uint64_t number)
{
    // Okabe and Ito's eight, grey for black.
    static const std::array<QColor, 8> kHues{QColor("#56b4e9"), QColor("#e69f00"), QColor("#009e73"),
                                             QColor("#d55e00"), QColor("#f0e442"), QColor("#0072b2"),
                                             QColor("#cc79a7"), QColor("#8d99a8")};
    // The next eight are paler, those after them paler still, so that rows of eight do not look like columns of one.
    static constexpr std::array kStrength{1.0, 0.62, 0.34};
    const double strength = kStrength[number / kHues.size() % kStrength.size()];
    return mixed(kHues[number % kHues.size()], theme.stage, (theme.dark ? 0.62 : 0.5) * strength);
}

namespace {

QColor bankColour(const Theme& theme, uint64_t bank)
{
    return mixed(QColor::fromHsvF(static_cast<float>(bank % 32) / 32.0F, 0.55F, 0.9F), theme.stage, 0.5);
}

QColor heatColour(const Theme& theme, double share)
{
    return mixed(theme.error, theme.stage, 0.1 + 0.65 * share);
}

QColor ageColour(const Theme& theme, double share)
{
    return mixed(theme.good, theme.stage, 0.12 + 0.5 * std::clamp(share, 0.0, 1.0));
}

QColor haloColour(const Theme& theme)
{
    return mixed(theme.accent, theme.stage, 0.4);
}

QColor sharedColour(const Theme& theme)
{
    return mixed(theme.atomic, theme.stage, 0.4);
}

}  // namespace

OverlayTint::OverlayTint(const StageDrawing& drawing, const BufferView& view)
    : m_theme(drawing.theme), m_overlays(drawing.overlays), m_snapshot(*drawing.scene.snapshot), m_view(view),
      m_grid(useOf(m_snapshot.gridUse, view.buffer.id)), m_block(useOf(m_snapshot.blockUse, view.buffer.id))
{
    const auto on = [&](Overlay overlay) { return m_overlays.contains(overlay); };
    const bool shared = view.buffer.space == trace::Space::Shared;
    m_colours = ((on(Overlay::Mapping) || on(Overlay::Heat) || on(Overlay::Halo)) && (m_grid || m_block)) ||
                (on(Overlay::Age) && view.state->agedIn) || (on(Overlay::Banks) && shared);
    if (m_colours)
        preparePalettes();
}

void OverlayTint::preparePalettes()
{
    constexpr uint32_t kMostHeats = 1024;
    for (size_t i = 0; i < m_numbered.size(); ++i)
        m_numbered[i] = numberedColour(m_theme, i).rgb();
    for (size_t i = 0; i < m_banks.size(); ++i)
        m_banks[i] = bankColour(m_theme, i).rgb();
    m_halo = haloColour(m_theme).rgb();
    m_shared = sharedColour(m_theme).rgb();
    if (m_block == nullptr || !m_overlays.contains(Overlay::Heat))
        return;
    m_hottest = std::max(1U, m_block->mostAccesses());
    for (uint32_t count = 0; count <= std::min(m_hottest, kMostHeats); ++count)
        m_heat.push_back(heatColour(m_theme, std::log1p(count) / std::log1p(m_hottest)).rgb());
}

QRgb OverlayTint::heatOf(uint32_t count) const
{
    return count < m_heat.size() ? m_heat[count] : heatColour(m_theme, std::log1p(count) / std::log1p(m_hottest)).rgb();
}

QRgb OverlayTint::ageOf(uint32_t writtenIn) const
{
    return ageColour(m_theme, writtenIn / (m_snapshot.epoch() + 1.0)).rgb();
}

uint64_t OverlayTint::signature() const
{
    if (!m_colours)
        return 0;
    uint64_t signature = 1;
    for (const Overlay overlay : m_overlays)
        signature |= uint64_t{2} << static_cast<unsigned>(overlay);
    return signature | (m_overlays.contains(Overlay::Age) ? uint64_t{m_snapshot.epoch()} << 32 : 0);
}

CellTint OverlayTint::tint(uint64_t element) const
{
    CellTint tint;
    if (m_overlays.contains(Overlay::Mapping))
        addTouchers(tint, element);
    // The focused block's own cells, and those that it shares.
    const CellUse own = m_block != nullptr ? m_block->at(element) : CellUse();
    if (m_overlays.contains(Overlay::Halo) && own.sharers > 0)
        tint.add(m_grid != nullptr && m_grid->at(element).sharers > 1 ? m_shared : m_halo);
    if (m_overlays.contains(Overlay::Heat) && own.accesses > 0)
        tint.add(heatOf(own.accesses));
    const uint64_t byte = element * m_view.buffer.element.totalBytes();
    if (m_overlays.contains(Overlay::Age) && element < m_view.state->writtenIn.size() &&
        m_view.state->writtenIn[element] != 0)
        tint.add(ageOf(m_view.state->writtenIn[element]));
    if (m_overlays.contains(Overlay::Banks) && m_view.buffer.space == trace::Space::Shared)
        tint.add(m_banks[(m_view.buffer.sharedOffset + byte) / 4 % m_banks.size()]);
    return tint;
}

const BufferUse* OverlayTint::mapped() const
{
    return m_grid != nullptr && m_snapshot.launch().grid.count() > 1 ? m_grid : m_block;
}

/// The owner, and others while there is room.
void OverlayTint::addTouchers(CellTint& tint, uint64_t element) const
{
    const BufferUse* const use = mapped();
    const uint32_t owner = use != nullptr ? use->at(element).owner : kNobody;
    if (owner == kNobody)
        return;
    const auto colourOf = [&](uint64_t who) { return m_numbered[who % m_numbered.size()]; };
    tint.add(colourOf(owner));
    constexpr size_t kMostTouchers = 4;  // other overlays have their room
    for (size_t word = 0; word < use->words && !use->touchers.empty(); ++word)
        for (uint64_t rest = use->touchers[element * use->words + word]; rest != 0; rest &= rest - 1) {
            const uint64_t who = word * 64 + static_cast<uint64_t>(std::countr_zero(rest));
            if (who == owner)
                continue;
            if (tint.count >= kMostTouchers)
                return;
            tint.add(colourOf(who));
        }
}

QString OverlayTint::number(uint64_t element) const
{
    const auto on = [&](Overlay overlay) { return m_overlays.contains(overlay); };
    if (on(Overlay::Banks) && m_view.buffer.space == trace::Space::Shared)
        return QString::number((m_view.buffer.sharedOffset + element * m_view.buffer.element.totalBytes()) / 4 %
                               m_banks.size());
    const CellUse own = m_block != nullptr ? m_block->at(element) : CellUse();
    if (on(Overlay::Heat) && own.accesses > 0)
        return QString::number(own.accesses);
    const BufferUse* const use = on(Overlay::Mapping) ? mapped() : nullptr;
    const uint32_t owner = use != nullptr ? use->at(element).owner : kNobody;
    if (owner == kNobody)
        return {};
    const Dim3 extent = use == m_grid ? m_snapshot.launch().grid : m_snapshot.launch().block;
    const QString who = positionText(positionOf(owner, extent), extent);
    return who.mid(1, who.size() - 2);
}

QRgb OverlayTint::fill(uint64_t element, QRgb resting) const
{
    const CellTint all = tint(element);
    if (all.count == 0)
        return resting;
    if (all.count == 1)
        return all.colours[0];
    QColor colour(all.colours[0]);
    for (size_t i = 1; i < all.count; ++i)
        colour = mixed(QColor(all.colours[i]), colour, 1.0 / static_cast<double>(i + 1));
    return colour.rgb();
}

namespace {

std::vector<QColor> ramp(int count, const std::function<QColor(double)>& colour)
{
    std::vector<QColor> colours;
    for (int i = 0; i < count; ++i)
        colours.push_back(colour(i / (count - 1.0)));
    return colours;
}

QString sideText(const Snapshot& snapshot, const trace::FindingAccess& side)
{
    const QString verb = side.access == "read"     ? QObject::tr("reads")
                         : side.access == "atomic" ? QObject::tr("updates")
                                                   : QObject::tr("writes");
    QString thread = positionText(side.thread, snapshot.launch().block);
    if (!(side.block == snapshot.focus.block))
        thread += QObject::tr(" of %1").arg(blockText(side.block, snapshot.launch()));
    return QStringLiteral("%1 %2").arg(thread, verb);
}

void addFindings(std::vector<LegendEntry>& entries, const Overlays& overlays, const Snapshot& snapshot,
                 const Theme& theme)
{
    if (const trace::Finding* race = overlays.contains(Overlay::Race) ? shownRace(snapshot) : nullptr) {
        QStringList sides;
        for (const trace::FindingAccess& side : race->accesses)
            sides << sideText(snapshot, side);
        entries.push_back(
            {{theme.error},
             QObject::tr("hazard on %1: %2").arg(cellName(*snapshot.catalog, *race), sides.join(QObject::tr(", "))),
             LegendEntry::Swatch::Hatched});
    }
    const auto& all = snapshot.catalog->findings;
    const auto outside = std::find_if(all.begin(), all.end(), [&](const trace::Finding& finding) {
        return isOutside(finding) && finding.launch == snapshot.focus.launch;
    });
    if (!overlays.contains(Overlay::Bounds) || outside == all.end())
        return;
    QString text = QObject::tr("out of bounds: %1").arg(cellName(*snapshot.catalog, *outside));
    if (!outside->accesses.empty())
        text += QStringLiteral(", ") + sideText(snapshot, outside->accesses.front());
    entries.push_back({{theme.error}, text, LegendEntry::Swatch::Dashed});
}

}  // namespace

const trace::Finding* shownRace(const Snapshot& snapshot)
{
    const trace::Finding* first = nullptr;
    const trace::Finding* elsewhere = nullptr;
    for (const trace::Finding& finding : snapshot.catalog->findings) {
        if (!isShownAsRace(finding) || finding.launch != snapshot.focus.launch)
            continue;
        elsewhere = elsewhere == nullptr ? &finding : elsewhere;
        for (const trace::FindingAccess& side : finding.accesses) {
            if (!(side.block == snapshot.focus.block))
                continue;
            first = first == nullptr ? &finding : first;
            for (const StatementEvent& event : snapshot.statement)
                if (event.step == side.step && event.event.isAccess())
                    return &finding;
        }
    }
    return first != nullptr ? first : elsewhere;
}

std::vector<LegendEntry> legendOf(const Overlays& overlays, const Snapshot& snapshot, const Theme& theme)
{
    using Swatch = LegendEntry::Swatch;
    std::vector<LegendEntry> entries;
    const auto on = [&](Overlay overlay) { return overlays.contains(overlay); };
    if (on(Overlay::Mapping)) {
        const bool blocks = snapshot.launch().grid.count() > 1;
        entries.push_back({ramp(4, [&](double at) { return numberedColour(theme, static_cast<uint64_t>(at * 3)); }),
                           blocks ? QObject::tr("global: its block; shared: its thread") : QObject::tr("its thread")});
    }
    if (on(Overlay::Halo)) {
        entries.push_back({{haloColour(theme)}, QObject::tr("this block's")});
        if (snapshot.launch().grid.count() > 1)
            entries.push_back({{theme.atomic}, QObject::tr("others' too (halo)"), Swatch::Hatched});
        if (snapshot.padding && !snapshot.padding->empty())
            entries.push_back({{theme.write}, QObject::tr("padding outside"), Swatch::Dashed});
    }
    if (on(Overlay::Heat))
        entries.push_back(
            {ramp(4, [&](double at) { return heatColour(theme, at); }), QObject::tr("touched: few … most")});
    if (on(Overlay::Age)) {
        entries.push_back({ramp(4, [&](double at) { return ageColour(theme, at); }),
                           QObject::tr("written: long ago … in epoch %1").arg(snapshot.epoch())});
        entries.push_back({{theme.hatch}, QObject::tr("never"), Swatch::Hatched});
    }
    if (on(Overlay::Banks))
        entries.push_back({ramp(8, [&](double at) { return bankColour(theme, static_cast<uint64_t>(at * 31)); }),
                           QObject::tr("bank 0 … 31")});
    addFindings(entries, overlays, snapshot, theme);
    return entries;
}

}  // namespace lanescope::gui
