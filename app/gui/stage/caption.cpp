// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/stage/caption.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "app/gui/engine/value_format.h"

namespace lanescope::gui {

namespace {

using Tone = CaptionPart::Tone;

template <typename Visit>
void forLanes(LaneMask mask, Visit visit)
{
    for (LaneMask rest = mask; rest != 0; rest &= rest - 1)
        visit(static_cast<size_t>(std::countr_zero(rest)));
}

QString accessWord(trace::SiteKind kind)
{
    switch (kind) {
    case trace::SiteKind::Load:
        return QStringLiteral("reads");
    case trace::SiteKind::Store:
        return QStringLiteral("writes");
    default:
        return QStringLiteral("updates atomically");
    }
}

QString accessedCell(const Snapshot& snapshot, const StatementEvent& event, int lane)
{
    const auto index = snapshot.indexOf(event.event.bufferOf(lane));
    if (!index)
        return QString::fromStdString(snapshot.site(event.event.site).expression);
    const trace::Buffer& buffer = snapshot.buffers[*index].buffer;
    return cellName(buffer, event.event.offset[static_cast<size_t>(lane)] / buffer.element.totalBytes());
}

/// The finding that tells of what the focused lane does here: of this very step, or, where \p atSite, of any thread at
/// this place of the program. Null when there is none.
const trace::Finding* boundsFinding(const Snapshot& snapshot, const StatementEvent& event, bool atSite)
{
    const replay::Focus& focus = snapshot.focus;
    const trace::SourceLocation& where = snapshot.site(event.event.site).where;
    const auto isHere = [&](const trace::FindingAccess& access) {
        return access.where.source == where.source && access.where.line == where.line &&
               access.where.column == where.column &&
               (atSite || (access.step == event.step && access.block == focus.block && access.thread == focus.thread));
    };
    for (const trace::Finding& finding : snapshot.catalog->findings)
        if (familyOf(finding.kind) == Family::Bounds && (atSite || finding.launch == focus.launch) &&
            std::ranges::any_of(finding.accesses, isHere))
            return &finding;
    return nullptr;
}

/// "reads x[100], outside float[100]", where memory does not allow what the focused lane does; else empty.
QString faultText(const Snapshot& snapshot, const StatementEvent& event)
{
    const QString access =
        accessWord(event.event.kind) + QStringLiteral(" ") + accessedCell(snapshot, event, snapshot.lane);
    const auto outside = [&](const trace::Buffer& buffer) {
        return access + QStringLiteral(", outside ") + shapeText(buffer);
    };
    if (const auto index = snapshot.indexOf(event.event.bufferOf(snapshot.lane))) {
        const trace::Buffer& buffer = snapshot.buffers[*index].buffer;
        const uint64_t end =
            event.event.offset[static_cast<size_t>(snapshot.lane)] + snapshot.site(event.event.site).type.totalBytes();
        if (end > buffer.bytes)
            return outside(buffer);
    } else if (const trace::Finding* const finding = boundsFinding(snapshot, event, true)) {
        const auto meant = std::ranges::find_if(
            snapshot.buffers, [&](const BufferView& view) { return view.buffer.name == finding->buffer; });
        return meant == snapshot.buffers.end() ? access + QStringLiteral(", no memory of the program")
                                               : outside(meant->buffer);
    }
    const trace::Finding* const finding = boundsFinding(snapshot, event, false);
    return finding ? QStringLiteral("%1 (%2)").arg(access, QString::fromStdString(finding->message)) : QString();
}

CaptionPart phrase(const Snapshot& snapshot, const StatementEvent& event)
{
    const trace::Site& site = snapshot.site(event.event.site);
    switch (event.event.kind) {
    case trace::SiteKind::Load:
    case trace::SiteKind::Store:
    case trace::SiteKind::Atomic:
        if (const QString fault = faultText(snapshot, event); !fault.isEmpty())
            return {fault, Tone::Fault};
        return {QStringLiteral("%1 %2 = %3")
                    .arg(accessWord(event.event.kind), accessedCell(snapshot, event, snapshot.lane),
                         eventValueText(snapshot, event, snapshot.lane)),
                event.event.kind == trace::SiteKind::Load ? Tone::Read : Tone::Write};
    case trace::SiteKind::VariableWrite: {
        const QString name = site.variable
                                 ? QString::fromStdString(snapshot.catalog->variables[site.variable->value].name)
                                 : QString::fromStdString(site.expression);
        return {QStringLiteral("sets %1 = %2").arg(name, eventValueText(snapshot, event, snapshot.lane)), Tone::Plain};
    }
    case trace::SiteKind::Branch: {
        const bool taken = ((event.event.taken >> snapshot.lane) & 1) != 0;
        const QString test =
            site.expression.empty() ? QStringLiteral("the condition") : QString::fromStdString(site.expression);
        return {QStringLiteral("finds %1 %2").arg(test, taken ? QStringLiteral("true") : QStringLiteral("false")),
                Tone::Plain};
    }
    case trace::SiteKind::Barrier:
        return {QStringLiteral("waits at the barrier"), Tone::Plain};
    case trace::SiteKind::Exit:
        return {QStringLiteral("is done"), Tone::Plain};
    case trace::SiteKind::Call:
        return {QStringLiteral("calls a function"), Tone::Plain};
    case trace::SiteKind::Return:
        return {QStringLiteral("returns"), Tone::Plain};
    }
    return {};
}

/// The most lanes whose accesses begin in one 4-byte word of one buffer: atomics on it wait for each other.
int lanesOnOneWord(const trace::Event& event)
{
    std::map<std::pair<BufferId, uint64_t>, int> lanes;
    int most = 0;
    forLanes(event.mask, [&](size_t lane) {
        most = std::max(most, ++lanes[{event.bufferOf(static_cast<int>(lane)), event.offset[lane] / 4}]);
    });
    return most;
}

QString accessCost(const Snapshot& snapshot, const StatementEvent& event)
{
    const auto lane = std::countr_zero(event.event.mask);
    const auto index = snapshot.indexOf(event.event.bufferOf(lane));
    if (!index)
        return {};
    const trace::Buffer& buffer = snapshot.buffers[*index].buffer;
    const QString name = QString::fromStdString(buffer.name);
    if (event.event.kind == trace::SiteKind::Atomic)
        if (const int lanes = lanesOnOneWord(event.event); lanes > 1)
            return QStringLiteral("%1: %2 lanes on one word, one after the other").arg(name).arg(lanes);
    if (buffer.space == trace::Space::Shared) {
        const int degree = conflictDegree(event.event, buffer);
        return degree <= 1 ? QStringLiteral("%1: no bank conflict").arg(name)
                           : QStringLiteral("%1: bank conflict degree %2").arg(name).arg(degree);
    }
    if (buffer.space != trace::Space::Global)
        return {};
    const SectorCount count = sectorsOf(event.event, buffer, snapshot.site(event.event.site).type.totalBytes());
    return QStringLiteral("%1: %2 %3 (ideal %4)")
        .arg(name)
        .arg(count.sectors)
        .arg(count.sectors == 1 ? QStringLiteral("sector") : QStringLiteral("sectors"))
        .arg(count.ideal);
}

/// A branch that no text of the program stands for: inside a function of the CUDA headers, say.
bool isNameless(const Snapshot& snapshot, const StatementEvent& event)
{
    return event.event.kind == trace::SiteKind::Branch && snapshot.site(event.event.site).expression.empty();
}

/// Every phrase of the focused lane's, each said once; a condition tested after a loop variable's step comes last.
std::vector<CaptionPart> phrases(const Snapshot& snapshot)
{
    std::vector<CaptionPart> parts;
    std::optional<CaptionPart> nameless;
    for (const StatementEvent& event : snapshot.statement) {
        if (((event.event.mask >> snapshot.lane) & 1) == 0)
            continue;
        CaptionPart part = phrase(snapshot, event);
        if (isNameless(snapshot, event))
            nameless = part;
        else if (std::none_of(parts.begin(), parts.end(), [&](const CaptionPart& p) { return p.text == part.text; }))
            parts.push_back(std::move(part));
    }
    if (parts.empty() && nameless)
        parts.push_back(*nameless);
    return parts;
}

/// ", with what lane 3 gives"; of several shuffles, in their order; empty where the lane keeps its own.
QString givenText(const Snapshot& snapshot)
{
    QStringList lanes;
    for (const LaneArc& arc : snapshot.exchanges)
        if (arc.to == snapshot.lane)
            lanes << QString::number(arc.from);
    if (lanes.isEmpty())
        return {};
    return lanes.size() == 1 ? QStringLiteral(", with what lane %1 gives").arg(lanes.front())
                             : QStringLiteral(", with what lanes %1 give").arg(lanes.join(QStringLiteral(" and ")));
}

/// ", votes yes: 5 of 9 lanes do", ", brings 3 to the sum of 32 lanes", ", matches 4 lanes, all with 7".
QString collectiveText(const Collective& collective, int lane)
{
    using Kind = CollectiveCall::Kind;
    const auto& own = collective.operands[static_cast<size_t>(lane)];
    if (!own)
        return {};
    const int all = std::popcount(collective.participants());
    const int alike = std::popcount(collective.alike(lane));
    if (collective.isVote())
        return QStringLiteral(", votes %1: %2 of %3 lanes say yes")
            .arg(*own != 0 ? QStringLiteral("yes") : QStringLiteral("no"))
            .arg(*own != 0 ? alike : all - alike)
            .arg(all);
    if (collective.isMatch())
        return QStringLiteral(", one of %1 lanes of %2 that bring %3").arg(alike).arg(all).arg(*own);
    const char* const what = collective.kind == Kind::Add   ? "sum"
                             : collective.kind == Kind::Min ? "least"
                             : collective.kind == Kind::Max ? "greatest"
                             : collective.kind == Kind::And ? "bitwise and"
                             : collective.kind == Kind::Or  ? "bitwise or"
                                                            : "bitwise exclusive or";
    return QStringLiteral(", brings %1 to the %2 of %3 lanes").arg(*own).arg(QLatin1String(what)).arg(all);
}

}  // namespace

SectorCount sectorsOf(const trace::Event& event, const trace::Buffer& buffer, uint32_t bytes)
{
    constexpr uint64_t kSectorBytes = 32;
    std::set<uint64_t> sectors;
    std::set<uint64_t> offsets;
    forLanes(event.mask, [&](size_t lane) {
        const uint64_t first = buffer.deviceAddress + event.offset[lane];
        offsets.insert(first);
        for (uint64_t at = first / kSectorBytes; at <= (first + bytes - 1) / kSectorBytes; ++at)
            sectors.insert(at);
    });
    const uint64_t ideal = (offsets.size() * bytes + kSectorBytes - 1) / kSectorBytes;
    return {static_cast<int>(sectors.size()), static_cast<int>(ideal)};
}

int conflictDegree(const trace::Event& event, const trace::Buffer& buffer)
{
    std::array<std::set<uint64_t>, kWarpSize> words;
    forLanes(event.mask, [&](size_t lane) {
        const uint64_t word = (buffer.sharedOffset + event.offset[lane]) / 4;
        words[word % kWarpSize].insert(word);
    });
    size_t degree = 0;
    for (const auto& bank : words)
        degree = std::max(degree, bank.size());
    return static_cast<int>(degree);
}

std::vector<CaptionPart> captionOf(const Snapshot& snapshot)
{
    const QString thread = positionText(snapshot.focus.thread, snapshot.launch().block);
    if (snapshot.statement.empty())
        return {{QStringLiteral("Nothing has run in this warp yet."), Tone::Dim}};
    const auto done = phrases(snapshot);
    if (done.empty())
        return {{QStringLiteral("Thread %1 sits this one out: the branch it took does not come here.").arg(thread),
                 Tone::Dim}};
    std::vector<CaptionPart> parts{{QStringLiteral("Thread %1 ").arg(thread)}};
    for (size_t i = 0; i < done.size(); ++i) {
        if (i > 0)
            parts.push_back({i + 1 == done.size() ? QStringLiteral(" and ") : QStringLiteral(", ")});
        parts.push_back(done[i]);
    }
    if (const QString given = givenText(snapshot); !given.isEmpty())
        parts.push_back({given, Tone::Read});
    if (snapshot.collective)
        parts.push_back({collectiveText(*snapshot.collective, snapshot.lane), Tone::Read});
    parts.push_back({QStringLiteral(".")});
    return parts;
}

QString costOf(const Snapshot& snapshot)
{
    QStringList costs;
    LaneMask lanes = 0;
    for (const StatementEvent& event : snapshot.statement) {
        lanes |= event.event.mask;
        if (event.event.isAccess() && event.event.mask != 0)
            if (const QString cost = accessCost(snapshot, event); !cost.isEmpty() && !costs.contains(cost))
                costs << cost;
    }
    const int count = std::popcount(lanes);
    if (count > 0)
        costs.prepend(count == 1 ? QStringLiteral("1 lane") : QStringLiteral("%1 lanes").arg(count));
    return costs.join(QStringLiteral("  ·  "));
}

QString captionText(const Snapshot& snapshot)
{
    QString text;
    for (const CaptionPart& part : captionOf(snapshot))
        text += part.text;
    const QString cost = costOf(snapshot);
    return cost.isEmpty() ? text : text + QStringLiteral(" ") + cost;
}

}  // namespace lanescope::gui
