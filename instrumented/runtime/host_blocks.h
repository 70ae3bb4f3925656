// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of the host's heap by address. A program may take and free millions, from many threads: each is a look into a
// table that lies as the heap does, and that few others wait for.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include <sys/mman.h>

namespace lanescope::runtime {

/// Thread-safe. Of two blocks that begin less than 16 bytes apart, which no usual allocator gives out, it knows one.
class HostBlocks {
public:
    struct Block {
        uint64_t address = 0;
        size_t bytes = 0;              ///< asked for
        size_t usable = 0;             ///< as the allocator said
        const void* caller = nullptr;  ///< return address of the call that took it
    };

    /// In the place of any block that began there.
    void add(const Block& block)
    {
        const bool isLarge = std::max(block.bytes, block.usable) > kMostSmall;
        if (isLarge) {
            const std::scoped_lock lock(m_mutex);
            m_large[block.address] = block;
        }
        const Slot now{.kind = isLarge ? Slot::Kind::Large : Slot::Kind::Small,
                       .offset = static_cast<uint8_t>(block.address % kGranule),
                       .bytes = static_cast<uint16_t>(isLarge ? 0 : block.bytes),
                       .usable = static_cast<uint16_t>(isLarge ? 0 : block.usable),
                       .caller = block.caller};
        const Slot before = exchange(block.address, now, /*makesPage=*/true);
        if (before.kind == Slot::Kind::Large && !isLarge)
            removeLarge(block.address);
    }

    void remove(uint64_t address)
    {
        if (exchange(address, {}, /*makesPage=*/false).kind == Slot::Kind::Large)
            removeLarge(address);
    }

    /// The block that \p address is in.
    [[nodiscard]] std::optional<Block> at(uint64_t address)
    {
        if (const std::optional<Block> large = largeAt(address))
            return large;
        // Small ones do not overlap: that which begins next before it, or none.
        for (uint64_t page = address / kPage, last = page - std::min(page, kMostSmall / kPage); page >= last; --page) {
            Shard& shard = shardOf(page);
            const std::scoped_lock lock(shard.mutex);
            const Page* const table = shard.find(page);
            for (size_t i = page == address / kPage ? address % kPage / kGranule + 1 : kSlots; table && i-- > 0;) {
                const Slot& slot = (*table)[i];
                const uint64_t begin = page * kPage + i * kGranule + slot.offset;
                if (slot.kind != Slot::Kind::Small || begin > address)
                    continue;
                return address - begin < slot.bytes ? std::optional(Block{begin, slot.bytes, slot.usable, slot.caller})
                                                    : std::nullopt;
            }
            if (page == 0)
                break;
        }
        return std::nullopt;
    }

private:
    static constexpr uint64_t kMostSmall = 1 << 15, kPage = 1 << 12, kGranule = 16;
    static constexpr size_t kSlots = kPage / kGranule, kShards = 64;

    /// Of the block that begins in 16 bytes of the heap.
    struct Slot {
        enum class Kind : uint8_t { None, Small, Large /* one of m_large */ };
        Kind kind = Kind::None;
        uint8_t offset = 0;
        uint16_t bytes = 0;
        uint16_t usable = 0;
        const void* caller = nullptr;
    };
    static_assert(kMostSmall <= UINT16_MAX && sizeof(Slot) == 16);
    using Page = std::array<Slot, kSlots>;

    /// Pages of the heap, which stay once they had a block.
    struct alignas(64) Shard {
        std::mutex mutex;
        std::unordered_map<uint64_t, Page*> pages;
        // Who takes a block mostly takes it beside the last one.
        uint64_t lastNumber = UINT64_MAX;
        Page* last = nullptr;

        Page* find(uint64_t page)
        {
            if (page != lastNumber) {
                const auto found = pages.find(page);
                if (found == pages.end())
                    return nullptr;
                lastNumber = page;
                last = found->second;
            }
            return last;
        }
    };

    static uint64_t hashOf(uint64_t number) { return number * 0x9e3779b97f4a7c15U; }
    Shard& shardOf(uint64_t page) { return m_shards[hashOf(page) % (kShards << 32) >> 32]; }

    /// Puts \p now in the place of a block at \p address, and returns that one; without \p makesPage only where there
    /// is one.
    Slot exchange(uint64_t address, const Slot& now, bool makesPage)
    {
        const uint64_t number = address / kPage;
        Shard& shard = shardOf(number);
        const std::scoped_lock lock(shard.mutex);
        Page* page = shard.find(number);
        if (!page && makesPage)
            page = shard.pages[number] = newPage();
        if (!page)
            return {};
        Slot& slot = (*page)[address % kPage / kGranule];
        const bool isThere = slot.kind != Slot::Kind::None && slot.offset == address % kGranule;
        const Slot before = isThere ? slot : Slot{};
        if (isThere || makesPage)
            slot = now;
        return before;
    }

    /// Of memory beside the heap: in it, each would be on a page of the heap that has no blocks yet. That stays, as the
    /// process does. Null: there is none.
    Page* newPage()
    {
        constexpr size_t kTogether = 256;
        const std::scoped_lock lock(m_mutex);
        if (m_unusedPages == 0) {
            void* const memory =
                mmap(nullptr, kTogether * sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED)
                return nullptr;
            m_nextPage = static_cast<Page*>(memory);  // zeros, which are slots of nothing
            m_unusedPages = kTogether;
        }
        --m_unusedPages;
        return m_nextPage++;
    }

    std::optional<Block> largeAt(uint64_t address)
    {
        const std::scoped_lock lock(m_mutex);
        const auto next = m_large.upper_bound(address);
        if (next == m_large.begin())
            return std::nullopt;
        const Block& block = std::prev(next)->second;
        return address - block.address < block.bytes ? std::optional(block) : std::nullopt;
    }
    void removeLarge(uint64_t address)
    {
        const std::scoped_lock lock(m_mutex);
        m_large.erase(address);
    }

    std::array<Shard, kShards> m_shards;
    std::mutex m_mutex;  ///< guards what follows
    std::map<uint64_t, Block> m_large;
    Page* m_nextPage = nullptr;
    size_t m_unusedPages = 0;
};

}  // namespace lanescope::runtime
