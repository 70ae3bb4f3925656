// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/buffer_shape.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace lanescope::replay {

using trace::Event;

namespace {

/// Enough for the first accesses of 32 warps, and for the last ones, where results are stored.
constexpr StepIndex kEventsPerWindow = 8192;
constexpr size_t kExecutions = 3;
constexpr int64_t kUnknown = INT64_MIN;

/// Element index by linear thread, of one execution of one site by the whole block.
using Footprint = std::vector<int64_t>;

struct SiteUse {
    BufferId buffer;
    bool mixed = false;
    std::vector<size_t> executions;  ///< so far, by warp
    std::vector<Footprint> footprints;
};

/// The difference that most neighbours have, if two thirds of them agree (borders may be clamped).
std::optional<int64_t> commonStride(const Footprint& cells, Dim3 block, int axis)
{
    const uint64_t step = axis == 0 ? 1 : axis == 1 ? block.x : uint64_t{block.x} * block.y;
    std::map<int64_t, size_t> counts;
    size_t pairs = 0;
    for (uint64_t t = 0; t + step < cells.size(); ++t) {
        const Dim3 p = positionOf(t, block);
        const bool last = axis == 0 ? p.x + 1 == block.x : axis == 1 ? p.y + 1 == block.y : p.z + 1 == block.z;
        if (last || cells[t] == kUnknown || cells[t + step] == kUnknown)
            continue;
        ++counts[cells[t + step] - cells[t]];
        ++pairs;
    }
    for (const auto& [stride, count] : counts)
        if (3 * count >= 2 * pairs)
            return stride;
    return std::nullopt;
}

std::optional<int64_t> loopStride(const Footprint& first, const Footprint& second)
{
    std::optional<int64_t> stride;
    for (size_t t = 0; t < first.size(); ++t) {
        if (first[t] == kUnknown || second[t] == kUnknown)
            continue;
        if (stride && *stride != second[t] - first[t])
            return std::nullopt;
        stride = second[t] - first[t];
    }
    return stride;
}

class EvidenceCollector {
public:
    EvidenceCollector(const trace::Catalog& catalog, const trace::Launch& launch) : m_catalog(catalog), m_launch(launch)
    {
    }

    /// First: the first few executions of each site are kept, by number. Last: only the last one of each warp.
    enum class Window { First, Last };

    void begin(Window window)
    {
        m_uses.clear();
        m_window = window;
    }
    void add(const Event& event);
    void end();
    ShapeEvidence result();

private:
    [[nodiscard]] static bool isFlat(const trace::Buffer& buffer) { return buffer.dims.size() <= 1; }
    [[nodiscard]] uint64_t elementBytes(BufferId buffer) const;
    void noteElement(BufferId buffer, const trace::ValueType& type);
    void noteLanes(BufferId buffer, const Footprint& cells, uint64_t count);

    const trace::Catalog& m_catalog;
    const trace::Launch& m_launch;
    Window m_window = Window::First;
    std::map<SiteId, SiteUse> m_uses;
    /// Votes by buffer and dims: sites that speak for them; strong ones by threads, weak ones by loops.
    std::map<BufferId, std::map<std::vector<uint64_t>, std::set<SiteId>>> m_strong;
    std::map<BufferId, std::map<std::vector<uint64_t>, std::set<SiteId>>> m_weak;
    /// Of warps of one-dimensional blocks. What exchanges at growing distances looks like rows of growing widths: only
    /// where all agree is there a shape.
    std::map<BufferId, std::set<std::vector<uint64_t>>> m_byLanes;
    std::map<BufferId, trace::ValueType> m_elements;
    std::set<BufferId> m_elementsDiffer;
    std::set<BufferId> m_touched;
};

uint64_t EvidenceCollector::elementBytes(BufferId id) const
{
    const trace::Buffer& buffer = m_catalog.buffers[id.value];
    if (buffer.element.kind != trace::ScalarKind::Bytes && buffer.element.totalBytes() != 0)
        return buffer.element.totalBytes();
    const auto seen = m_elements.find(id);
    return seen != m_elements.end() ? std::max(1U, seen->second.totalBytes()) : 1;
}

void EvidenceCollector::noteElement(BufferId buffer, const trace::ValueType& type)
{
    const auto [at, isNew] = m_elements.try_emplace(buffer, type);
    if (!isNew && (at->second.kind != type.kind || at->second.totalBytes() != type.totalBytes()))
        m_elementsDiffer.insert(buffer);
}

void EvidenceCollector::add(const Event& event)
{
    if (!event.isAccess())
        return;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
        if (const BufferId id = event.bufferOf(std::countr_zero(rest)); id != kNoBuffer)
            m_touched.insert(id);
    if (event.buffer == kNoBuffer)
        return;
    noteElement(event.buffer, m_catalog.sites[event.site.value].type);
    if (!isFlat(m_catalog.buffers[event.buffer.value]))
        return;
    SiteUse& use = m_uses[event.site];
    if (use.executions.empty()) {
        use.buffer = event.buffer;
        use.executions.resize(m_launch.warpsPerBlock());
    }
    use.mixed = use.mixed || use.buffer != event.buffer;
    const size_t execution = m_window == Window::Last ? 0 : use.executions[event.warp]++;
    if (execution >= kExecutions || use.mixed)
        return;
    if (execution >= use.footprints.size())
        use.footprints.resize(execution + 1, Footprint(m_launch.threadsPerBlock(), kUnknown));
    const uint64_t bytes = elementBytes(event.buffer);
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        const size_t thread = size_t{event.warp} * kWarpSize + lane;
        if (thread < m_launch.threadsPerBlock())
            use.footprints[execution][thread] = static_cast<int64_t>(event.offset[lane] / bytes);
    }
}

void EvidenceCollector::end()
{
    for (const auto& [site, use] : m_uses) {
        if (use.mixed)
            continue;
        const uint64_t count = m_catalog.buffers[use.buffer.value].bytes / elementBytes(use.buffer);
        for (size_t i = 0; i < use.footprints.size(); ++i) {
            const Footprint& cells = use.footprints[i];
            noteLanes(use.buffer, cells, count);
            ThreadStrides strides{commonStride(cells, m_launch.block, 0), commonStride(cells, m_launch.block, 1),
                                  commonStride(cells, m_launch.block, 2), std::nullopt};
            if (auto dims = dimsFromStrides(strides, count, m_launch.grid, m_launch.block); !dims.empty())
                m_strong[use.buffer][dims].insert(site);
            if (i == 0)
                continue;
            strides.loop = loopStride(use.footprints[i - 1], cells);
            if (auto dims = dimsFromStrides(strides, count, m_launch.grid, m_launch.block); !dims.empty())
                m_weak[use.buffer][dims].insert(site);
        }
    }
}

void EvidenceCollector::noteLanes(BufferId buffer, const Footprint& cells, uint64_t count)
{
    if (m_launch.block.y > 1 || m_launch.block.z > 1)
        return;
    for (size_t warp = 0; warp + kWarpSize <= cells.size(); warp += kWarpSize)
        if (auto dims = dimsFromLanes(std::span(cells).subspan(warp, kWarpSize), count); !dims.empty())
            m_byLanes[buffer].insert(std::move(dims));
}

ShapeEvidence EvidenceCollector::result()
{
    ShapeEvidence evidence;
    evidence.touched = m_touched;
    // Strong evidence first; of several shapes the one with most sites, and none when two have as many.
    for (const auto* votes : {&m_strong, &m_weak}) {
        for (const auto& [buffer, shapes] : *votes) {
            if (evidence.dims.contains(buffer))
                continue;
            size_t most = 0;
            size_t second = 0;
            const std::vector<uint64_t>* best = nullptr;
            for (const auto& [dims, sites] : shapes) {
                if (sites.size() > most) {
                    second = most;
                    most = sites.size();
                    best = &dims;
                } else {
                    second = std::max(second, sites.size());
                }
            }
            if (most > second)
                evidence.dims[buffer] = *best;
        }
    }
    for (const auto& [buffer, shapes] : m_byLanes)
        if (shapes.size() == 1 && !evidence.dims.contains(buffer))
            evidence.dims[buffer] = *shapes.begin();
    for (const auto& [buffer, type] : m_elements)
        if (!m_elementsDiffer.contains(buffer))
            evidence.elements[buffer] = type;
    return evidence;
}

/// {rows, width}, or {planes, rows, width} when \p plane says so; empty when that does not fill the buffer.
std::vector<uint64_t> shape(uint64_t count, uint64_t width, uint64_t plane)
{
    if (width <= 1 || count % width != 0 || count / width <= 1)
        return {};
    if (plane > width && plane % width == 0 && count % plane == 0 && count / plane > 1)
        return {count / plane, plane / width, width};
    return {count / width, width};
}

}  // namespace

std::vector<uint64_t> dimsFromStrides(const ThreadStrides& strides, uint64_t count, Dim3 grid, Dim3 block)
{
    if (block.y <= 1)
        return {};
    const auto x = static_cast<uint64_t>(std::llabs(strides.x.value_or(0)));
    const auto y = static_cast<uint64_t>(std::llabs(strides.y.value_or(0)));
    const auto z = static_cast<uint64_t>(std::llabs(strides.z.value_or(0)));
    if (y > 1 && x * (block.x - 1) < y) {
        // Threads numbered through, in blocks one after the other: a flat array.
        if (x == 1 && y == block.x && grid.x > 1)
            return {};
        return shape(count, y, z);
    }
    if (x > 1 && y * (block.y - 1) < x)  // column-major use: threads of one column are neighbours
        return shape(count, x, z);
    const auto loop = static_cast<uint64_t>(std::llabs(strides.loop.value_or(0)));
    if (x == 1 && strides.y == 0 && loop > block.x)  // b[k * width + column]
        return shape(count, loop, 0);
    return {};
}

std::vector<uint64_t> dimsFromLanes(std::span<const int64_t> cells, uint64_t count)
{
    const auto lanes = static_cast<int64_t>(cells.size());
    if (lanes < 4 || std::ranges::find(cells, kUnknown) != cells.end())
        return {};
    const int64_t near = cells[1] - cells[0];
    // Lanes of a group: up to the first that is elsewhere than the ones before let expect.
    int64_t group = 2;
    while (group < lanes && cells[static_cast<size_t>(group)] == cells[0] + group * near)
        ++group;
    if (near == 0 || group == lanes || lanes % group != 0)
        return {};
    const int64_t far = cells[static_cast<size_t>(group)] - cells[0];
    for (int64_t lane = 0; lane < lanes; ++lane)
        if (cells[static_cast<size_t>(lane)] != cells[0] + lane % group * near + lane / group * far)
            return {};
    if (near > 0 && far > (group - 1) * near)
        return shape(count, static_cast<uint64_t>(far), 0);
    if (far > 0 && near > (lanes / group - 1) * far)
        return shape(count, static_cast<uint64_t>(near), 0);
    return {};
}

Result<ShapeEvidence> gatherShapes(trace::TraceReader& reader, LaunchId launch)
{
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch);
    if (!blocks.ok())
        return blocks.error();
    EvidenceCollector collector(reader.catalog(), reader.catalog().launches[launch.value]);
    const size_t count = blocks.value().size();
    std::set<size_t> sample;
    if (count != 0)
        sample = {0, count / 2, count - 1};
    for (const size_t index : sample) {
        const BlockIndex block = blocks.value()[index];
        const Result<StepIndex> steps = reader.stepCount(launch, block);
        if (!steps.ok())
            return steps.error();
        const auto look = [&](EvidenceCollector::Window window, StepIndex first, StepIndex last) {
            collector.begin(window);
            Result<void> done =
                reader.visit(launch, block, first, last, trace::Detail::Places, [&](StepIndex, const Event& event) {
                    collector.add(event);
                    return true;
                });
            collector.end();
            return done;
        };
        const StepIndex tail = steps.value() - std::min(steps.value(), kEventsPerWindow);
        Result<void> done = look(EvidenceCollector::Window::First, 0, kEventsPerWindow);
        if (done.ok() && tail > 0)
            done = look(EvidenceCollector::Window::Last, tail, steps.value());
        if (!done.ok())
            return done.error();
    }
    return collector.result();
}

}  // namespace lanescope::replay
