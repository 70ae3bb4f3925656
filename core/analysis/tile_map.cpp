// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/tile_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <queue>
#include <span>

#include "core/device/gpu_model.h"

namespace lanescope::analysis {

using trace::Event;

namespace {

/// By block, the steps of writes to one buffer, ascending.
using WriteSteps = std::map<uint64_t, std::vector<StepIndex>>;

/// Steps at which a block begins another tile: behind pauses that are long beside the others. Where each pause is long,
/// each write is a tile.
std::vector<StepIndex> tileStarts(const std::vector<StepIndex>& steps)
{
    constexpr StepIndex kShort = 16;
    std::vector<StepIndex> starts{steps.front()};
    if (steps.size() < 2)
        return starts;
    std::vector<StepIndex> pauses;
    for (size_t i = 1; i < steps.size(); ++i)
        pauses.push_back(steps[i] - steps[i - 1]);
    std::vector<StepIndex> sorted = pauses;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    const StepIndex median = sorted[sorted.size() / 2];
    const StepIndex longest = std::ranges::max(pauses);
    const StepIndex least = longest > std::max<StepIndex>(8 * median, kShort) ? longest / 4
                            : median > 4 * kShort                             ? median / 4
                                                                              : longest;
    for (size_t i = 0; i < pauses.size(); ++i)
        if (pauses[i] > least)
            starts.push_back(steps[i + 1]);
    return starts;
}

class MapBuilder {
public:
    MapBuilder(const trace::Buffer& buffer, const WriteSteps& writes)
        : m_buffer(buffer), m_element(std::max<uint32_t>(buffer.element.totalBytes(), 1))
    {
        m_map.buffer = buffer.id;
        m_map.cols = buffer.dims.empty() ? buffer.bytes / m_element : std::max<uint64_t>(buffer.dims.back(), 1);
        m_map.rows = std::max<uint64_t>(1, buffer.bytes / m_element / m_map.cols);
        m_map.pictureRows = static_cast<uint32_t>(std::min(m_map.rows, TileMap::kMostPixels));
        m_map.pictureCols = static_cast<uint32_t>(std::min(m_map.cols, TileMap::kMostPixels));
        m_map.picture.resize(size_t{m_map.pictureRows} * m_map.pictureCols);
        for (const auto& [block, steps] : writes) {
            Starts& starts = m_starts[block];
            starts.steps = tileStarts(steps);
            starts.first = m_map.tiles.size();
            for (uint32_t order = 0; order < starts.steps.size(); ++order) {
                TileWrite tile;
                tile.block = BlockIndex{block};
                tile.order = order;
                tile.first = starts.steps[order];
                tile.firstRow = tile.firstCol = UINT64_MAX;
                m_map.tiles.push_back(tile);
            }
        }
    }

    void add(BlockIndex block, StepIndex step, const Event& event)
    {
        std::array<uint64_t, kWarpSize> offsets{};
        size_t lanes = 0;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            if (const int lane = std::countr_zero(rest); event.bufferOf(lane) == m_buffer.id)
                offsets[lanes++] = event.offset[static_cast<size_t>(lane)];
        add(block, step, std::span<const uint64_t>(offsets).first(lanes), event.valueBytes);
    }

    /// \p offsets: bytes, of the lanes that write \p bytes each.
    template <typename Offset>
    void add(BlockIndex block, StepIndex step, std::span<const Offset> offsets, uint64_t bytes)
    {
        if (offsets.empty())
            return;
        const Starts& starts = m_starts.at(block.value);
        const auto behind = std::ranges::upper_bound(starts.steps, step);
        const size_t tile = starts.first + static_cast<size_t>(behind - starts.steps.begin()) - 1;
        m_map.tiles[tile].last = std::max(m_map.tiles[tile].last, step);
        const uint64_t each = std::max<uint64_t>(1, bytes / m_element);
        for (size_t i = 0; i < offsets.size();) {
            // Lanes mostly write cells that lie side by side.
            const uint64_t first = offsets[i] / m_element;
            uint64_t end = first + each;
            while (++i < offsets.size() && offsets[i] == end * m_element)
                end += each;
            addCells(tile, first, end);
        }
    }

    /// \p slots: that the GPU has for blocks of this kind.
    TileMap finish(const std::vector<std::pair<BlockIndex, StepIndex>>& blocks, uint64_t slots)
    {
        for (const auto& [block, steps] : blocks)
            m_map.blocks.push_back({block, steps, 0, 0, {}});
        for (uint32_t i = 0; i < m_map.tiles.size(); ++i) {
            const auto of = std::ranges::lower_bound(m_map.blocks, m_map.tiles[i].block, {}, &BlockWork::block);
            if (of != m_map.blocks.end() && of->block == m_map.tiles[i].block)
                of->tiles.push_back(i);
        }
        handOut(slots);
        return std::move(m_map);
    }

private:
    struct Starts {
        std::vector<StepIndex> steps;
        size_t first = 0;  ///< in TileMap::tiles
    };

    /// Elements [first, end).
    void addCells(size_t index, uint64_t first, uint64_t end)
    {
        TileWrite& tile = m_map.tiles[index];
        uint64_t row = first / m_map.cols, col = first % m_map.cols;
        for (; first < end && row < m_map.rows; ++row, col = 0) {
            const uint64_t count = std::min(end - first, m_map.cols - col);
            first += count;
            tile.firstRow = std::min(tile.firstRow, row);
            tile.endRow = std::max(tile.endRow, row + 1);
            tile.firstCol = std::min(tile.firstCol, col);
            tile.endCol = std::max(tile.endCol, col + count);
            tile.cells += count;
            const auto pixelOf = [&](uint64_t at) { return at * m_map.pictureCols / m_map.cols; };
            uint32_t* const pixels =
                m_map.picture.data() + row * m_map.pictureRows / m_map.rows * uint64_t{m_map.pictureCols};
            std::fill(pixels + pixelOf(col), pixels + pixelOf(col + count - 1) + 1, static_cast<uint32_t>(index + 1));
        }
    }

    void handOut(uint64_t slots)
    {
        using Free = std::pair<uint64_t, uint32_t>;  // when, slot
        std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
        m_map.places = static_cast<uint32_t>(std::min<uint64_t>(m_map.blocks.size(), slots));
        for (uint32_t slot = 0; slot < m_map.places; ++slot)
            free.emplace(0, slot);
        uint64_t work = 0;
        for (BlockWork& block : m_map.blocks) {
            const auto [when, slot] = free.top();
            free.pop();
            block.slot = slot;
            block.start = when;
            free.emplace(when + block.steps, slot);
            m_map.length = std::max(m_map.length, when + block.steps);
            work += block.steps;
        }
        m_map.idle = m_map.length * m_map.places - work;
    }

    trace::Buffer m_buffer;
    uint64_t m_element;
    std::map<uint64_t, Starts> m_starts;  ///< by block
    TileMap m_map;
};

/// Blocks of the launch that the GPU holds at a time.
uint64_t slotsFor(const trace::Launch& launch, const std::vector<trace::Buffer>& buffers)
{
    uint64_t shared = 0;
    for (const trace::Buffer& buffer : buffers)
        if (buffer.space == trace::Space::Shared)
            shared = std::max(shared, buffer.sharedOffset + buffer.bytes);
    return uint64_t{device::kMultiprocessors} *
           static_cast<uint64_t>(std::max(1, device::blocksPerMultiprocessor(launch.block.count(), shared)));
}

struct Written {
    uint64_t lanes = 0;
    WriteSteps steps;
};

/// Writes as they were decoded, so that they need not be once more: of launches with few of them.
class KeptWrites {
public:
    void add(BlockIndex block, StepIndex step, const Event& event)
    {
        constexpr size_t kMost = size_t{1} << 22;  // offsets: 16 MB
        if (!m_hasAll)
            return;
        m_hasAll = event.laneBuffer.empty() && m_offsets.size() + kWarpSize <= kMost;
        const auto begin = static_cast<uint32_t>(m_offsets.size());
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const uint64_t offset = event.offset[static_cast<size_t>(std::countr_zero(rest))];
            m_hasAll = m_hasAll && offset <= UINT32_MAX;
            m_offsets.push_back(static_cast<uint32_t>(offset));
        }
        m_writes.push_back(
            {block, step, event.buffer, event.valueBytes, begin, static_cast<uint32_t>(m_offsets.size())});
    }
    [[nodiscard]] bool hasAll() const { return m_hasAll; }

    void give(MapBuilder& builder, BufferId buffer) const
    {
        for (const Write& write : m_writes)
            if (write.buffer == buffer)
                builder.add(write.block, write.step, std::span(m_offsets).subspan(write.begin, write.end - write.begin),
                            write.bytes);
    }

private:
    struct Write {
        BlockIndex block;
        StepIndex step = 0;
        BufferId buffer;
        uint32_t bytes = 0;  ///< of each lane
        uint32_t begin = 0;  ///< in m_offsets
        uint32_t end = 0;
    };
    std::vector<Write> m_writes;
    std::vector<uint32_t> m_offsets;
    bool m_hasAll = true;
};

}  // namespace

Result<TileMap> traceTileMap(replay::Session& session, LaunchId launch, std::optional<BufferId> buffer,
                             const WarpNumbers& warps)
{
    trace::TraceReader& reader = session.reader();
    std::map<BufferId, Written> written;
    KeptWrites kept;
    const auto note = [&](BlockIndex block, StepIndex step, const Event& event) {
        if (!isAmong(warps, event.warp))
            return;
        kept.add(block, step, event);
        const auto noteLanes = [&](BufferId id, LaneMask lanes) {
            if (id == kNoBuffer)
                return;
            Written& of = written[id];
            of.lanes += static_cast<uint64_t>(std::popcount(lanes));
            // Blocks come one after the other.
            std::vector<StepIndex>& steps = of.steps.try_emplace(of.steps.end(), block.value)->second;
            if (steps.empty() || steps.back() != step)
                steps.push_back(step);
        };
        if (event.laneBuffer.empty())
            return noteLanes(event.buffer, event.mask);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            noteLanes(event.bufferOf(std::countr_zero(rest)), rest & -rest);
    };
    if (Result<void> read = reader.visitGlobalWrites(launch, note); !read.ok())
        return read.error();
    if (buffer && !written.contains(*buffer))
        buffer.reset();
    if (!buffer && !written.empty())
        buffer = std::ranges::max_element(written, {}, [](const auto& of) { return of.second.lanes; })->first;
    if (!buffer)
        return TileMap{};
    auto buffers = session.buffersOf(launch);
    if (!buffers)
        return buffers.error();
    std::set<BufferId> all;
    for (const auto& [id, of] : written)
        all.insert(id);
    const auto chosen = std::ranges::find(buffers.value(), *buffer, &trace::Buffer::id);
    if (chosen == buffers.value().end()) {
        TileMap none;
        none.written = std::move(all);
        return none;
    }
    MapBuilder builder(*chosen, written[*buffer].steps);
    const auto add = [&](BlockIndex block, StepIndex step, const Event& event) {
        if (isAmong(warps, event.warp) && written[*buffer].steps.contains(block.value))
            builder.add(block, step, event);
    };
    if (kept.hasAll())
        kept.give(builder, *buffer);
    else if (Result<void> read = reader.visitGlobalWrites(launch, add); !read.ok())
        return read.error();
    const auto recorded = reader.blocks(launch);
    if (!recorded)
        return recorded.error();
    std::vector<std::pair<BlockIndex, StepIndex>> blocks;
    for (const BlockIndex block : recorded.value()) {
        const auto steps = reader.stepCount(launch, block);
        if (!steps)
            return steps.error();
        blocks.emplace_back(block, steps.value());
    }
    std::ranges::sort(blocks);
    TileMap map = builder.finish(blocks, slotsFor(session.catalog().launches[launch.value], buffers.value()));
    map.written = std::move(all);
    return map;
}

}  // namespace lanescope::analysis
