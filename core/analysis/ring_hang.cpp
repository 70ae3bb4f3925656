// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/ring_hang.h"

#include <algorithm>

namespace lanescope::analysis {

namespace {

constexpr size_t kMostNamed = 4;

/// Whether who is missing at \p from waits, by way of others, for who waits there.
bool comesRound(const std::map<uint32_t, RingHang>& hangs, uint32_t from)
{
    std::set<uint32_t> seen;
    std::vector<uint32_t> open{from};
    while (!open.empty()) {
        const auto hang = hangs.find(open.back());
        open.pop_back();
        if (hang == hangs.end())
            continue;
        for (const RingHang::Missing& missing : hang->second.missing) {
            if (missing.waitsFor == from)
                return true;
            if (missing.waitsFor && seen.insert(*missing.waitsFor).second)
                open.push_back(*missing.waitsFor);
        }
    }
    return false;
}

}  // namespace

/// As the check does it: threads that came in an earlier phase but not in this one; where nobody ever came, who waits
/// elsewhere, or all who have not come, if there are as many as arrivals still to come.
std::vector<uint32_t> HangFinder::missingAt(uint32_t barrier) const
{
    const BarrierThreads& own = m_threads[barrier];
    std::vector<uint32_t> missing, others;
    for (const RingHang::Missing& thread : m_all) {
        if (own.arrived.contains(thread.thread))
            continue;
        others.push_back(thread.thread);
        const bool waitsElsewhere = thread.waitsFor && *thread.waitsFor != barrier;
        if (own.before.empty() ? waitsElsewhere : own.before.contains(thread.thread))
            missing.push_back(thread.thread);
    }
    const RingBarrier& at = m_barriers[barrier];
    const bool areAll = own.before.empty() && others.size() == at.expected - std::min(at.expected, at.arrived);
    return missing.empty() && areAll ? others : missing;
}

std::map<uint32_t, RingHang> HangFinder::waits() const
{
    std::map<uint32_t, RingHang> hangs;
    for (const RingHang::Missing& thread : m_all) {
        if (!thread.waitsFor)
            continue;
        RingHang& hang = hangs[*thread.waitsFor];
        hang.barrier = *thread.waitsFor;
        const auto warp = static_cast<uint16_t>(thread.thread / kWarpSize);
        if (hang.waiting.empty())
            hang.where = thread.where;
        if (hang.waiting.empty() || hang.waiting.back() != warp)
            hang.waiting.push_back(warp);
    }
    return hangs;
}

std::vector<RingHang> HangFinder::find() const
{
    std::map<uint32_t, RingHang> hangs = waits();
    for (auto& [barrier, hang] : hangs) {
        const RingBarrier& at = m_barriers[barrier];
        hang.missingCount = at.expected - std::min(at.expected, at.arrived);
        for (const uint32_t thread : hang.missingCount > 0 ? missingAt(barrier) : std::vector<uint32_t>())
            if (hang.missing.size() < kMostNamed)
                hang.missing.push_back(m_all[thread]);
    }
    for (auto& [barrier, hang] : hangs)
        hang.isOnCycle = comesRound(hangs, barrier);
    std::vector<RingHang> all;
    for (const bool onCycle : {true, false})
        for (const auto& [barrier, hang] : hangs)
            if (hang.isOnCycle == onCycle)
                all.push_back(hang);
    return all;
}

}  // namespace lanescope::analysis
