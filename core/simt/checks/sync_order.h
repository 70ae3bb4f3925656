// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fences and flags order, for the race check: release and acquire.
//
// A thread that fences and then writes a flag (an atomic, a volatile store) releases all it has done and knows of
// before the fence; a thread that reads what was written there, and then fences or meets others, has acquired it.
// Barriers and __syncwarp hand on what their threads have acquired, and what they have fenced. A fence or atomic of
// block scope does so within its block only.
//
// Until it fences, a thread that has read the flag is told from one that has not: its plain reads may still come out of
// a cache, and a lock taken by compare-and-swap asks for its fence whatever is done under it (Before::Unfenced). Either
// side of a lock could have been the later one: when a thread had taken it and not yet fenced is remembered, too.
//
// Times are those of race_cells.h: a block's time moves on at each fence and lock, so that what a thread did before is
// told from what it does after it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/simt/code/operations.h"
#include "core/simt/state/block.h"
#include "core/simt/state/cluster.h"

namespace lanescope::simt {

/// Accesses that are known to come before: of each party (a thread, a warp, a block), all up to a time. Copies share
/// what they have in common: a log that only grows, of which each knows the beginning.
class Knowledge {
public:
    [[nodiscard]] bool empty() const { return m_size == 0; }
    /// Whether the accesses of \p party at \p time are known.
    [[nodiscard]] bool contains(uint64_t party, uint32_t time) const;
    /// Entries that had to be added or copied.
    uint64_t add(uint64_t party, uint32_t time);
    uint64_t merge(const Knowledge& other);

private:
    struct Log;
    uint64_t makeRoom();

    std::shared_ptr<Log> m_log;
    uint32_t m_size = 0;
};

/// Whether one access comes before another.
enum class Before : uint8_t {
    No,
    Unfenced,  ///< it would, had who took the lock or read the flag fenced then
    Yes
};

/// Of one launch with fences, whose blocks run on one host thread.
class SyncOrder {
public:
    /// \p lanes of \p warp execute a fence.
    void fence(Warp& warp, LaneMask lanes, SyncScope scope);
    /// A strong read (atomic, volatile) of the flag at \p address.
    void acquire(Warp& warp, int lane, uint64_t address, SyncScope scope);
    /// A strong write of it. \p updates: it read the flag as well, and so hands on what earlier writers released.
    void release(Warp& warp, int lane, uint64_t address, SyncScope scope, bool updates);
    /// What \p thread of \p block has done up to \p time is known to whom reads the flag at \p address from now on, as
    /// if it had released it there. The lane's address may name another block of the cluster.
    void handOn(const Warp& warp, uint64_t address, uint64_t block, uint32_t thread, uint32_t time);
    /// An atomic whose result decides a branch changed \p free to something else: perhaps it has taken a lock.
    /// \p compares: by compare-and-swap.
    void take(Warp& warp, int lane, uint64_t address, uint64_t free, bool compares);
    /// A strong write, of \p value where known: a lock that the lane has taken there may be free again.
    void giveBack(Warp& warp, int lane, uint64_t address, std::optional<uint64_t> value);
    /// All threads of \p block have met.
    void meetBlock(Block& block);
    void meetLanes(Warp& warp, LaneMask lanes);
    /// At a barrier of some warps, the numbers of which are given: those that \p waited there know what all that came
    /// knew; the lanes of each have met already.
    void meetWarps(const Block& block, const std::vector<uint32_t>& cameOnly, const std::vector<uint32_t>& waited);
    /// The threads of a cluster have met, what each did before \p times of its warps is known.
    void meetCluster(const Cluster& cluster, const Cluster::Times& times);
    /// The grid's \p blocks, of a launch beside others, have met: each knows what any knew of those.
    void meetGrid(const std::vector<Block*>& blocks);
    /// A block of a launch beside others begins: it knows what those knew that come before it.
    void beginBehind(const Block& block);
    /// \p block has ended; its number will not come again.
    void forget(const Block& block);

    /// Whether what \p thread of \p block did at \p time comes before what lane \p lane of \p warp does now;
    /// \p isPlainRead: neither volatile nor atomic.
    [[nodiscard]] Before order(uint64_t block, uint32_t thread, uint32_t time, const Warp& warp, int lane,
                               bool isPlainRead) const;

private:
    static constexpr size_t kScopes = 2;
    using PerScope = std::array<Knowledge, kScopes>;

    /// What a fence lets later writes of flags hand on.
    struct Released {
        /// By the thread, its warp, its block; fenced by its warp, its block; acquired by the thread.
        std::array<Knowledge, 6> known;
        /// Parties, and up to when they are known: the thread, those it has met.
        std::vector<std::pair<uint64_t, uint32_t>> parties;
        uint32_t time = 0;
    };
    using ReleasedPtr = std::shared_ptr<const Released>;
    struct Flag {
        std::array<ReleasedPtr, kScopes> written;  ///< by a plain strong write
        PerScope gathered;                         ///< by updates since
    };
    struct FlagPlace {
        uint64_t address;
        uint64_t block;  ///< of shared memory; UINT64_MAX otherwise
        bool operator==(const FlagPlace&) const = default;
    };
    struct FlagHash {
        size_t operator()(const FlagPlace& place) const
        {
            return (place.address ^ place.block * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull >> 7;
        }
    };
    using Times = std::array<uint32_t, kScopes>;
    struct Lock {
        FlagPlace place;
        uint64_t free = 0;  ///< what it holds while nobody has it
        bool compares = false;
        uint32_t since = 0;
        Times fenced{};  ///< when its thread fenced first; 0: not yet
    };
    /// When a thread had a lock and had not fenced, the last time.
    struct Unfenced {
        uint32_t since = 0;
        Times until{};
    };
    struct Thread {
        PerScope known;
        PerScope acquired;  ///< but not fenced yet
        std::array<ReleasedPtr, kScopes> fenced;
        std::vector<Lock> locks;
        bool fencedInEpoch = false;
        bool changed = false;  ///< it stands in BlockState::changed
    };
    struct Group {  ///< a warp or a block
        PerScope known;
        PerScope fenced;
    };
    struct BlockState {
        std::unordered_map<uint32_t, Thread> threads;
        std::unordered_map<uint32_t, Group> warps;
        Group all;
        std::vector<uint32_t> changed;  ///< threads that acquired or fenced since they last met
    };
    static FlagPlace placeOf(const Block& block, uint64_t address);
    Thread& threadOf(Warp& warp, int lane);
    static std::shared_ptr<Released> releasedBy(const Warp& warp, int lane);
    uint64_t publish(Knowledge& into, const Released& released);
    uint64_t settle(Flag& flag, size_t scope);
    uint64_t learn(Thread& thread, Knowledge& into, size_t scope, uint32_t time);
    uint64_t gather(Group& into, const Thread& thread);
    [[nodiscard]] bool hadUnfencedLock(const Thread& self, uint64_t party, uint32_t time, size_t scope) const;
    void keepForLater(const Block& block);
    void spend(uint64_t entries);

    std::unordered_map<uint64_t, BlockState> m_blocks;
    std::map<uint64_t, PerScope> m_ended;  ///< what launches beside others knew, by their first block
    std::unordered_map<FlagPlace, Flag, FlagHash> m_flags;
    std::unordered_map<FlagPlace, std::unordered_map<uint64_t, Unfenced>, FlagHash> m_unfenced;  ///< by lock and thread
    uint64_t m_spent = 0;
    bool m_lost = false;  ///< too much to remember: all is taken for ordered
};

}  // namespace lanescope::simt
