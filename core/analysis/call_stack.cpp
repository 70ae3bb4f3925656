// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/call_stack.h"

#include <algorithm>
#include <optional>

namespace lanescope::analysis {

namespace {

constexpr StepIndex kSearch = 100'000;  ///< steps, each way

bool isSameLine(const trace::SourceLocation& a, const trace::SourceLocation& b)
{
    return a.source == b.source && a.line == b.line;
}

}  // namespace

CallGraph::CallGraph(const trace::Catalog& catalog) : m_catalog(catalog)
{
    for (const trace::Site& site : catalog.sites) {
        if (site.kind != trace::SiteKind::Call || site.expression.empty() || site.where.line == 0)
            continue;
        // A kernel's versions have sites of their own for one call.
        std::vector<Call>& calls = m_callsOf[site.expression];
        if (Call call{site.function, site.where}; std::ranges::find(calls, call) == calls.end())
            calls.push_back(std::move(call));
    }
}

/// The functions that \p kernel calls, at once or through others, and itself.
std::set<std::string> CallGraph::calledFrom(const std::string& kernel) const
{
    std::set<std::string> found{kernel};
    for (bool grows = true; grows;) {
        grows = false;
        for (const auto& [callee, calls] : m_callsOf)
            if (std::ranges::any_of(calls, [&](const Call& call) { return found.contains(call.caller); }))
                grows |= found.insert(callee).second;
    }
    return found;
}

/// What one thread ran before and after a step, from the inside outwards.
class CallGraph::Search {
public:
    Search(const trace::Catalog& catalog, std::span<const replay::StepSummary> steps, uint32_t warp, int lane,
           StepIndex step)
        : m_catalog(catalog), m_steps(steps), m_warp(warp), m_lane(lane),
          m_before(std::min<StepIndex>(step, steps.size())), m_after(m_before),
          m_first(m_before - std::min(m_before, kSearch)), m_last(std::min<StepIndex>(steps.size(), m_after + kSearch))
    {
    }

    /// Where the thread goes on; else where it was last.
    const trace::Site* here()
    {
        const trace::Site* const next = after([](const trace::Site&) { return true; });
        return next ? next : before([](const trace::Site&) { return true; });
    }

    template <typename Wanted>
    const trace::Site* before(const Wanted& wanted)
    {
        while (m_before > m_first)
            if (const trace::Site* site = own(--m_before); site && wanted(*site)) {
                ++m_before;  // it is looked at again for the next frame
                return site;
            }
        return nullptr;
    }

    template <typename Wanted>
    const trace::Site* after(const Wanted& wanted)
    {
        for (; m_after < m_last; ++m_after)
            if (const trace::Site* site = own(m_after); site && wanted(*site))
                return site;
        return nullptr;
    }

private:
    /// Of the step, when it is the thread's.
    [[nodiscard]] const trace::Site* own(StepIndex step) const
    {
        const replay::StepSummary& summary = m_steps[step];
        return summary.warp == m_warp && ((summary.mask >> m_lane) & 1) != 0 ? &m_catalog.sites[summary.site.value]
                                                                             : nullptr;
    }

    const trace::Catalog& m_catalog;
    std::span<const replay::StepSummary> m_steps;
    uint32_t m_warp;
    int m_lane;
    StepIndex m_before;  ///< one past what is looked at next
    StepIndex m_after;
    StepIndex m_first;
    StepIndex m_last;
};

namespace {

/// Of \p calls, those on the line that the caller goes on with; else on that which it came from; else all.
std::vector<trace::SourceLocation> likely(const std::vector<trace::SourceLocation>& calls, const trace::Site* before,
                                          const trace::Site* after)
{
    for (const trace::Site* neighbour : {after, before}) {
        std::vector<trace::SourceLocation> there;
        for (const trace::SourceLocation& call : calls)
            if (neighbour && isSameLine(call, neighbour->where))
                there.push_back(call);
        if (!there.empty())
            return there;
    }
    return calls;
}

}  // namespace

CallStack CallGraph::stackAt(const std::string& kernel, std::span<const replay::StepSummary> steps, uint32_t warp,
                             int lane, StepIndex step) const
{
    CallStack stack;
    Search search(m_catalog, steps, warp, lane, step);
    const trace::Site* const here = search.here();
    if (!here)
        return stack;
    const std::set<std::string> reachable = calledFrom(kernel);
    stack.frames.push_back({here->function, {here->where}});
    while (stack.frames.back().function != kernel) {
        const auto known = m_callsOf.find(stack.frames.back().function);
        if (known == m_callsOf.end())
            break;
        std::vector<Call> calls;
        for (const Call& call : known->second) {
            const bool isBack =
                std::ranges::find(stack.frames, call.caller, &CallFrame::function) != stack.frames.end();
            stack.recursive |= isBack;
            if (!isBack && reachable.contains(call.caller))
                calls.push_back(call);
        }
        const auto calling = [&](const trace::Site& site) {
            return std::ranges::find(calls, site.function, &Call::caller) != calls.end();
        };
        const trace::Site* const before = search.before(calling);
        const trace::Site* const after = search.after(calling);
        const trace::Site* const nearest = before ? before : after;
        if (calls.empty() || (!nearest && calls.size() > 1))
            break;
        const std::string caller = nearest ? nearest->function : calls.front().caller;
        std::vector<trace::SourceLocation> places;
        for (const Call& call : calls)
            if (call.caller == caller)
                places.push_back(call.where);
        const bool agree = !before || !after || before->function == after->function;
        stack.frames.push_back({caller, likely(places, before, agree ? after : nullptr), agree});
    }
    return stack;
}

}  // namespace lanescope::analysis
