// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/native/basic_blocks.h"

#include <algorithm>

namespace lanescope::simt::native {
namespace {

/// Instructions of a stretch. LLVM takes more than in proportion for long ones, and there is little to gain in them.
constexpr size_t kLongest = 64;

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

void markTargets(const Instr& instr, const NativeJob& job, Beginnings& begins)
{
    const HandlerSet& handlers = *job.handlers;
    const Handler run = instr.run;
    if (run == handlers.jump(false))
        return begins.mark(reinterpret_cast<const Instr*>(instr.imm));
    if (run == handlers.switchLanes || run == job.common.anySwitch || run == job.common.scalarSwitch) {
        const auto& info = *reinterpret_cast<const SwitchInfo*>(instr.imm);
        for (const auto& [value, target] : info.cases)
            begins.mark(target);
        return begins.mark(info.fallback);
    }
    for (const Form form : {Form::Scalar, Form::Vector})
        for (const bool recording : {false, true})
            if (run == handlers.branch(form, recording)) {
                const auto& info = *reinterpret_cast<const BranchInfo*>(instr.imm);
                begins.mark(info.ifTrue);
                begins.mark(info.ifFalse);
            }
}

/// How many instructions the handler of \p instr may run, if it is a fused one.
size_t fusedLength(const Instr& instr, const FusedHandlers& fused)
{
    if (fused.row && instr.run == fused.row)
        return reinterpret_cast<const MemoryInfo*>(instr.imm)->row->length;
    return fused.loaded && instr.run == fused.loaded ? FusedHandlers::kLength : 1;
}

}  // namespace

ListedHandlers::ListedHandlers(const HandlerLists& lists)
{
    using Kind = ListedHandler::Kind;
    const auto add = [&](std::span<const Handler> list, Kind kind) {
        for (size_t i = 0; i < list.size(); ++i)
            m_handlers.try_emplace(list[i], ListedHandler{kind, i});
    };
    add(lists.plain, Kind::Plain);
    add(lists.accesses, Kind::Access);
    add(lists.terminators, Kind::Terminator);
}

std::optional<ListedHandler> ListedHandlers::find(Handler handler) const
{
    const auto found = m_handlers.find(handler);
    return found == m_handlers.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Stretch> stretchesOf(const NativeJob& job, const ListedHandlers& handlers)
{
    Beginnings begins(job);
    for (size_t i = 0; i < job.count; ++i)
        markTargets(job.code[i], job, begins);
    std::vector<Stretch> stretches;
    for (size_t i = 0; i < job.count;) {
        const size_t begin = i;
        bool ends = false;
        for (; i < job.count && !ends && i - begin < kLongest && (i == begin || !begins[i]); ++i) {
            const std::optional<ListedHandler> handler = handlers.find(job.code[i].run);
            if (!handler)
                break;
            ends = handler->kind == ListedHandler::Kind::Terminator;
        }
        if (i - begin >= 2)
            stretches.push_back({begin, i});
        if (i == begin)
            i += fusedLength(job.code[i], job.handlers->fused);
    }
    return stretches;
}

}  // namespace lanescope::simt::native
