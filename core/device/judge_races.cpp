// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unordered accesses, as findings: one per pair of source lines and buffer.

#include <algorithm>

#include <fmt/format.h>

#include "core/device/judge.h"
#include "core/device/judge_text.h"
#include "core/device/reports.h"

namespace lanescope::device {
namespace {

struct MergedRace {
    RaceReport race;
    const trace::Site* sites[2];
};

std::string placeText(const RaceReport& race, int side, const JudgeContext& context)
{
    Dim3 thread = positionOf(race.threads[side], context.launch.block);
    std::string text = fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z);
    if (race.blocks[0] != race.blocks[1]) {
        Dim3 block = positionOf(race.blocks[side], context.launch.grid);
        text += fmt::format(" of {} ({},{},{})", context.launch.blockWord, block.x, block.y, block.z);
    }
    return text;
}

const char* verbOf(const trace::Site& site, bool writes)
{
    return site.kind == trace::SiteKind::Atomic ? "updates" : writes ? "writes" : "reads";
}

std::string hazardText(uint8_t hazards)
{
    std::string text;
    auto add = [&](uint8_t hazard, const char* name) {
        if (hazards & hazard)
            text += (text.empty() ? "" : ", ") + std::string(name);
    };
    add(RaceReport::ReadAfterWrite, "read after write");
    add(RaceReport::WriteAfterRead, "write after read");
    add(RaceReport::WriteAfterWrite, "write after write");
    return text;
}

bool isShared(const RaceReport& race, const JudgeContext& context)
{
    const trace::Buffer* const buffer = context.bufferAt(race.address >> 32);
    return buffer && buffer->space == trace::Space::Shared;
}

/// In shared memory of a kernel that hands stages over by mbarrier objects, between warps.
bool isOfStage(const RaceReport& race, const JudgeContext& context)
{
    return context.hasPhaseBarriers && !race.sameWarp && race.blocks[0] == race.blocks[1] && isShared(race, context);
}

/// Of a stage that is handed over: what its reader and who fills it have to wait for.
std::string stageHelp(const RaceReport& race)
{
    return race.hazards & RaceReport::WriteAfterRead ? "let the readers of a stage arrive at its empty barrier after "
                                                       "their last read, and wait for that phase "
                                                       "before filling the stage again"
                                                     : "wait for the phase of the barrier that says the stage is full "
                                                       "before reading it; who fills it arrives "
                                                       "there after the last write";
}

/// What would have ordered the two sides.
std::string remedyText(const RaceReport& race, const JudgeContext& context)
{
    if (race.blockScope)
        return "an atomic of block scope does not reach other blocks";
    if (race.unfenced)
        return "no fence that reaches both follows the atomic that took the lock or read the flag";
    if (race.blocks[0] != race.blocks[1] && isShared(race, context))
        return "no barrier of the cluster between them, nor a phase of an mbarrier";
    if (race.blocks[0] != race.blocks[1])
        return race.fences ? "no __threadfence and flag between them order the two blocks"
                           : "nothing orders the two blocks";
    if (isOfStage(race, context))
        return "no phase of a barrier ended between them";
    if (race.sameWarp)
        return "no barrier or __syncwarp between them (lanes of one warp are not in step)";
    return "no barrier between them";
}

std::string notAwaitedText(const MergedRace& merged, const JudgeContext& context)
{
    const RaceReport& race = merged.race;
    std::string copier = race.threads[0] == race.threads[1] ? "itself" : placeText(race, 0, context);
    const char* remedy =
        race.threads[0] == race.threads[1] ? "wait for it first" : "that thread must wait for it before the barrier";
    return fmt::format(
        "{} {} what an asynchronous copy by {} (line {}) may still be writing: nobody has waited for the "
        "copy; {}",
        placeText(race, 1, context), verbOf(*merged.sites[1], race.writes[1]), copier, merged.sites[0]->where.line,
        remedy);
}

/// Of an operation that reads in its own time what ordinary stores write.
std::string asyncReadText(const MergedRace& merged, const std::string& cell, const JudgeContext& context)
{
    const RaceReport& race = merged.race;
    const bool isOwn = race.threads[0] == race.threads[1] && race.blocks[0] == race.blocks[1];
    const std::string writer = placeText(race, 0, context),
                      reader = isOwn ? "its own" : "of " + placeText(race, 1, context);
    if (race.whileRead)
        return fmt::format(
            "{} writes {} while an asynchronous operation {}{} (line {}) may still be reading it: nobody "
            "has waited for that operation before the write",
            writer, cell, isOwn ? "of " : "", reader, merged.sites[1]->where.line);
    return fmt::format(
        "{} writes {} by an ordinary store, and an asynchronous operation {}{} (line {}) reads it with no "
        "fence.proxy.async in between: it may read what was there before",
        writer, cell, isOwn ? "of " : "", reader, merged.sites[1]->where.line);
}

std::string staleText(const MergedRace& merged, const std::string& cell, const JudgeContext& context)
{
    const RaceReport& race = merged.race;
    const bool isOwn = race.threads[0] == race.threads[1] && race.blocks[0] == race.blocks[1];
    return fmt::format(
        "{} reads {} by the read-only cache (__ldg, a texture), though {} has written it in this launch (line {}): "
        "what the cache holds may be from before; read it plainly",
        placeText(race, 1, context), cell, isOwn ? "it" : placeText(race, 0, context), merged.sites[0]->where.line);
}

std::string message(const MergedRace& merged, const JudgeContext::Place& place, const JudgeContext& context)
{
    const RaceReport& race = merged.race;
    if (race.notAwaited)
        return notAwaitedText(merged, context);
    std::string cell = "memory";
    if (place.buffer) {
        uint32_t element = std::max<uint32_t>(place.buffer->element.totalBytes(), 1);
        cell = cellText(*place.buffer, static_cast<uint32_t>(place.within(race.address)) / element);
    }
    if (race.keptInCache)
        return staleText(merged, cell, context);
    if (race.whileRead || race.otherProxy)
        return asyncReadText(merged, cell, context);
    std::string text = fmt::format("race on {}: {} {} it, {} {} it, and {}", cell, placeText(race, 0, context),
                                   verbOf(*merged.sites[0], race.writes[0]), placeText(race, 1, context),
                                   verbOf(*merged.sites[1], race.writes[1]), remedyText(race, context));
    text += fmt::format(" ({})", hazardText(race.hazards));
    if (race.harmful < race.count)
        text += fmt::format("; in {} of {} pairs all wrote one value", race.count - race.harmful, race.count);
    return text;
}

trace::FindingAccess accessOf(const MergedRace& merged, int side, const JudgeContext& context)
{
    const RaceReport& race = merged.race;
    trace::FindingAccess access;
    access.where = merged.sites[side]->where;
    access.expression = merged.sites[side]->expression;
    access.access = merged.sites[side]->kind == trace::SiteKind::Atomic ? "atomic"
                    : race.writes[side]                                 ? "write"
                                                                        : "read";
    access.block = positionOf(race.blocks[side], context.launch.grid);
    access.thread = positionOf(race.threads[side], context.launch.block);
    access.epoch = race.epoch;
    access.step = side == 1 ? race.step : 0;
    return access;
}

bool sameRace(const MergedRace& a, const MergedRace& b)
{
    if (a.race.address >> 32 != b.race.address >> 32 || a.race.notAwaited != b.race.notAwaited ||
        a.race.keptInCache != b.race.keptInCache || a.race.whileRead != b.race.whileRead ||
        a.race.otherProxy != b.race.otherProxy)
        return false;
    return (sameLine(*a.sites[0], *b.sites[0]) && sameLine(*a.sites[1], *b.sites[1])) ||
           (sameLine(*a.sites[0], *b.sites[1]) && sameLine(*a.sites[1], *b.sites[0]));
}

/// A read and a write tell more than two writes of one place.
bool tellsMore(const RaceReport& a, const RaceReport& b)
{
    bool readsA = !a.writes[0] || !a.writes[1];
    bool readsB = !b.writes[0] || !b.writes[1];
    return readsA && !readsB;
}

void merge(MergedRace& into, const MergedRace& from)
{
    const bool better = tellsMore(from.race, into.race);
    RaceReport total = better ? from.race : into.race;
    const RaceReport& other = better ? into.race : from.race;
    // Reads with writes, writes with reads.
    const bool swapped = other.writes[0] != total.writes[0] && other.writes[1] != total.writes[1];
    total.instances.merge(other.instances, swapped);
    if (better)
        std::copy(from.sites, from.sites + 2, into.sites);
    total.count = into.race.count + from.race.count;
    total.harmful = into.race.harmful + from.race.harmful;
    total.hazards = into.race.hazards | from.race.hazards;
    total.unfenced = into.race.unfenced && from.race.unfenced;
    into.race = total;
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                       const JudgeContext& context)
{
    std::vector<MergedRace> merged;
    for (const auto& [block, race] : races) {
        MergedRace entry{race, {&context.sites[race.sites[0]], &context.sites[race.sites[1]]}};
        auto known =
            std::find_if(merged.begin(), merged.end(), [&](const MergedRace& other) { return sameRace(entry, other); });
        if (known == merged.end())
            merged.push_back(entry);
        else
            merge(*known, entry);
    }
    std::vector<trace::Finding> findings;
    for (const MergedRace& entry : merged) {
        // All wrote one value: no order of theirs gives another result.
        if (entry.race.harmful == 0)
            continue;
        const JudgeContext::Place place = context.placeOf(entry.race.address);
        const trace::Buffer* buffer = place.buffer;
        trace::Finding finding;
        finding.kind = entry.race.notAwaited || entry.race.whileRead     ? FindingKind::AsyncCopyNotAwaited
                       : buffer && buffer->space == trace::Space::Shared ? FindingKind::SharedRace
                                                                         : FindingKind::GlobalRace;
        finding.severity = entry.race.unfenced ? Severity::Warning : Severity::Error;
        finding.message = message(entry, place, context);
        if (entry.race.keptInCache)
            finding.help = "read what the kernel writes without __ldg, ld.global.nc and textures";
        else if (entry.race.otherProxy)
            finding.help = "let who has stored execute fence.proxy.async, and then meet who issues the copy or product";
        else if (entry.race.whileRead)
            finding.help =
                "wait by cp.async.bulk.wait_group.read, or for products by wgmma.wait_group, and synchronise, "
                "before what they read is written again";
        else if (isOfStage(entry.race, context))
            finding.help = stageHelp(entry.race);
        else if (isShared(entry.race, context) && entry.race.blocks[0] != entry.race.blocks[1])
            finding.help = "put cluster.sync() (barrier.cluster.arrive and .wait) between the two accesses";
        finding.count = entry.race.count;
        finding.kernel = context.launch.kernel;
        finding.launch = context.launch.id;
        finding.buffer = buffer ? buffer->name : "";
        if (buffer)
            finding.cell = {cellOf(place.within(entry.race.address), *buffer)};
        finding.accesses = {accessOf(entry, 0, context), accessOf(entry, 1, context)};
        addInstances(finding, entry.race.instances, cellsOf(place), true, context);
        findings.push_back(std::move(finding));
    }
    return findings;
}

namespace {

std::string threadText(const trace::FindingAccess& access)
{
    const Dim3 &block = access.block, &thread = access.thread;
    return fmt::format("thread ({},{},{}) of block ({},{},{})", thread.x, thread.y, thread.z, block.x, block.y,
                       block.z);
}

/// Why two launches that are under way side by side race.
const char* besideText(const RaceReport& race)
{
    if (race.blockScope)
        return "an atomic of block scope does not reach other kernels";
    return race.unfenced ? "no fence follows the atomic or volatile read that told of it"
                         : "no fence and flag between them order the two, nor do streams";
}

trace::Finding findingAgainst(const EarlierLaunch& earlier, const trace::Site& first, const RaceReport& race,
                              const JudgeContext& context)
{
    const trace::Buffer* buffer = context.bufferAt(race.address >> 32);
    const trace::Site& second = context.sites[race.sites[1]];
    trace::Finding finding;
    finding.kind = FindingKind::GlobalRace;
    finding.severity = Severity::Error;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.buffer = buffer ? buffer->name : "";
    std::string cell = "memory";
    if (buffer) {
        cell = cellText(*buffer,
                        static_cast<uint32_t>(race.address) / std::max<uint32_t>(buffer->element.totalBytes(), 1));
        finding.cell = {cellOf(race.address, *buffer)};
    }
    const MergedRace merged{race, {&first, &second}};
    finding.accesses = {accessOf(merged, 0, context), accessOf(merged, 1, context)};
    finding.accesses[0].block = positionOf(race.blocks[0], earlier.launch.grid);
    finding.accesses[0].thread = positionOf(race.threads[0], earlier.launch.block);
    if (race.beside) {
        finding.message =
            fmt::format("race on {}: {} of the kernel {} (launch {}) {} it, {} of {} {} it, and {} ({})", cell,
                        threadText(finding.accesses[0]), earlier.launch.kernel, earlier.launch.id.value,
                        verbOf(first, race.writes[0]), threadText(finding.accesses[1]), context.launch.kernel,
                        verbOf(second, race.writes[1]), besideText(race), hazardText(race.hazards));
        finding.help =
            "fence (__threadfence_system) what was written, then set a flag; the other kernel polls the flag "
            "and fences before it reads";
        return finding;
    }
    finding.message =
        fmt::format("race on {}: the kernel {} {} it, and {}, which may begin before that has ended, {} it before "
                    "griddepcontrol.wait ({})",
                    cell, earlier.launch.kernel, verbOf(first, race.writes[0]), context.launch.kernel,
                    verbOf(second, race.writes[1]), hazardText(race.hazards));
    finding.help =
        "call cudaGridDependencySynchronize() (griddepcontrol.wait) before the first access to what the kernel "
        "before uses, or launch without cudaLaunchAttributeProgrammaticStreamSerialization";
    return finding;
}

}  // namespace

std::vector<trace::Finding> findingsAgainst(const EarlierLaunch& earlier,
                                            const std::vector<std::pair<uint64_t, RaceReport>>& races,
                                            const JudgeContext& context)
{
    std::vector<trace::Finding> findings;
    for (const auto& [block, race] : races) {
        const trace::Site first = earlier.siteAt(race.sites[0]);
        trace::Finding finding = findingAgainst(earlier, first, race, context);
        const auto isSame = [&](const trace::Finding& known) {
            const auto at = [](const trace::Finding& told, size_t side) {
                const trace::SourceLocation& where = told.accesses[side].where;
                return std::pair(where.source.value, where.line);
            };
            return known.buffer == finding.buffer && at(known, 0) == at(finding, 0) && at(known, 1) == at(finding, 1);
        };
        const auto known = std::ranges::find_if(findings, isSame);
        if (known == findings.end())
            findings.emplace_back(std::move(finding)).count = race.count;
        else
            known->count += race.count;
    }
    return findings;
}

}  // namespace lanescope::device
