// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/phase_barriers.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/livelock.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/code/program.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {

namespace {

constexpr const char* kHelp = "give every phase its arrivals and its bytes: as many arrive as it was initialised for, "
                              "whoever fills a stage expects "
                              "just the bytes that are copied, whoever reads one arrives at its empty barrier "
                              "afterwards; and wait for the parity of "
                              "the phase that is meant";

}  // namespace

void PhaseBarrier::endPhaseIfComplete()
{
    if (pending != 0 || bytesCame != bytesExpected)
        return;
    ++phase;
    pending = expected;
    bytesExpected = bytesCame = 0;
    before |= arrived;
    arrived.reset();
}

void PhaseBarriers::note(PhaseOperation operation, uint64_t address, uint32_t amount, uint32_t thread,
                         uint32_t staticSite)
{
    const bool isOwn = thread < PhaseBarrier::kMostThreads;
    if (operation == PhaseOperation::Wait) {
        if (!isOwn)
            return;
        m_waits.resize(std::max<size_t>(m_waits.size(), thread + 1));
        m_waits[thread] = amount ? Wait{address, staticSite} : Wait{};
        return;
    }
    PhaseBarrier& barrier = m_all[address];
    barrier.isTouched = operation != PhaseOperation::Init;
    switch (operation) {
    case PhaseOperation::Init:
        barrier = PhaseBarrier();
        barrier.expected = barrier.pending = amount;
        barrier.state = PhaseBarrier::State::Valid;
        barrier.changedAt = staticSite;
        barrier.madeBy = thread;
        return;
    case PhaseOperation::Invalidate:
        barrier.state = PhaseBarrier::State::Invalidated;
        barrier.changedAt = staticSite;
        return;
    case PhaseOperation::Drop:
        barrier.expected -= std::min(barrier.expected, amount);
        [[fallthrough]];
    case PhaseOperation::Arrive:
        barrier.pending -= std::min(barrier.pending, amount);
        if (isOwn)
            barrier.arrived.set(thread);
        break;
    case PhaseOperation::Expect:
        barrier.bytesExpected += amount;
        return;
    case PhaseOperation::Came:
        barrier.bytesCame += amount;
        break;
    case PhaseOperation::Wait:
        return;
    }
    barrier.endPhaseIfComplete();
}

void PhaseBarriers::checkState(Warp& warp, int lane, PhaseOperation operation, uint64_t address, uint32_t staticSite)
{
    using State = PhaseBarrier::State;
    const auto found = m_all.find(addressInBlock(warp, address));
    const PhaseBarrier barrier = found == m_all.end() ? PhaseBarrier() : found->second;
    const uint32_t line = warp.block->program->sites[barrier.changedAt].where.line;
    const uint32_t thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
    const auto tell = [&](std::string message, const char* help) {
        reportProgramFault(warp, FindingKind::UninitialisedRead, staticSite, lane, std::move(message), help);
    };
    if (operation == PhaseOperation::Init) {
        const bool isAtOnce = !barrier.isTouched && barrier.changedAt == staticSite && barrier.madeBy != thread;
        if (barrier.state == State::Valid && !isAtOnce)
            tell(fmt::format("an mbarrier is initialised that is one already, since line {}", line),
                 "invalidate it first (mbarrier.inval), once nobody uses it any more: to initialise it again as it is "
                 "is undefined; its phases follow each other without that");
    } else if (barrier.state == State::Invalidated) {
        tell(fmt::format("an mbarrier is used after line {} has invalidated it", line),
             "let everybody be done with it before it is invalidated, or initialise it again (mbarrier.init)");
    } else if (barrier.state == State::NeverMade && operation == PhaseOperation::Invalidate) {
        tell("an mbarrier is invalidated that nobody has initialised",
             "initialise it first (mbarrier.init), or invalidate the one that was");
    }
}

void PhaseBarriers::checkObject(Warp& warp, int lane, PhaseOperation operation, uint64_t address, uint32_t staticSite)
{
    constexpr uint32_t kBytes = 8, kWord = 4;
    const ObjectEntry* object = objectOf(warp, address);
    const uint32_t offset = offsetIn(warp, address);
    const auto known = m_all.find(addressInBlock(warp, address));
    if (known == m_all.end() || !object || !object->races || !object->races->isShared() ||
        uint64_t{offset} + kBytes > object->bytes)
        return;
    for (uint32_t at = offset; at < offset + kBytes; at += kWord) {
        const Toucher writer = lastWriter(warp, *object, at);
        const uint32_t site = touchSite(writer.info);
        if (operation == PhaseOperation::Init)
            known->second.initSite = site;
        if (site == known->second.initSite || (writer.info & kTouchAtomic))
            continue;
        const trace::Site& store = warp.block->program->sites[site];
        reportProgramFault(warp, FindingKind::UninitialisedRead, staticSite, lane,
                           fmt::format("an mbarrier is used after line {} has written over it", store.where.line),
                           "keep other data off the barrier's eight bytes while it is used, or invalidate it "
                           "(mbarrier.inval) once nobody waits for it any more, and initialise it again behind");
        return;
    }
}

void PhaseBarriers::clear()
{
    m_all.clear();
    m_waits.clear();
}

namespace {

/// "full[1]", "state.stages[1].filled", "bytes[1024]"
std::string nameInside(const MemoryObject& object, uint64_t offset)
{
    const uint64_t size = std::max<uint64_t>(object.element.totalBytes(), 1);
    uint64_t index = offset / size;
    std::string subscripts;
    for (size_t i = object.dims.size(); i-- > 0;) {
        const uint64_t extent = std::max<uint64_t>(object.dims[i], 1);
        const bool isOne = object.dims.size() == 1 && extent == 1 && index == 0;
        if (!isOne)
            subscripts.insert(0, fmt::format("[{}]", i == 0 ? index : index % extent));
        index /= extent;
    }
    const auto part = std::ranges::find(object.parts, offset % size, &ObjectPart::offset);
    return object.name + subscripts + (part == object.parts.end() ? "" : "." + part->name);
}

/// Puts a hang into words.
class DeadlockText {
public:
    explicit DeadlockText(Block& block) : m_block(block), m_barriers(*block.checks->phaseBarriers) {}

    /// From one barrier to what it waits for, until it is told, or comes round. \p all: gets every barrier on the way.
    [[nodiscard]] std::string chainFrom(uint64_t address, std::set<uint64_t>& all)
    {
        std::string text = stateOf(address);
        std::set<uint64_t> told{address};
        for (std::optional<uint32_t> missing = missingAt(address); missing; missing = missingAt(address)) {
            text += fmt::format("; missing: {}, which ", threadName(*missing));
            const uint64_t next = m_barriers.waitOf(*missing).address;
            if (next == 0)
                return text + standing(*missing);
            text += fmt::format("waits in {} for ", standingPlace(*missing));
            if (!told.insert(next).second)
                return text + fmt::format("{}: they wait for each other", nameOf(next));
            text += stateOf(next);
            all.insert(next);
            address = next;
        }
        return text + stillToCome(address);
    }

    [[nodiscard]] std::string nameOf(uint64_t address) const;

private:
    /// "full[1], phase 3 (0 of 1 arrivals, 0 of 4096 bytes)"
    [[nodiscard]] std::string stateOf(uint64_t address) const
    {
        const auto found = m_barriers.all().find(address);
        if (found == m_barriers.all().end())
            return nameOf(address) + ", which nobody has initialised";
        const PhaseBarrier& barrier = found->second;
        std::string text = fmt::format("{}, phase {} ({} of {} arrivals", nameOf(address), barrier.phase,
                                       barrier.expected - barrier.pending, barrier.expected);
        if (barrier.bytesExpected != 0 || barrier.bytesCame != 0)
            text += fmt::format(", {} of {} bytes", barrier.bytesCame, barrier.bytesExpected);
        return text + ")";
    }

    /// Where all arrivals are there, or nobody can be named.
    [[nodiscard]] std::string stillToCome(uint64_t address) const
    {
        const auto found = m_barriers.all().find(address);
        if (found == m_barriers.all().end())
            return "";
        const PhaseBarrier& barrier = found->second;
        if (barrier.bytesCame > barrier.bytesExpected)
            return "; more bytes came than were expected";
        if (barrier.pending == 0)
            return "; no copy that is under way brings the rest";
        // As many of the block's threads as arrivals are still to come.
        if (threads() - barrier.arrived.count() == barrier.pending) {
            uint32_t first = 0;
            while (barrier.arrived[first])
                ++first;
            return fmt::format("; missing: {}{}, of all threads of the block", threadName(first),
                               barrier.pending > 1 ? fmt::format(" and {} more", barrier.pending - 1) : "");
        }
        return barrier.before.any() ? "" : "; nobody is left to arrive";
    }

    /// A thread that came in an earlier phase but not in this one, best one that waits for something itself; where
    /// nobody ever came, one that waits elsewhere. None when only bytes are missing, or nobody can be named.
    [[nodiscard]] std::optional<uint32_t> missingAt(uint64_t address) const
    {
        const auto found = m_barriers.all().find(address);
        if (found == m_barriers.all().end() || found->second.pending == 0)
            return std::nullopt;
        const PhaseBarrier& barrier = found->second;
        std::optional<uint32_t> missing;
        for (uint32_t thread = 0; thread < threads(); ++thread) {
            const uint64_t waitsFor = m_barriers.waitOf(thread).address;
            const bool mayCome = barrier.before.any() ? barrier.before[thread] : waitsFor != 0 && waitsFor != address;
            if (barrier.arrived[thread] || !mayCome)
                continue;
            if (waitsFor != 0 && waitsFor != address)
                return thread;
            if (!missing)
                missing = thread;
        }
        return missing;
    }

    [[nodiscard]] uint32_t threads() const
    {
        return static_cast<uint32_t>(std::min<uint64_t>(m_block.size.count(), PhaseBarrier::kMostThreads));
    }
    [[nodiscard]] std::string threadName(uint32_t thread) const
    {
        const Dim3 at = positionOf(thread, m_block.size);
        return fmt::format("thread ({},{},{})", at.x, at.y, at.z);
    }
    [[nodiscard]] std::string standingPlace(uint32_t thread) const
    {
        const std::string place = placeOfThread(m_block, thread);
        return place.empty() ? "an unknown line" : place;
    }
    [[nodiscard]] std::string standing(uint32_t thread) const
    {
        const std::string place = placeOfThread(m_block, thread);
        return place.empty() ? "has ended" : "is at " + place;
    }

    Block& m_block;
    const PhaseBarriers& m_barriers;
};

std::string DeadlockText::nameOf(uint64_t address) const
{
    const uint64_t slot = address >> 32;
    const auto offset = static_cast<uint32_t>(address);
    for (const MemoryObject& object : m_block.program->shared)
        if (object.slot == slot)
            return nameInside(object, offset);
    return fmt::format("the barrier at 0x{:x}", address);
}

}  // namespace

StopReason reportPhaseDeadlock(Block& block)
{
    if (!block.checks->phaseBarriers)
        return {};
    const PhaseBarriers& barriers = *block.checks->phaseBarriers;
    DeadlockText words(block);
    std::string text;
    std::set<uint64_t> told;
    std::set<uint64_t> onTheWay;  // who waits there is in the message already
    for (Warp& warp : block.warps)
        for (const Split& split : warp.splits)
            for (unsigned lane = 0; lane < kWarpSize; ++lane) {
                const uint32_t thread = uint32_t{warp.id} * kWarpSize + lane;
                const PhaseBarriers::Wait wait = barriers.waitOf(thread);
                if (!(split.mask >> lane & 1) || wait.address == 0)
                    continue;
                if (onTheWay.contains(wait.address) && !told.contains(wait.address))
                    continue;
                const bool isNew = told.insert(wait.address).second;
                const std::string message =
                    isNew ? fmt::format("threads wait for ever in {} for {}", placeOfThread(block, thread),
                                        words.chainFrom(wait.address, onTheWay))
                          : std::string();
                if (isNew && text.empty())
                    text = message;
                reportProgramFault(warp, FindingKind::BarrierDeadlock, wait.staticSite, static_cast<int>(lane), message,
                                   kHelp);
            }
    return text.empty() ? StopReason() : StopReason{FindingKind::BarrierDeadlock, text};
}

}  // namespace lanescope::simt
