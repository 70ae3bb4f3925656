// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/sync_order.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <utility>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/launch_group.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/state/cluster.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

// A party: a block and, in the low bits, one of its threads, its warps, or all of it; a launch's first block and its
// grid.
constexpr unsigned kPartyShift = 11;
constexpr uint64_t kFirstWarp = 1024;
constexpr uint64_t kWholeBlock = kFirstWarp + 1024 / kWarpSize;
constexpr uint64_t kWholeGrid = kWholeBlock + 1;

/// Log entries that a launch may cost: about a gigabyte of copying, and a tenth of that kept.
constexpr uint64_t kMaxSpent = uint64_t{1} << 25;
constexpr size_t kMaxFlags = size_t{1} << 20;

uint64_t partyOf(uint64_t block, uint64_t part)
{
    return block << kPartyShift | part;
}

uint32_t threadIn(const Warp& warp, int lane)
{
    return uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
}

/// What is known up to the time before a meeting; 0, that is nothing, when nobody has met yet.
uint32_t timeBefore(uint32_t meeting)
{
    return meeting == 0 ? 0 : meeting - 1;
}

}  // namespace

struct Knowledge::Log {
    struct Entry {
        uint64_t party;
        uint32_t time;
    };
    struct Known {
        uint32_t position;
        uint32_t time;
    };
    std::vector<Entry> entries;
    std::unordered_map<uint64_t, std::vector<Known>> index;  ///< by party, both ascending
    std::unordered_map<uint64_t, uint32_t> merged;           ///< how much of other logs, by their number
    uint64_t number = nextNumber();

    static uint64_t nextNumber()
    {
        static std::atomic<uint64_t> next = 0;
        return ++next;
    }
};

bool Knowledge::contains(uint64_t party, uint32_t time) const
{
    if (empty())
        return false;
    auto found = m_log->index.find(party);
    if (found == m_log->index.end())
        return false;
    auto known = std::lower_bound(found->second.begin(), found->second.end(), time,
                                  [](const Log::Known& entry, uint32_t t) { return entry.time < t; });
    return known != found->second.end() && known->position < m_size;
}

/// Makes this the only one that knows all of its log.
uint64_t Knowledge::makeRoom()
{
    if (!m_log) {
        m_log = std::make_shared<Log>();
        return 0;
    }
    if (m_size == m_log->entries.size())
        return 0;
    auto copy = std::make_shared<Log>();
    copy->entries.assign(m_log->entries.begin(), m_log->entries.begin() + m_size);
    for (uint32_t i = 0; i < m_size; ++i)
        copy->index[copy->entries[i].party].push_back({i, copy->entries[i].time});
    m_log = std::move(copy);
    return m_size;
}

uint64_t Knowledge::add(uint64_t party, uint32_t time)
{
    if (time == 0 || contains(party, time))
        return 0;
    uint64_t cost = makeRoom();
    m_log->index[party].push_back({m_size, time});
    m_log->entries.push_back({party, time});
    ++m_size;
    return cost + 1;
}

uint64_t Knowledge::merge(const Knowledge& other)
{
    if (other.empty())
        return 0;
    if (empty()) {
        *this = other;
        return 0;
    }
    if (m_log == other.m_log) {
        m_size = std::max(m_size, other.m_size);
        return 0;
    }
    const uint64_t number = other.m_log->number;
    if (m_size == m_log->entries.size())
        if (auto done = m_log->merged.find(number); done != m_log->merged.end() && done->second >= other.m_size)
            return 0;
    uint64_t cost = makeRoom();
    for (uint32_t i = m_log->merged[number]; i < other.m_size; ++i)
        cost += 1 + add(other.m_log->entries[i].party, other.m_log->entries[i].time);
    m_log->merged[number] = other.m_size;
    return cost;
}

void SyncOrder::spend(uint64_t entries)
{
    m_spent += entries;
    if (m_lost || (m_spent < kMaxSpent && m_flags.size() < kMaxFlags))
        return;
    m_lost = true;
    m_blocks.clear();
    m_ended.clear();
    m_flags.clear();
    m_unfenced.clear();
}

SyncOrder::FlagPlace SyncOrder::placeOf(const Block& block, uint64_t address)
{
    if (address >> 32 < kSharedSlot)
        return {address, UINT64_MAX};
    const Warp& warp = block.warps.front();
    return {addressInBlock(warp, address), ownerOf(warp, address).cellIndex};
}

SyncOrder::Thread& SyncOrder::threadOf(Warp& warp, int lane)
{
    BlockState& state = m_blocks[warp.block->cellIndex];
    uint32_t thread = threadIn(warp, lane);
    Thread& found = state.threads[thread];
    // Once, however often it polls.
    if (!std::exchange(found.changed, true))
        state.changed.push_back(thread);
    return found;
}

/// What \p lane has done, and what those it has met did before.
std::shared_ptr<SyncOrder::Released> SyncOrder::releasedBy(const Warp& warp, int lane)
{
    const Block& block = *warp.block;
    auto released = std::make_shared<Released>();
    released->time = block.checks->time;
    released->parties = {{partyOf(block.cellIndex, kWholeBlock), timeBefore(block.checks->epochStart)},
                         {partyOf(block.cellIndex, kFirstWarp + warp.id), timeBefore(warp.syncTime)},
                         {partyOf(block.cellIndex, threadIn(warp, lane)), block.checks->time}};
    if (const uint32_t gridMet = block.checks->gridMet)
        released->parties.emplace_back(partyOf(block.cellIndex - block.index, kWholeGrid), gridMet);
    if (const WarpOrder* met = block.checks->warpOrder.get())
        for (const Warp& other : block.warps)
            if (const uint32_t time = met->met[warp.id][other.id]; time > block.checks->epochStart)
                released->parties.emplace_back(partyOf(block.cellIndex, kFirstWarp + other.id), timeBefore(time));
    if (warp.laneOrder)
        for (int other = 0; other < kWarpSize; ++other)
            if (uint32_t met = warp.metSince(lane, static_cast<uint32_t>(other)); met > warp.syncTime && other != lane)
                released->parties.emplace_back(partyOf(block.cellIndex, threadIn(warp, other)), met - 1);
    return released;
}

void SyncOrder::fence(Warp& warp, LaneMask lanes, SyncScope scope)
{
    if (m_lost)
        return;
    BlockState& state = m_blocks[warp.block->cellIndex];
    const Group& group = state.warps[warp.id];
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        Thread& thread = threadOf(warp, lane);
        uint64_t cost = 0;
        for (size_t s = 0; s <= static_cast<size_t>(scope); ++s)
            cost += learn(thread, thread.known[s], s, warp.block->checks->time);
        spend(cost);
        if (m_lost)
            return;
        // A fence for the device is one for the block as well.
        for (size_t s = 0; s <= static_cast<size_t>(scope); ++s) {
            auto released = releasedBy(warp, lane);
            released->known = {thread.known[s], group.known[s],      state.all.known[s],
                               group.fenced[s], state.all.fenced[s], {}};
            thread.fenced[s] = std::move(released);
        }
        thread.fencedInEpoch |= scope == SyncScope::Device;
    }
    ++warp.block->checks->time;
}

uint64_t SyncOrder::publish(Knowledge& into, const Released& released)
{
    uint64_t cost = 0;
    for (const Knowledge& known : released.known)
        cost += into.merge(known);
    for (const auto& [party, time] : released.parties)
        cost += into.add(party, time);
    return cost;
}

/// What a plain write released becomes the beginning of what updates gather.
uint64_t SyncOrder::settle(Flag& flag, size_t scope)
{
    if (!flag.written[scope])
        return 0;
    return publish(flag.gathered[scope], *std::exchange(flag.written[scope], nullptr));
}

/// What \p thread has acquired is known from \p time on, and so are its locks fenced.
uint64_t SyncOrder::learn(Thread& thread, Knowledge& into, size_t scope, uint32_t time)
{
    for (Lock& lock : thread.locks)
        if (!lock.fenced[scope])
            lock.fenced[scope] = time;
    return into.merge(std::exchange(thread.acquired[scope], {}));
}

void SyncOrder::take(Warp& warp, int lane, uint64_t address, uint64_t free, bool compares)
{
    if (m_lost)
        return;
    constexpr size_t kMostLocks = 8;
    auto& locks = threadOf(warp, lane).locks;
    const FlagPlace place = placeOf(*warp.block, address);
    std::erase_if(locks, [&](const Lock& lock) { return lock.place == place; });
    if (locks.size() == kMostLocks)
        locks.erase(locks.begin());
    locks.push_back({place, free, compares, ++warp.block->checks->time});
}

void SyncOrder::giveBack(Warp& warp, int lane, uint64_t address, std::optional<uint64_t> value)
{
    auto block = m_blocks.find(warp.block->cellIndex);
    if (m_lost || block == m_blocks.end())
        return;
    auto thread = block->second.threads.find(threadIn(warp, lane));
    if (thread == block->second.threads.end())
        return;
    auto& locks = thread->second.locks;
    const FlagPlace place = placeOf(*warp.block, address);
    auto lock = std::find_if(locks.begin(), locks.end(), [&](const Lock& taken) { return taken.place == place; });
    if (lock == locks.end() || (value && *value != lock->free))
        return;
    Unfenced& unfenced = m_unfenced[place][partyOf(warp.block->cellIndex, thread->first)];
    unfenced.since = lock->since;
    for (size_t s = 0; s < kScopes; ++s)
        unfenced.until[s] = lock->fenced[s] ? lock->fenced[s] : warp.block->checks->time;
    locks.erase(lock);
    spend(1);
}

void SyncOrder::acquire(Warp& warp, int lane, uint64_t address, SyncScope scope)
{
    if (m_lost)
        return;
    auto found = m_flags.find(placeOf(*warp.block, address));
    if (found == m_flags.end())
        return;
    Thread& thread = threadOf(warp, lane);
    uint64_t cost = 0;
    for (size_t s = 0; s <= static_cast<size_t>(scope); ++s) {
        cost += settle(found->second, s);
        cost += thread.acquired[s].merge(found->second.gathered[s]);
    }
    spend(cost);
}

void SyncOrder::release(Warp& warp, int lane, uint64_t address, SyncScope scope, bool updates)
{
    if (m_lost)
        return;
    BlockState& state = m_blocks[warp.block->cellIndex];
    const Group& group = state.warps[warp.id];
    auto thread = state.threads.find(threadIn(warp, lane));
    const FlagPlace place = placeOf(*warp.block, address);
    if (!updates)
        m_flags.erase(place);
    uint64_t cost = 0;
    for (size_t s = 0; s <= static_cast<size_t>(scope); ++s) {
        ReleasedPtr released = thread == state.threads.end() ? nullptr : thread->second.fenced[s];
        // What a thread has read off one flag, another flag of its hands on, fence or not: counters that open a
        // barrier.
        const Knowledge acquired = thread == state.threads.end() ? Knowledge() : thread->second.acquired[s];
        const bool others = !group.fenced[s].empty() || !state.all.fenced[s].empty() || !acquired.empty();
        if (!released && !others)
            continue;
        if (others) {
            auto both = released ? std::make_shared<Released>(*released) : std::make_shared<Released>();
            both->known[3] = group.fenced[s];
            both->known[4] = state.all.fenced[s];
            both->known[5] = acquired;
            released = std::move(both);
        }
        Flag& flag = m_flags[place];
        if (updates)
            cost += settle(flag, s) + publish(flag.gathered[s], *released);
        else
            flag.written[s] = std::move(released);
    }
    spend(cost);
}

void SyncOrder::handOn(const Warp& warp, uint64_t address, uint64_t block, uint32_t thread, uint32_t time)
{
    if (m_lost)
        return;
    Flag& flag = m_flags[placeOf(*warp.block, address)];
    uint64_t cost = 0;
    for (size_t s = 0; s < kScopes; ++s)
        cost += settle(flag, s) + flag.gathered[s].add(partyOf(block, thread), time);
    spend(cost);
}

void SyncOrder::meetBlock(Block& block)
{
    auto found = m_blocks.find(block.cellIndex);
    if (m_lost || found == m_blocks.end())
        return;
    BlockState& state = found->second;
    uint64_t cost = 0;
    const bool everybody = std::count_if(state.threads.begin(), state.threads.end(), [](const auto& entry) {
                               return entry.second.fencedInEpoch;
                           }) >= std::ptrdiff_t{block.liveLanes};
    for (uint32_t id : state.changed) {
        Thread& thread = state.threads[id];
        for (size_t s = 0; s < kScopes; ++s) {
            cost += state.all.known[s].merge(thread.known[s]);
            cost += learn(thread, state.all.known[s], s, block.checks->time - 1);
            if (thread.fenced[s])
                for (const Knowledge& known : thread.fenced[s]->known)
                    cost += state.all.fenced[s].merge(known);
            if (thread.fenced[s] && !everybody)
                cost += publish(state.all.fenced[s], *thread.fenced[s]);
        }
    }
    if (everybody) {
        // One entry for each warp, whose lanes mostly fence together; each warp wrote and fenced at a time of its own.
        std::map<uint32_t, uint32_t> earliest;
        for (const auto& [id, thread] : state.threads)
            if (thread.fencedInEpoch) {
                auto [warp, isNew] = earliest.try_emplace(id / kWarpSize, thread.fenced[1]->time);
                warp->second = std::min(warp->second, thread.fenced[1]->time);
            }
        for (const auto& [warp, time] : earliest)
            for (Knowledge& fenced : state.all.fenced)
                cost += fenced.add(partyOf(block.cellIndex, kFirstWarp + warp), time);
        for (const auto& [id, thread] : state.threads)
            if (thread.fencedInEpoch && thread.fenced[1]->time > earliest[id / kWarpSize])
                for (Knowledge& fenced : state.all.fenced)
                    cost += fenced.add(partyOf(block.cellIndex, id), thread.fenced[1]->time);
    }
    for (auto& [id, thread] : state.threads)
        thread.fencedInEpoch = thread.changed = false;
    for (auto& [id, warp] : state.warps)
        for (size_t s = 0; s < kScopes; ++s) {
            cost += state.all.known[s].merge(warp.known[s]);
            cost += state.all.fenced[s].merge(warp.fenced[s]);
        }
    // What a block has learnt of others and then met over, it may hand on: barriers of the grid that one block runs for
    // all do so without another fence, and work. Its own writes it has to fence.
    for (size_t s = 0; s < kScopes; ++s)
        cost += state.all.fenced[s].merge(state.all.known[s]);
    state.changed.clear();
    spend(cost);
}

void SyncOrder::meetCluster(const Cluster& cluster, const Cluster::Times& times)
{
    if (m_lost)
        return;
    for (Block* block : cluster.blocks)
        if (!block->ended)
            meetBlock(*block);
    PerScope all;
    uint64_t cost = 0;
    for (size_t s = 0; s < kScopes && !m_lost; ++s)
        for (size_t rank = 0; rank < cluster.blocks.size(); ++rank) {
            const auto& ofWarps = times[rank];
            cost += all[s].merge(m_blocks[cluster.blocks[rank]->cellIndex].all.known[s]);
            cost += all[s].add(partyOf(cluster.blocks[rank]->cellIndex, kWholeBlock),
                               timeBefore(*std::max_element(ofWarps.begin(), ofWarps.end())));
        }
    for (const Block* block : cluster.blocks)
        for (size_t s = 0; s < kScopes && !m_lost && !block->ended; ++s) {
            Group& group = m_blocks[block->cellIndex].all;
            cost += group.known[s].merge(all[s]);
            cost += group.fenced[s].merge(all[s]);
        }
    spend(cost);
}

void SyncOrder::meetLanes(Warp& warp, LaneMask lanes)
{
    auto found = m_blocks.find(warp.block->cellIndex);
    if (m_lost || found == m_blocks.end())
        return;
    BlockState& state = found->second;
    uint64_t cost = 0;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        auto thread = state.threads.find(threadIn(warp, std::countr_zero(rest)));
        if (thread == state.threads.end())
            continue;
        Group& group = state.warps[warp.id];
        for (size_t s = 0; s < kScopes; ++s) {
            cost += group.known[s].merge(thread->second.known[s]);
            cost += learn(thread->second, group.known[s], s, warp.block->checks->time - 1);
            if (thread->second.fenced[s])
                cost += publish(group.fenced[s], *thread->second.fenced[s]);
        }
    }
    spend(cost);
}

/// What \p thread has acquired and fenced.
uint64_t SyncOrder::gather(Group& into, const Thread& thread)
{
    uint64_t cost = 0;
    for (size_t s = 0; s < kScopes; ++s) {
        cost += into.known[s].merge(thread.known[s]) + into.known[s].merge(thread.acquired[s]);
        if (thread.fenced[s])
            cost += publish(into.fenced[s], *thread.fenced[s]);
    }
    return cost;
}

void SyncOrder::meetWarps(const Block& block, const std::vector<uint32_t>& cameOnly,
                          const std::vector<uint32_t>& waited)
{
    const auto found = m_blocks.find(block.cellIndex);
    if (m_lost || found == m_blocks.end() || waited.empty())
        return;
    BlockState& state = found->second;
    Group& all = state.warps[waited.front()];
    uint64_t cost = 0;
    const auto merge = [&](Group& into, const Group& from) {
        for (size_t s = 0; s < kScopes; ++s)
            cost += into.known[s].merge(from.known[s]) + into.fenced[s].merge(from.fenced[s]);
    };
    for (const uint32_t warp : cameOnly) {
        for (const uint32_t id : state.changed)
            if (id / kWarpSize == warp)
                cost += gather(all, state.threads[id]);
        merge(all, state.warps[warp]);
    }
    for (const uint32_t warp : waited)
        if (warp != waited.front())
            merge(all, state.warps[warp]);
    // As where a whole block meets: what was learnt of others may be handed on.
    for (size_t s = 0; s < kScopes; ++s)
        cost += all.fenced[s].merge(all.known[s]);
    for (const uint32_t warp : waited)
        if (warp != waited.front())
            merge(state.warps[warp], all);
    spend(cost);
}

void SyncOrder::meetGrid(const std::vector<Block*>& blocks)
{
    PerScope all;
    uint64_t cost = 0;
    for (Block* block : blocks) {
        meetBlock(*block);
        for (size_t s = 0; s < kScopes && !m_lost; ++s)
            cost += all[s].merge(m_blocks[block->cellIndex].all.known[s]);
    }
    for (const Block* block : blocks)
        for (size_t s = 0; s < kScopes && !m_lost; ++s) {
            Group& group = m_blocks[block->cellIndex].all;
            cost += group.known[s].merge(all[s]) + group.fenced[s].merge(all[s]);
        }
    spend(cost);
}

void SyncOrder::beginBehind(const Block& block)
{
    uint64_t cost = 0;
    for (const auto& [first, ended] : m_ended)
        if (block.checks->peers->comesBefore(first))
            for (size_t s = 0; s < kScopes; ++s)
                cost += m_blocks[block.cellIndex].all.known[s].merge(ended[s]);
    spend(cost);
}

void SyncOrder::keepForLater(const Block& block)
{
    const auto found = m_blocks.find(block.cellIndex);
    if (m_lost || found == m_blocks.end())
        return;
    PerScope& ended = m_ended[block.checks->peers->own.first];
    uint64_t cost = 0;
    for (size_t s = 0; s < kScopes; ++s) {
        cost += ended[s].merge(found->second.all.known[s]);
        for (const auto& [id, warp] : found->second.warps)
            cost += ended[s].merge(warp.known[s]);
        for (const auto& [id, thread] : found->second.threads)
            cost += ended[s].merge(thread.known[s]) + ended[s].merge(thread.acquired[s]);
    }
    spend(cost);
}

void SyncOrder::forget(const Block& block)
{
    if (block.checks->peers)
        keepForLater(block);
    m_blocks.erase(block.cellIndex);
}

/// Whether \p party did what it did at \p time under a lock that \p self has now, without having fenced.
bool SyncOrder::hadUnfencedLock(const Thread& self, uint64_t party, uint32_t time, size_t scope) const
{
    return std::any_of(self.locks.begin(), self.locks.end(), [&](const Lock& lock) {
        auto known = m_unfenced.find(lock.place);
        if (known == m_unfenced.end())
            return false;
        auto unfenced = known->second.find(party);
        return unfenced != known->second.end() && time >= unfenced->second.since &&
               time <= unfenced->second.until[scope];
    });
}

Before SyncOrder::order(uint64_t block, uint32_t thread, uint32_t time, const Warp& warp, int lane,
                        bool isPlainRead) const
{
    if (m_lost)
        return Before::Yes;
    auto found = m_blocks.find(warp.block->cellIndex);
    if (found == m_blocks.end())
        return Before::No;
    const BlockState& state = found->second;
    const size_t scope = block == warp.block->cellIndex ? 0 : 1;
    const LaunchPeers* const peers = warp.block->checks->peers;
    const LaunchGroup::Member* const launch = peers ? peers->group->memberOf(block) : nullptr;
    const std::array<uint64_t, 4> parties{
        partyOf(block, thread), partyOf(block, kFirstWarp + thread / kWarpSize), partyOf(block, kWholeBlock),
        launch ? partyOf(launch->blocks.first, kWholeGrid) : partyOf(block, kWholeBlock)};
    auto knows = [&](const PerScope& known) {
        for (size_t s = scope; s < kScopes; ++s)
            for (uint64_t party : parties)
                if (known[s].contains(party, time))
                    return true;
        return false;
    };
    auto entry = state.threads.find(threadIn(warp, lane));
    const Thread* self = entry == state.threads.end() ? nullptr : &entry->second;
    auto group = state.warps.find(warp.id);
    if (knows(state.all.known) || (group != state.warps.end() && knows(group->second.known)) ||
        (self && knows(self->known)))
        return self && hadUnfencedLock(*self, parties[0], time, scope) ? Before::Unfenced : Before::Yes;
    if (!self || !knows(self->acquired))
        return Before::No;
    const bool hasUnfencedLock = std::any_of(self->locks.begin(), self->locks.end(),
                                             [&](const Lock& lock) { return lock.compares && !lock.fenced[scope]; });
    return isPlainRead || hasUnfencedLock ? Before::Unfenced : Before::Yes;
}

}  // namespace lanescope::simt
