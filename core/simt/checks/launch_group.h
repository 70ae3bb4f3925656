// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that are under way side by side, since one of them waits for what others do. To the race check they are one
// launch: their blocks are numbered one behind the other, share its times, and what fences and flags order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/device/judge.h"

namespace lanescope::simt {

class SyncOrder;

/// Blocks as race cells number them, half-open.
struct BlockRange {
    uint32_t first = 0;
    uint32_t end = 0;
    [[nodiscard]] bool contains(uint64_t block) const { return block >= first && block < end; }
};

class LaunchGroup {
public:
    struct Member {
        LaunchId id;
        BlockRange blocks;
        const void* owner = nullptr;  ///< whose sites they are
        device::EarlierLaunch told;
        bool underWay = true;
    };

    /// \p startTime: of the race check; the first member's blocks have met since, if it is later than where that began.
    /// \p order: that it has; never null.
    LaunchGroup(uint32_t startTime, std::shared_ptr<SyncOrder> order)
        : m_startTime(startTime), m_endTime(startTime), m_order(std::move(order))
    {
    }

    [[nodiscard]] uint32_t startTime() const { return m_startTime; }
    [[nodiscard]] uint32_t endTime() const { return m_endTime; }
    [[nodiscard]] const std::shared_ptr<SyncOrder>& order() const { return m_order; }
    /// What orders the members is not known any more: nothing is a race between them.
    [[nodiscard]] bool isLost() const { return m_lost; }
    void lose() { m_lost = true; }

    /// Numbers for \p count blocks, the first member's from 0 on.
    BlockRange join(LaunchId id, uint64_t count, const void* owner, device::EarlierLaunch told);
    void end(const BlockRange& blocks, uint32_t endTime);
    [[nodiscard]] bool isUnderWay() const { return std::ranges::any_of(m_members, &Member::underWay); }
    /// Null: numbers that are not known any more.
    [[nodiscard]] const Member* memberOf(uint64_t block) const;
    /// What findings tell of a member; none: it is not known any more.
    [[nodiscard]] std::optional<device::EarlierLaunch> toldOf(LaunchId id) const;
    /// Those that have ended and, as \p comesBefore says, come before; null: all that have ended do.
    [[nodiscard]] std::vector<BlockRange> endedOf(const std::function<bool(LaunchId)>& comesBefore) const;
    /// \p owner is no more.
    void forget(const void* owner);

private:
    void startOver();

    uint32_t m_startTime;
    uint32_t m_endTime;
    uint32_t m_nextBlock = 0;
    bool m_lost = false;
    std::shared_ptr<SyncOrder> m_order;
    std::vector<Member> m_members;  ///< ascending by blocks
};

/// What a launch of a group knows of the others.
struct LaunchPeers {
    std::shared_ptr<LaunchGroup> group;
    BlockRange own;
    std::vector<BlockRange> before;  ///< that ended before it began, as streams and waits of the host order them

    /// Of a block of another launch.
    [[nodiscard]] bool comesBefore(uint64_t block) const
    {
        const auto contains = [block](const BlockRange& range) { return range.contains(block); };
        return !own.contains(block) && (group->isLost() || std::ranges::any_of(before, contains));
    }
};

}  // namespace lanescope::simt
