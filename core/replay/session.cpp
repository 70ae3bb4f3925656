// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/replay/block_cursor.h"
#include "core/replay/block_timeline.h"
#include "core/replay/buffer_shape.h"
#include "core/replay/focus_text.h"
#include "core/replay/replay.h"

namespace lanescope::replay {

using trace::Buffer;
using trace::SiteKind;
using trace::Space;

namespace {

Error notThere(std::string message, const std::string& path = {})
{
    return {Error::Code::NotFound, std::move(message), path};
}

class TraceSession final : public Session {
public:
    explicit TraceSession(std::unique_ptr<trace::TraceReader> reader) : m_reader(std::move(reader)) {}

    [[nodiscard]] const trace::Catalog& catalog() const override { return m_reader->catalog(); }
    [[nodiscard]] trace::TraceReader& reader() override { return *m_reader; }
    Result<bool> refresh() override;
    Result<std::unique_ptr<BlockCursor>> cursor(LaunchId launch, BlockIndex block) override;
    Result<std::shared_ptr<const std::vector<StepSummary>>> summary(LaunchId launch, BlockIndex block) override;
    Result<std::vector<Buffer>> buffersOf(LaunchId launch) override;
    Result<Focus> parseFocus(const std::string& text, const Focus& base) override;
    Result<Focus> openingFocus() override;

private:
    Result<std::shared_ptr<const LaunchWrites>> writesOf(LaunchId launch);
    Result<void> checkLaunch(LaunchId launch) const;
    /// Those that are shown.
    Result<StepIndex> stepCount(LaunchId launch, BlockIndex block);
    Result<StepIndex> stepOfEpoch(LaunchId launch, BlockIndex block, uint32_t epoch);
    Result<std::set<BufferId>> buffersUsed(LaunchId launch, const ShapeEvidence& evidence);
    /// The first access of one block near the middle of the launch's grid that \p wanted accepts.
    template <typename Wanted>
    Result<std::optional<Focus>> firstAccess(const trace::Launch& launch, Wanted wanted);

    std::unique_ptr<trace::TraceReader> m_reader;
    std::map<LaunchId, std::shared_ptr<const LaunchWrites>> m_writes;
    std::map<LaunchId, std::vector<Buffer>> m_buffers;
    std::shared_ptr<CursorPool> m_pool = std::make_shared<CursorPool>();
};

Result<void> TraceSession::checkLaunch(LaunchId launch) const
{
    const size_t count = catalog().launches.size();
    if (launch.value >= count)
        return notThere(count == 0 ? "the trace has no launches"
                                   : fmt::format("launch {}, expected 0 to {}", launch.value, count - 1));
    return {};
}

Result<bool> TraceSession::refresh()
{
    // What ended before can only have gained launches after it; what was under way is looked at anew.
    std::vector<LaunchId> open;
    for (const trace::Launch& launch : catalog().launches)
        if (!launch.complete)
            open.push_back(launch.id);
    Result<bool> news = m_reader->refresh();
    if (!news.ok() || !news.value())
        return news;
    for (const LaunchId launch : open) {
        m_writes.erase(launch);
        m_buffers.erase(launch);
    }
    return true;
}

Result<std::shared_ptr<const LaunchWrites>> TraceSession::writesOf(LaunchId launch)
{
    if (const auto known = m_writes.find(launch); known != m_writes.end())
        return known->second;
    Result<std::shared_ptr<const LaunchWrites>> loaded = LaunchWrites::load(*m_reader, launch);
    if (loaded.ok())
        m_writes[launch] = loaded.value();
    return loaded;
}

Result<std::unique_ptr<BlockCursor>> TraceSession::cursor(LaunchId launch, BlockIndex block)
{
    if (Result<void> known = checkLaunch(launch); !known.ok())
        return known.error();
    return ChunkedBlockCursor::create(*m_reader, launch, block, [this, launch] { return writesOf(launch); }, m_pool);
}

Result<StepIndex> TraceSession::stepCount(LaunchId launch, BlockIndex block)
{
    const Result<StepIndex> recorded = m_reader->stepCount(launch, block);
    return recorded.ok() ? stepsShown(recorded.value()) : recorded;
}

Result<std::shared_ptr<const std::vector<StepSummary>>> TraceSession::summary(LaunchId launch, BlockIndex block)
{
    const Result<StepIndex> steps = stepCount(launch, block);
    if (!steps.ok())
        return steps.error();
    Result<std::shared_ptr<const BlockTimeline>> timeline = m_pool->timelineOf(*m_reader, launch, block, steps.value());
    if (!timeline.ok())
        return timeline.error();
    return std::shared_ptr<const std::vector<StepSummary>>(timeline.value(), &timeline.value()->summary());
}

Result<std::set<BufferId>> TraceSession::buffersUsed(LaunchId launch, const ShapeEvidence& evidence)
{
    Result<std::vector<BufferId>> touched = m_reader->touchedBuffers(launch);
    if (!touched.ok())
        return touched.error();
    std::set<BufferId> used(touched.value().begin(), touched.value().end());
    used.insert(evidence.touched.begin(), evidence.touched.end());
    for (const trace::LaunchArgument& argument : catalog().launches[launch.value].arguments)
        if (argument.buffer)
            used.insert(*argument.buffer);
    return used;
}

Result<std::vector<Buffer>> TraceSession::buffersOf(LaunchId launch)
{
    if (Result<void> known = checkLaunch(launch); !known.ok())
        return known.error();
    if (const auto known = m_buffers.find(launch); known != m_buffers.end())
        return known->second;
    const Result<ShapeEvidence> evidence = gatherShapes(*m_reader, launch);
    if (!evidence.ok())
        return evidence.error();
    const Result<std::set<BufferId>> used = buffersUsed(launch, evidence.value());
    if (!used.ok())
        return used.error();
    std::vector<Buffer> buffers;
    for (Buffer buffer : catalog().buffers) {
        const bool blockOwned = buffer.space == Space::Shared || buffer.space == Space::Local;
        if (blockOwned ? buffer.launch != launch : !used.value().contains(buffer.id))
            continue;
        const auto element = evidence.value().elements.find(buffer.id);
        if (buffer.element.kind == trace::ScalarKind::Bytes && element != evidence.value().elements.end())
            buffer.element = element->second;
        const auto dims = evidence.value().dims.find(buffer.id);
        if (buffer.dims.size() <= 1)
            buffer.dims = dims != evidence.value().dims.end()
                              ? dims->second
                              : std::vector<uint64_t>{buffer.bytes / std::max(1U, buffer.element.totalBytes())};
        buffers.push_back(std::move(buffer));
    }
    m_buffers[launch] = buffers;
    return buffers;
}

/// Where the block's epoch becomes \p epoch.
Result<StepIndex> TraceSession::stepOfEpoch(LaunchId launch, BlockIndex block, uint32_t epoch)
{
    Result<std::unique_ptr<BlockCursor>> opened = cursor(launch, block);
    if (!opened.ok())
        return opened.error();
    BlockCursor& at = *opened.value();
    for (uint32_t passed = 0; passed < epoch; ++passed) {
        const std::optional<StepIndex> next = at.nextEpoch();
        if (!next)
            return notThere(fmt::format("focus: epoch {}, expected at most {}", epoch, passed));
        if (Result<void> moved = at.seek(*next); !moved.ok())
            return moved.error();
    }
    return at.step();
}

Result<Focus> TraceSession::parseFocus(const std::string& text, const Focus& base)
{
    const Result<FocusParts> parsed = parseFocusParts(text);
    if (!parsed.ok())
        return parsed.error();
    const FocusParts& parts = parsed.value();
    Focus focus = base;
    focus.launch = parts.launch.value_or(base.launch);
    if (Result<void> known = checkLaunch(focus.launch); !known.ok())
        return known.error();
    const trace::Launch& launch = catalog().launches[focus.launch.value];
    const auto inside = [](Dim3 p, Dim3 box) { return p.x < box.x && p.y < box.y && p.z < box.z; };
    const auto outside = [](const char* what, Dim3 p, Dim3 box) {
        return notThere(fmt::format("focus: {} ({},{},{}), expected one inside ({},{},{})", what, p.x, p.y, p.z, box.x,
                                    box.y, box.z));
    };
    focus.block = parts.block.value_or(inside(base.block, launch.grid) ? base.block : Dim3{0, 0, 0});
    focus.thread = parts.thread.value_or(inside(base.thread, launch.block) ? base.thread : Dim3{0, 0, 0});
    if (!inside(focus.block, launch.grid))
        return outside("block", focus.block, launch.grid);
    if (!inside(focus.thread, launch.block))
        return outside("thread", focus.thread, launch.block);
    const Result<StepIndex> steps = stepCount(focus.launch, BlockIndex{linearIndex(focus.block, launch.grid)});
    if (!steps.ok())
        return steps.error();
    if (parts.epoch) {
        const Result<StepIndex> step =
            stepOfEpoch(focus.launch, BlockIndex{linearIndex(focus.block, launch.grid)}, *parts.epoch);
        if (!step.ok())
            return step.error();
        focus.step = step.value();
    } else if (parts.step && parts.step->percent)
        focus.step =
            static_cast<StepIndex>(std::llround(*parts.step->percent / 100 * static_cast<double>(steps.value())));
    else if (parts.step && parts.step->number > steps.value())
        return notThere(fmt::format("focus: step {}, expected at most {}", parts.step->number, steps.value()));
    else
        focus.step = std::min(parts.step ? parts.step->number : base.step, steps.value());
    if (parts.buffer && parts.buffer->value >= catalog().buffers.size())
        return notThere(
            fmt::format("focus: buffer {}, expected one of {}", parts.buffer->value, catalog().buffers.size()));
    if (parts.buffer)
        focus.buffer = parts.buffer;
    focus.cell = parts.cell.value_or(parts.buffer ? 0 : base.cell);
    return focus;
}

/// The recorded block closest to the middle of the grid.
BlockIndex middleBlock(const std::vector<BlockIndex>& blocks, Dim3 grid)
{
    const Dim3 middle{grid.x / 2, grid.y / 2, grid.z / 2};
    const auto distance = [&](BlockIndex b) {
        const Dim3 p = positionOf(b.value, grid);
        const auto apart = [](uint32_t u, uint32_t v) { return uint64_t{u > v ? u - v : v - u}; };
        return apart(p.x, middle.x) + apart(p.y, middle.y) + apart(p.z, middle.z);
    };
    return *std::min_element(blocks.begin(), blocks.end(),
                             [&](BlockIndex a, BlockIndex b) { return distance(a) < distance(b); });
}

template <typename Wanted>
Result<std::optional<Focus>> TraceSession::firstAccess(const trace::Launch& launch, Wanted wanted)
{
    const Result<std::vector<BlockIndex>> blocks = m_reader->blocks(launch.id);
    if (!blocks.ok())
        return blocks.error();
    std::optional<Focus> found;
    if (blocks.value().empty())
        return found;
    const BlockIndex block = middleBlock(blocks.value(), launch.grid);
    const Result<void> done = m_reader->visit(
        launch.id, block, 0, UINT64_MAX, trace::Detail::Headers, [&](StepIndex step, const trace::Event& event) {
            if (!event.isAccess() || event.mask == 0 || !wanted(event))
                return true;
            const auto thread = uint64_t{event.warp} * kWarpSize + static_cast<uint64_t>(std::countr_zero(event.mask));
            found =
                Focus{launch.id, positionOf(block.value, launch.grid), step, positionOf(thread, launch.block), {}, 0};
            return false;
        });
    if (!done.ok())
        return done.error();
    return found;
}

Result<Focus> TraceSession::openingFocus()
{
    const auto isSharedLoad = [&](const trace::Event& event) {
        const BufferId buffer = event.bufferOf(std::countr_zero(event.mask));
        return event.kind == SiteKind::Load && buffer != kNoBuffer &&
               catalog().buffers[buffer.value].space == Space::Shared;
    };
    std::optional<Focus> any;
    for (const trace::Launch& launch : catalog().launches) {
        const bool hasShared =
            std::any_of(catalog().buffers.begin(), catalog().buffers.end(), [&](const Buffer& buffer) {
                return buffer.space == Space::Shared && (!buffer.launch || *buffer.launch == launch.id);
            });
        if (hasShared) {
            Result<std::optional<Focus>> focus = firstAccess(launch, isSharedLoad);
            if (!focus.ok())
                return focus.error();
            if (focus.value())
                return *focus.value();
        }
        if (!any) {
            Result<std::optional<Focus>> focus = firstAccess(launch, [](const trace::Event&) { return true; });
            if (!focus.ok())
                return focus.error();
            any = focus.value();
        }
    }
    return any.value_or(Focus{});
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const std::string& path)
{
    Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(path);
    if (!reader.ok())
        return reader.error();
    return std::unique_ptr<Session>(std::make_unique<TraceSession>(std::move(reader).value()));
}

}  // namespace lanescope::replay
