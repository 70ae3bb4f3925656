// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/findings.h"

#include <algorithm>

#include <fmt/format.h>
#include <sys/mman.h>

namespace lanescope::simt {
namespace {

const char* kindName(AccessFault::Kind kind)
{
    switch (kind) {
    case AccessFault::Kind::OutOfShape:
        return "index-out-of-shape";
    case AccessFault::Kind::Misaligned:
        return "misaligned";
    case AccessFault::Kind::UseAfterFree:
        return "use-after-free";
    default:
        return "out-of-bounds";
    }
}

std::string shapeText(const trace::Buffer& buffer)
{
    std::string text = buffer.element.name.empty() ? "char" : buffer.element.name;
    for (uint64_t extent : buffer.dims)
        text += fmt::format("[{}]", extent);
    return text;
}

/// "a[3][1]" of a flat element index; an index past the end keeps the outermost one growing.
std::string cellText(const trace::Buffer& buffer, uint64_t index)
{
    std::string subscripts;
    for (size_t i = buffer.dims.size(); i-- > 1;) {
        uint64_t extent = std::max<uint64_t>(buffer.dims[i], 1);
        subscripts = fmt::format("[{}]", index % extent) + subscripts;
        index /= extent;
    }
    return fmt::format("{}[{}]{}", buffer.name, index, subscripts);
}

/// Offsets in the upper half of a slot come from negative indexes.
int64_t signedOffset(uint64_t address)
{
    return static_cast<int32_t>(static_cast<uint32_t>(address));
}

/// "s" and {"r", "k"} of "s[r][k]": at most \p most subscripts, from the right.
std::pair<std::string, std::vector<std::string>> splitSubscripts(std::string expression, size_t most)
{
    std::vector<std::string> subscripts;
    while (subscripts.size() < most && !expression.empty() && expression.back() == ']') {
        int depth = 0;
        size_t at = expression.size();
        do {
            --at;
            depth += expression[at] == ']' ? 1 : expression[at] == '[' ? -1 : 0;
        } while (depth > 0 && at > 0);
        subscripts.insert(subscripts.begin(), expression.substr(at + 1, expression.size() - at - 2));
        expression.erase(at);
    }
    return {expression, subscripts};
}

std::string shapeMessage(const AccessFault& fault, const trace::Site& site)
{
    const auto& dims = fault.shape->dims;
    const size_t count = dims.size() - fault.shape->shown;
    auto [name, written] = splitSubscripts(site.expression, count);
    std::string tried = name;
    std::string shape;
    for (size_t i = 0; i < count; ++i) {
        const ShapeDim& dim = dims[fault.shape->shown + i];
        const bool known = dim.value != ShapeDim::Value::Unknown;
        const size_t fromRight = count - i;
        tried += fmt::format("[{}]", known ? std::to_string(fault.subscripts[fault.shape->shown + i])
                                     : fromRight <= written.size() ? written[written.size() - fromRight]
                                                                   : "");
        shape += dim.extent ? fmt::format("[{}]", dim.extent) : "[]";
    }
    return fmt::format("{} of {} is outside the declared shape: {} is {}{}", fault.isWrite ? "write" : "read", tried,
                       name, site.type.name, shape);
}

std::string arrayName(const AccessFault& fault, const trace::Site& site)
{
    return splitSubscripts(site.expression, fault.shape->dims.size() - fault.shape->shown).first;
}

/// Where the host's memory lies differs from run to run, and what is said of it should not.
std::string foreignPlace(uint64_t address)
{
    constexpr uint64_t kPage = 4096;
    if (address < kPage)
        return fmt::format("0x{:x}, which is no device memory (a null pointer)", address);
    const bool isHosts = !DeviceMemory::isDeviceAddress(address) &&
                         msync(reinterpret_cast<void*>(address / kPage * kPage), kPage, MS_ASYNC) == 0;
    return isHosts ? "an address of the host's memory" : fmt::format("0x{:x}, which is no device memory", address);
}

std::string message(const AccessFault& fault, const trace::Buffer* buffer)
{
    const char* verb = fault.isWrite ? "write" : "read";
    if (!buffer)
        return fmt::format("{} of {} bytes at {}", verb, fault.bytes, foreignPlace(fault.address));
    int64_t offset = signedOffset(fault.address);
    uint32_t element = std::max<uint32_t>(buffer->element.totalBytes(), 1);
    std::string cell = offset < 0
                           ? fmt::format("{}[{}]", buffer->name, (offset - int64_t{element} + 1) / int64_t{element})
                           : cellText(*buffer, static_cast<uint64_t>(offset) / element);
    if (fault.inHeap)
        return fmt::format("{} of {} bytes at byte {} of {}, {}", verb, fault.bytes, offset, buffer->name,
                           fault.kind == AccessFault::Kind::UseAfterFree ? "in a piece that has been freed"
                           : fault.kind == AccessFault::Kind::Misaligned ? "which is misaligned"
                                                                         : "outside what malloc and new gave");
    switch (fault.kind) {
    case AccessFault::Kind::UseAfterFree:
        return fmt::format("{} of {} after {} was freed{}", verb, cell, buffer->name,
                           buffer->name == buffer->allocatedAt ? "" : fmt::format(" ({})", buffer->allocatedAt));
    case AccessFault::Kind::ReadOnly:
        return fmt::format("write to {}, which is constant memory", cell);
    case AccessFault::Kind::Misaligned:
        return fmt::format("misaligned {} of {} bytes at byte {} of {}", verb, fault.bytes, offset, buffer->name);
    default:
        return fmt::format("{} of {} is out of bounds: {} is {}", verb, cell, buffer->name, shapeText(*buffer));
    }
}

int64_t cellOf(uint64_t address, const trace::Buffer& buffer)
{
    return signedOffset(address) / int64_t{std::max<uint32_t>(buffer.element.totalBytes(), 1)};
}

/// Adds the smallest and the typical occurrence, where they are not the first one. \p twoSides: each access of the
/// finding is a side; otherwise all are of one thread.
void addInstances(trace::Finding& finding, const Instances& instances, const trace::Buffer* buffer, bool twoSides,
                  const FindingContext& context)
{
    if (instances.empty() || finding.count < 2)
        return;
    auto add = [&](const char* which, const Instance& from) {
        trace::FindingInstance instance{which, {}, finding.accesses};
        if (buffer)
            instance.cell = {cellOf(from.address, *buffer)};
        bool differs = instance.cell != finding.cell;
        for (size_t i = 0; i < instance.accesses.size(); ++i) {
            trace::FindingAccess& access = instance.accesses[i];
            const size_t side = twoSides ? i : 0;
            access.block = positionOf(from.blocks[side], context.launch.grid);
            access.thread = positionOf(from.threads[side], context.launch.block);
            access.epoch = from.epoch;
            access.step = !twoSides || i == 1 ? from.step : 0;
            differs |= access.block != finding.accesses[i].block || access.thread != finding.accesses[i].thread;
        }
        if (differs)
            finding.instances.push_back(std::move(instance));
    };
    add("smallest", instances.smallest());
    add("typical", instances.typical());
}

trace::FindingAccess accessOf(const AccessFault& fault, const FindingContext& context)
{
    const trace::Site& site = context.program.sites[fault.staticSite];
    trace::FindingAccess access;
    access.where = site.where;
    access.expression = site.expression;
    access.access = fault.isWrite ? "write" : "read";
    access.block = positionOf(fault.block, context.launch.grid);
    access.thread = positionOf(fault.thread, context.launch.block);
    access.epoch = fault.epoch;
    access.step = fault.step;
    return access;
}

trace::Finding findingOf(const AccessFault& fault, const FindingContext& context)
{
    const trace::Buffer* buffer = context.bufferAt(context.table, fault.address >> 32);
    trace::Finding finding;
    finding.kind = kindName(fault.kind);
    finding.severity = "error";
    finding.message =
        fault.shape ? shapeMessage(fault, context.program.sites[fault.staticSite]) : message(fault, buffer);
    finding.count = fault.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    finding.buffer = buffer ? buffer->name : "";
    if (buffer)
        finding.cell = {cellOf(fault.address, *buffer)};
    else if (fault.shape)
        finding.buffer = arrayName(fault, context.program.sites[fault.staticSite]);
    finding.accesses = {accessOf(fault, context)};
    addInstances(finding, fault.instances, buffer, false, context);
    return finding;
}

bool sameFinding(const AccessFault& a, const AccessFault& b)
{
    return a.kind == b.kind && a.staticSite == b.staticSite && a.isWrite == b.isWrite;
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<AccessFault>& faults, const FindingContext& context)
{
    std::vector<AccessFault> merged;
    for (const AccessFault& fault : faults) {
        auto known = std::find_if(merged.begin(), merged.end(),
                                  [&](const AccessFault& other) { return sameFinding(fault, other); });
        if (known == merged.end()) {
            merged.push_back(fault);
        } else {
            known->count += fault.count;
            known->instances.merge(fault.instances, false);
        }
    }
    // Where some threads leave the object, it is one mistake and the worse one that is told.
    std::set<uint32_t> outOfBounds;
    for (const AccessFault& fault : merged)
        if (fault.kind == AccessFault::Kind::OutOfBounds)
            outOfBounds.insert(fault.staticSite);
    std::erase_if(merged,
                  [&](const AccessFault& fault) { return fault.shape && outOfBounds.contains(fault.staticSite); });
    std::vector<trace::Finding> findings;
    for (const AccessFault& fault : merged)
        findings.push_back(findingOf(fault, context));
    return findings;
}

namespace {

struct MergedRace {
    RaceReport race;
    const trace::Site* sites[2];
};

std::string placeText(const RaceReport& race, int side, const FindingContext& context)
{
    Dim3 thread = positionOf(race.threads[side], context.launch.block);
    std::string text = fmt::format("thread ({},{},{})", thread.x, thread.y, thread.z);
    if (race.blocks[0] != race.blocks[1]) {
        Dim3 block = positionOf(race.blocks[side], context.launch.grid);
        text += fmt::format(" of block ({},{},{})", block.x, block.y, block.z);
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

/// What would have ordered the two sides.
std::string remedyText(const RaceReport& race)
{
    if (race.blockScope)
        return "an atomic of block scope does not reach other blocks";
    if (race.unfenced)
        return "no fence that reaches both follows the atomic that took the lock or read the flag";
    if (race.blocks[0] != race.blocks[1])
        return race.fences ? "no __threadfence and flag between them order the two blocks"
                           : "nothing orders the two blocks";
    if (race.sameWarp)
        return "no barrier or __syncwarp between them (lanes of one warp are not in step)";
    return "no barrier between them";
}

std::string notAwaitedText(const MergedRace& merged, const FindingContext& context)
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

std::string message(const MergedRace& merged, const trace::Buffer* buffer, const FindingContext& context)
{
    const RaceReport& race = merged.race;
    if (race.notAwaited)
        return notAwaitedText(merged, context);
    std::string cell = "memory";
    if (buffer) {
        uint32_t element = std::max<uint32_t>(buffer->element.totalBytes(), 1);
        cell = cellText(*buffer, static_cast<uint32_t>(race.address) / element);
    }
    std::string text = fmt::format("race on {}: {} {} it, {} {} it, and {}", cell, placeText(race, 0, context),
                                   verbOf(*merged.sites[0], race.writes[0]), placeText(race, 1, context),
                                   verbOf(*merged.sites[1], race.writes[1]), remedyText(race));
    text += fmt::format(" ({})", hazardText(race.hazards));
    if (race.harmful < race.count)
        text += fmt::format("; in {} of {} pairs all wrote one value", race.count - race.harmful, race.count);
    return text;
}

trace::FindingAccess accessOf(const MergedRace& merged, int side, const FindingContext& context)
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

bool sameLine(const trace::Site& a, const trace::Site& b)
{
    return a.where.source == b.where.source && a.where.line == b.where.line;
}

bool sameRace(const MergedRace& a, const MergedRace& b)
{
    if (a.race.address >> 32 != b.race.address >> 32 || a.race.notAwaited != b.race.notAwaited)
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
                                       const FindingContext& context)
{
    std::vector<MergedRace> merged;
    for (const auto& [block, race] : races) {
        MergedRace entry{race, {&context.program.sites[race.sites[0]], &context.program.sites[race.sites[1]]}};
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
        const trace::Buffer* buffer = context.bufferAt(context.table, entry.race.address >> 32);
        trace::Finding finding;
        finding.kind = entry.race.notAwaited                             ? "async-copy-not-awaited"
                       : buffer && buffer->space == trace::Space::Shared ? "shared-race"
                                                                         : "global-race";
        finding.severity = entry.race.unfenced ? "warning" : "error";
        finding.message = message(entry, buffer, context);
        finding.count = entry.race.count;
        finding.kernel = context.launch.kernel;
        finding.launch = context.launch.id;
        finding.buffer = buffer ? buffer->name : "";
        if (buffer)
            finding.cell = {cellOf(entry.race.address, *buffer)};
        finding.accesses = {accessOf(entry, 0, context), accessOf(entry, 1, context)};
        addInstances(finding, entry.race.instances, buffer, true, context);
        findings.push_back(std::move(finding));
    }
    return findings;
}

namespace {

struct MergedBarrier {
    uint64_t block;
    BarrierReport report;
    const trace::Site* sites[2];
};

const char* kindName(BarrierReport::Kind kind)
{
    switch (kind) {
    case BarrierReport::Kind::Deadlock:
    case BarrierReport::Kind::BlocksEnded:
        return "barrier-deadlock";
    case BarrierReport::Kind::NotCooperative:
        return "warp-sync-misuse";
    default:
        return "divergent-barrier";
    }
}

std::string threadText(uint32_t thread, const FindingContext& context)
{
    Dim3 position = positionOf(thread, context.launch.block);
    return fmt::format("thread ({},{},{})", position.x, position.y, position.z);
}

std::string message(const MergedBarrier& merged, const FindingContext& context)
{
    std::string waits = threadText(merged.report.threads[0], context);
    std::string other = threadText(merged.report.threads[1], context);
    switch (merged.report.kind) {
    case BarrierReport::Kind::WaitsElsewhere:
        return fmt::format("threads of one block wait at different barriers: {} here, {} at line {}; every thread must "
                           "reach the same __syncthreads",
                           waits, other, merged.sites[1]->where.line);
    case BarrierReport::Kind::RanPast:
        return fmt::format("{} waits at this barrier, but {} of its block ran past it without waiting", waits, other);
    case BarrierReport::Kind::Deadlock:
        return merged.sites[1] ? fmt::format("threads wait for each other for ever: {} here, {} at line {}", waits,
                                             other, merged.sites[1]->where.line)
                               : fmt::format("{} waits here for ever: nobody is left to come", waits);
    case BarrierReport::Kind::BlocksEnded:
        return fmt::format("{} waits here for ever: other blocks have ended without coming to the grid's barrier",
                           waits);
    case BarrierReport::Kind::NotCooperative:
        return "the grid's barrier needs a cooperative launch (cudaLaunchCooperativeKernel): a GPU stops here";
    default:
        return fmt::format("{} waits at this barrier, but {} of its block had returned before it; tolerated by GPUs "
                           "since Volta, undefined by the language",
                           waits, other);
    }
}

}  // namespace

std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, BarrierReport>>& barriers,
                                       const FindingContext& context)
{
    auto siteOf = [&](SiteId id) {
        return id == kNoSite ? nullptr : &context.program.sites[id.value - context.program.firstSite.value];
    };
    std::vector<MergedBarrier> merged;
    for (const auto& [block, report] : barriers) {
        MergedBarrier entry{block, report, {siteOf(report.sites[0]), siteOf(report.sites[1])}};
        // Copies of one barrier that optimisation made.
        if (entry.report.kind != BarrierReport::Kind::Deadlock && entry.sites[1] &&
            sameLine(*entry.sites[0], *entry.sites[1]) && entry.sites[0]->where.column == entry.sites[1]->where.column)
            continue;
        auto known = std::find_if(merged.begin(), merged.end(), [&](const MergedBarrier& other) {
            return other.report.kind == entry.report.kind && sameLine(*other.sites[0], *entry.sites[0]) &&
                   (!entry.sites[1] || sameLine(*other.sites[1], *entry.sites[1]));
        });
        if (known == merged.end())
            merged.push_back(entry);
        else
            known->report.count += report.count;
    }
    std::vector<trace::Finding> findings;
    for (const MergedBarrier& entry : merged) {
        trace::Finding finding;
        finding.kind = kindName(entry.report.kind);
        finding.severity = entry.report.kind == BarrierReport::Kind::Exited ? "warning" : "error";
        finding.message = message(entry, context);
        finding.count = entry.report.count;
        finding.kernel = context.launch.kernel;
        finding.launch = context.launch.id;
        for (int side = 0; side < 2 && entry.sites[side]; ++side) {
            trace::FindingAccess access;
            access.where = entry.sites[side]->where;
            access.expression = entry.sites[side]->expression;
            access.access = "barrier";
            access.block = positionOf(entry.block, context.launch.grid);
            access.thread = positionOf(entry.report.threads[side], context.launch.block);
            access.epoch = entry.report.epoch;
            access.step = entry.report.step;
            finding.accesses.push_back(std::move(access));
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

namespace {

bool sameUse(const UninitialisedUse& a, const UninitialisedUse& b)
{
    auto line = [](const trace::SourceLocation& x, const trace::SourceLocation& y) {
        return x.source == y.source && x.line == y.line;
    };
    return (a.site == b.site && a.variable == b.variable) || line(a.usedAt, b.usedAt) || line(a.readAt, b.readAt);
}

const char* useText(UninitialisedUse::How how)
{
    switch (how) {
    case UninitialisedUse::Branch:
        return "a branch depends on it";
    case UninitialisedUse::Address:
        return "an address depends on it";
    case UninitialisedUse::Atomic:
        return "an atomic updates it";
    case UninitialisedUse::CopiedOut:
        return "it is copied to global memory and from there to the host";
    default:
        return "what is computed from it is stored";
    }
}

const char* useAccess(UninitialisedUse::How how)
{
    switch (how) {
    case UninitialisedUse::Branch:
        return "branch";
    case UninitialisedUse::Address:
        return "address";
    default:
        return "write";
    }
}

trace::Finding findingOf(uint64_t block, const UninitialisedUse& use, const FindingContext& context)
{
    trace::Finding finding;
    finding.kind = "uninitialised-read";
    finding.severity = "error";
    finding.count = use.count;
    finding.kernel = context.launch.kernel;
    finding.launch = context.launch.id;
    trace::FindingAccess read;
    read.where = use.readAt;
    read.access = use.how == UninitialisedUse::Atomic ? "atomic" : "read";
    read.block = positionOf(block, context.launch.grid);
    read.thread = positionOf(use.thread, context.launch.block);
    read.epoch = use.epoch;
    read.step = use.step;
    if (use.variable) {
        read.expression = use.variable->variable;
        finding.message = fmt::format("read of the variable {} (declared at line {}), which has no value yet; {}",
                                      use.variable->variable, use.variable->where.line, useText(use.how));
    } else if (context.program.sites[use.site].kind == trace::SiteKind::Call) {
        // A shuffle. Where the mask leaves the lane out, GPUs give 0, and reductions in use rely on it.
        finding.kind = "warp-sync-misuse";
        finding.severity = use.named ? "error" : "advice";
        read.expression = context.program.sites[use.site].expression;
        finding.message =
            fmt::format("{} reads lane {}, which {}: the value is undefined; {}", read.expression, use.address,
                        use.named ? "is not there" : "its mask does not name", useText(use.how));
    } else {
        read.expression = context.program.sites[use.site].expression;
        const trace::Buffer* buffer = context.bufferAt(context.table, use.address >> 32);
        uint32_t element = buffer ? std::max<uint32_t>(buffer->element.totalBytes(), 1) : 1;
        auto index = static_cast<uint32_t>(use.address) / element;
        finding.buffer = buffer ? buffer->name : "";
        finding.cell = {static_cast<int64_t>(index)};
        finding.message = fmt::format("read of {}, which nobody has written; {}",
                                      buffer ? cellText(*buffer, index) : "memory", useText(use.how));
    }
    finding.accesses.push_back(read);
    bool elsewhere = use.usedAt.line != use.readAt.line || use.usedAt.source != use.readAt.source;
    if (elsewhere && use.usedAt.line) {
        trace::FindingAccess used = read;
        used.where = use.usedAt;
        used.expression =
            use.useSite < context.program.sites.size() ? context.program.sites[use.useSite].expression : "";
        used.access = useAccess(use.how);
        finding.accesses.push_back(used);
    }
    const trace::Buffer* buffer = use.variable ? nullptr : context.bufferAt(context.table, use.address >> 32);
    addInstances(finding, use.instances, buffer, false, context);
    return finding;
}

}  // namespace

RacingReads::RacingReads(const std::vector<std::pair<uint64_t, RaceReport>>& races)
{
    for (const auto& [block, race] : races)
        for (int side = 0; side < 2; ++side)
            if (!race.writes[side] && race.writes[1 - side])
                m_reads.emplace(race.sites[side], race.address >> 32);
}

bool RacingReads::contain(const UninitialisedUse& use) const
{
    return m_reads.contains({use.site, use.address >> 32});
}

std::vector<trace::Finding> findingsOf(const std::vector<std::pair<uint64_t, UninitialisedUse>>& uses,
                                       const FindingContext& context)
{
    std::vector<std::pair<uint64_t, UninitialisedUse>> merged;
    for (const auto& entry : uses) {
        auto known = std::find_if(merged.begin(), merged.end(),
                                  [&](const auto& other) { return sameUse(entry.second, other.second); });
        if (known == merged.end()) {
            merged.push_back(entry);
        } else {
            known->second.count += entry.second.count;
            known->second.instances.merge(entry.second.instances, false);
        }
    }
    std::vector<trace::Finding> findings;
    for (const auto& [block, use] : merged)
        findings.push_back(findingOf(block, use, context));
    return findings;
}

}  // namespace lanescope::simt
