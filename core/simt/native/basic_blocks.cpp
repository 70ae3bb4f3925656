// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/basic_blocks.h"

#include <algorithm>
#include <array>

namespace lanescope::simt::native {
namespace {

/// Instructions of a stretch. LLVM takes more than in proportion for long ones, and there is little to gain in them.
constexpr size_t kLongest = 64;

/// Of a function, likewise.
constexpr size_t kMostOfRegion = 192;

/// Marks where other instructions go to.
class Beginnings {
public:
    explicit Beginnings(const NativeJob& job) : m_job(job), m_begins(job.count + 1) { m_begins[0] = true; }

    void mark(size_t index) { m_begins[std::min(index, m_job.count)] = true; }
    void mark(const Instr* target)
    {
        if (target >= m_job.code && target < m_job.code + m_job.count)
            mark(static_cast<size_t>(target - m_job.code));
    }
    [[nodiscard]] bool operator[](size_t index) const { return m_begins[index]; }

private:
    const NativeJob& m_job;
    std::vector<bool> m_begins;
};

/// Whether the handler of \p instr runs the next one, too.
bool isPair(const NativeJob& job, const Instr& instr)
{
    return std::ranges::find(job.handlers->pairs, job.handlerOf(instr), &FusedPair::both) != job.handlers->pairs.end();
}

/// How many instructions the handler of \p instr may run, if it is a fused one.
size_t fusedLength(const NativeJob& job, const Instr& instr)
{
    const FusedHandlers& fused = job.handlers->fused;
    const Handler run = job.handlerOf(instr);
    if (fused.row && run == fused.row)
        return reinterpret_cast<const MemoryInfo*>(instr.imm)->row->length;
    return fused.loaded && run == fused.loaded ? FusedHandlers::kLength : 1;
}

}  // namespace

ListedHandlers::ListedHandlers(const NativeJob& job)
{
    const HandlerLists& lists = job.handlers->lists;
    using Kind = ListedHandler::Kind;
    const auto add = [&](std::span<const Handler> list, Kind kind) {
        for (size_t i = 0; i < list.size(); ++i)
            m_handlers.try_emplace(list[i], ListedHandler{kind, i});
    };
    add(lists.plain.first(lists.plain.size() - (job.lacksLanes() ? lists.plainOfWhole : 0)), Kind::Plain);
    add(lists.accesses, Kind::Access);
    add(lists.checks, Kind::Check);
    add(lists.terminators, Kind::Terminator);
    // Of lanes that are not all, others mostly wait where they meet, or go on when they exit.
    if (job.what == NativeJob::For::WholeWarps)
        add(std::array{job.common.joinPoint, job.common.exit}, Kind::Passed);
    else if (job.what == NativeJob::For::Recorded)
        add(std::array{job.common.joinPoint}, Kind::Passed);  // each warp's end is recorded
}

std::optional<ListedHandler> ListedHandlers::find(Handler handler) const
{
    const auto found = m_handlers.find(handler);
    return found == m_handlers.end() ? std::nullopt : std::optional(found->second);
}

Successors successorsOf(const NativeJob& job, const Instr& instr)
{
    const HandlerSet& handlers = *job.handlers;
    const Handler run = job.handlerOf(instr);
    Successors next;
    if (run == handlers.jump(false)) {
        next.targets = {reinterpret_cast<const Instr*>(instr.imm)};
        next.falls = false;
    } else if (run == handlers.switchLanes || run == job.common.anySwitch || run == job.common.scalarSwitch) {
        const auto& info = *reinterpret_cast<const SwitchInfo*>(instr.imm);
        next.targets = {info.fallback};
        for (const auto& [value, target] : info.cases)
            next.targets.push_back(target);
        next.falls = false;
    } else if (run == job.common.exit) {
        if (job.entry)
            next.targets = {job.entry};
        next.falls = false;
    } else {
        for (const Form form : {Form::Scalar, Form::Vector})
            for (const bool recording : {false, true})
                if (run == handlers.branch(form, recording)) {
                    const auto& info = *reinterpret_cast<const BranchInfo*>(instr.imm);
                    next.targets = {info.ifTrue, info.ifFalse};
                    next.falls = false;
                }
        if (isPair(job, instr))
            next.targets = successorsOf(job, (&instr)[1]).targets;
    }
    return next;
}

std::vector<Stretch> stretchesOf(const NativeJob& job, const ListedHandlers& handlers)
{
    Beginnings begins(job);
    for (size_t i = 0; i < job.count; ++i)
        for (const Instr* target : successorsOf(job, job.code[i]).targets)
            begins.mark(target);
    std::vector<Stretch> stretches;
    for (size_t i = 0; i < job.count;) {
        const size_t begin = i;
        bool ends = false;
        for (; i < job.count && !ends && i - begin < kLongest && (i == begin || !begins[i]); ++i) {
            const std::optional<ListedHandler> handler = handlers.find(job.own[i]);
            if (!handler)
                break;
            ends = handler->kind == ListedHandler::Kind::Terminator || job.own[i] == job.common.exit;
        }
        if (i - begin >= 2 || ends)
            stretches.push_back({begin, i});
        if (i == begin)
            i += fusedLength(job, job.code[i]);
    }
    return stretches;
}

namespace {

/// Which instructions lead to each that a stretch begins with.
class Predecessors {
public:
    Predecessors(const NativeJob& job, const std::vector<Stretch>& stretches) : m_of(job.count)
    {
        std::vector<bool> begins(job.count, false);
        for (const Stretch& stretch : stretches)
            begins[stretch.begin] = true;
        for (size_t i = 0; i < job.count; ++i) {
            if (i > 0 && isPair(job, job.code[i - 1]))
                continue;
            const Successors next = successorsOf(job, job.code[i]);
            if (next.falls && i + 1 < job.count && begins[i + 1])
                m_of[i + 1].push_back(i);
            for (const Instr* target : next.targets)
                if (target >= job.code && target < job.code + job.count)
                    m_of[static_cast<size_t>(target - job.code)].push_back(i);
        }
    }
    /// Whether nobody but ends of \p region leads to instruction \p index; callers lead to the first.
    [[nodiscard]] bool areIn(const Region& region, size_t index) const
    {
        return index != 0 && std::ranges::all_of(m_of[index], [&](size_t from) {
                   return std::ranges::any_of(region, [from](const Stretch& part) { return part.end - 1 == from; });
               });
    }

private:
    std::vector<std::vector<size_t>> m_of;
};

}  // namespace

std::vector<Region> regionsOf(const NativeJob& job, const std::vector<Stretch>& stretches)
{
    const Predecessors predecessors(job, stretches);
    std::vector<Region> regions;
    std::vector<bool> isTaken(stretches.size(), false);
    for (size_t head = 0; head < stretches.size(); ++head) {
        if (isTaken[head])
            continue;
        Region region{stretches[head]};
        size_t length = stretches[head].end - stretches[head].begin;
        for (bool grows = true; grows;) {
            grows = false;
            for (size_t i = head + 1; job.hasLongTurns && i < stretches.size(); ++i) {
                const size_t more = stretches[i].end - stretches[i].begin;
                if (isTaken[i] || length + more > kMostOfRegion || !predecessors.areIn(region, stretches[i].begin))
                    continue;
                region.push_back(stretches[i]);
                isTaken[i] = grows = true;
                length += more;
            }
        }
        if (length > 1)
            regions.push_back(std::move(region));
    }
    return regions;
}

}  // namespace lanescope::simt::native
