// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/block_cursor.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace lanescope::replay {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

/// Steps that are decoded before the position, which can be taken back, and after it: 900 bytes each.
constexpr StepIndex kBefore = 1024;
constexpr StepIndex kAfter = 1024;
constexpr size_t kMostTape = size_t{8} << 20;
constexpr size_t kPooledGlobals = 2;
constexpr size_t kKeyframeBudget = size_t{256} << 20;

const BufferImage kNoImage;
const VariableImage kNoVariable;

Error limit(const char* what)
{
    return {Error::Code::Limit, what, {}};
}

bool overlaps(uint64_t offset, uint64_t bytes, uint64_t otherOffset, uint64_t otherBytes)
{
    return offset < otherOffset + otherBytes && otherOffset < offset + bytes;
}

}  // namespace

Result<std::shared_ptr<const BlockTimeline>> CursorPool::timelineOf(trace::TraceReader& reader, LaunchId launch,
                                                                    BlockIndex block, StepIndex steps)
{
    const Result<uint64_t> headers = reader.headersHash(launch, block, steps);
    if (!headers.ok())
        return headers.error();
    const bool isLast = m_lastLaunch == launch && m_lastHeaders == headers.value();
    if (m_last && isLast && m_last->summary().size() == steps)
        return m_last;
    Result<std::shared_ptr<const BlockTimeline>> built = BlockTimeline::build(reader, launch, block, steps);
    if (!built.ok())
        return built;
    m_last = built.value();
    m_lastLaunch = launch;
    m_lastHeaders = headers.value();
    return built;
}

ChunkedBlockCursor::ChunkedBlockCursor(trace::TraceReader& reader, LaunchId launch, BlockIndex block,
                                       WritesSource writes, std::shared_ptr<CursorPool> pool)
    : m_reader(reader), m_catalog(reader.catalog()), m_launch(launch), m_block(block), m_writes(std::move(writes)),
      m_unwritten([this](BufferId buffer) -> const BufferImage& { return m_globals->image(buffer, m_step); }),
      m_state(m_catalog, launch, block, m_unwritten), m_pool(std::move(pool))
{
    std::vector<std::unique_ptr<GlobalState>>& idle = m_pool->globals[launch];
    if (idle.empty()) {
        m_globals = std::make_unique<GlobalState>(reader, launch);
    } else {
        m_globals = std::move(idle.back());
        idle.pop_back();
    }
}

ChunkedBlockCursor::~ChunkedBlockCursor()
{
    if (std::vector<std::unique_ptr<GlobalState>>& idle = m_pool->globals[m_launch]; idle.size() < kPooledGlobals)
        idle.push_back(std::move(m_globals));
}

Result<std::unique_ptr<BlockCursor>> ChunkedBlockCursor::create(trace::TraceReader& reader, LaunchId launch,
                                                                BlockIndex block, WritesSource writes,
                                                                std::shared_ptr<CursorPool> pool)
{
    const Result<StepIndex> steps = reader.stepCount(launch, block);
    if (!steps.ok())
        return steps.error();
    const Result<StepIndex> shown = stepsShown(steps.value());
    if (!shown.ok())
        return shown.error();
    Result<std::vector<StepIndex>> starts = reader.chunkStarts(launch, block);
    if (!starts.ok())
        return starts.error();
    const Result<std::shared_ptr<const LaunchWrites>> known = writes();
    if (!known.ok())
        return known.error();
    std::unique_ptr<ChunkedBlockCursor> cursor(
        new ChunkedBlockCursor(reader, launch, block, std::move(writes), std::move(pool)));
    cursor->m_recorded = steps.value();
    cursor->m_steps = shown.value();
    cursor->m_chunkStarts = std::move(starts).value();
    cursor->m_globals->setWrites(known.value());
    cursor->m_keyframes.emplace(0, cursor->m_state);
    return std::unique_ptr<BlockCursor>(std::move(cursor));
}

size_t ChunkedBlockCursor::chunkOf(StepIndex step) const
{
    if (m_chunkStarts.empty())
        return 0;
    return static_cast<size_t>(std::upper_bound(m_chunkStarts.begin(), m_chunkStarts.end(), step) -
                               m_chunkStarts.begin()) -
           1;
}

StepIndex ChunkedBlockCursor::chunkEnd(size_t chunk) const
{
    return chunk + 1 < m_chunkStarts.size() ? m_chunkStarts[chunk + 1] : m_steps;
}

StepIndex ChunkedBlockCursor::beginWindow(trace::Chunk& window, StepIndex step) const
{
    const size_t chunk = chunkOf(std::min(step, m_steps - 1));
    const StepIndex end = std::min(step + kAfter, chunkEnd(chunk));
    window.firstStep = std::max(step - std::min(step, kBefore), m_chunkStarts[chunk]);
    window.events.clear();
    window.events.reserve(end - window.firstStep);
    return end;
}

Result<void> ChunkedBlockCursor::seek(StepIndex step)
{
    if (step > m_steps)
        return Error{Error::Code::Limit, fmt::format("step {}, expected at most {}", step, m_steps), {}};
    const bool isDecoded = m_step >= m_window.firstStep && step <= m_window.firstStep + m_window.events.size();
    if (step < m_step ? step < m_taped : step > m_step && !isDecoded)
        return runTo(step);
    for (; m_step < step; ++m_step)
        m_state.apply(m_step, m_window.events[m_step - m_window.firstStep], &m_tape);
    for (; m_step > step; --m_step)
        m_state.undo(m_tape);
    return {};
}

Result<void> ChunkedBlockCursor::runTo(StepIndex step)
{
    const StepIndex end = beginWindow(m_window, step);
    const auto keyframe = std::prev(m_keyframes.upper_bound(chunkOf(std::min(step, m_steps - 1))));
    const StepIndex known = m_chunkStarts[keyframe->first];
    const bool goesOn = m_step <= step && m_step >= known;
    if (!goesOn) {
        m_state = keyframe->second;
        m_step = known;
    }
    if (!goesOn || m_step < m_window.firstStep || m_tape.size() > kMostTape) {
        m_tape.clear();
        m_taped = m_step;
    }
    auto chunk = std::lower_bound(m_chunkStarts.begin(), m_chunkStarts.end(), m_step);
    const auto run = [&](StepIndex at, const Event& event) {
        const bool isIn = at >= m_window.firstStep;
        if (isIn)
            m_window.events.push_back(event);
        if (at < m_step || at >= step)
            return true;
        if (chunk != m_chunkStarts.end() && *chunk == at)
            keepKeyframe(static_cast<size_t>(chunk++ - m_chunkStarts.begin()));
        m_state.apply(at, event, isIn ? &m_tape : nullptr);
        m_step = at + 1;
        if (!isIn)
            m_taped = m_step;
        return true;
    };
    const StepIndex first = std::min(m_step, m_window.firstStep);
    // Of a damaged chunk, what comes before the damage has run.
    return m_reader.visit(m_launch, m_block, first, end, trace::Detail::Everything, run);
}

void ChunkedBlockCursor::keepKeyframe(size_t chunk)
{
    if (chunk % m_keyframeSpacing != 0 || m_keyframes.contains(chunk))
        return;
    m_keyframeMemory += m_state.memory();
    m_keyframes.emplace(chunk, m_state);
    if (m_keyframeMemory <= kKeyframeBudget)
        return;
    m_keyframeSpacing *= 2;
    m_keyframeMemory = 0;
    std::erase_if(m_keyframes, [&](const auto& entry) { return entry.first % m_keyframeSpacing != 0; });
    for (const auto& [number, state] : m_keyframes)
        m_keyframeMemory += state.memory();
}

Result<void> ChunkedBlockCursor::stepForward()
{
    if (m_step == m_steps)
        return limit("at the last step");
    return seek(m_step + 1);
}

Result<void> ChunkedBlockCursor::stepBackward()
{
    if (m_step == 0)
        return limit("at the first step");
    return seek(m_step - 1);
}

Result<Event> ChunkedBlockCursor::event(StepIndex step)
{
    if (step >= m_steps)
        return Error{Error::Code::Limit, fmt::format("step {}, expected less than {}", step, m_steps), {}};
    const auto isIn = [step](const trace::Chunk& window) { return step - window.firstStep < window.events.size(); };
    if (!isIn(m_window) && !isIn(m_elsewhere)) {
        const StepIndex end = beginWindow(m_elsewhere, step);
        const auto keep = [this](StepIndex /*at*/, const Event& of) {
            m_elsewhere.events.push_back(of);
            return true;
        };
        if (Result<void> done =
                m_reader.visit(m_launch, m_block, m_elsewhere.firstStep, end, trace::Detail::Everything, keep);
            !done.ok())
            return done.error();
        if (!isIn(m_elsewhere))
            return limit("the block ends early");
    }
    const trace::Chunk& window = isIn(m_window) ? m_window : m_elsewhere;
    Event event = window.events[step - window.firstStep];
    if (event.kind == SiteKind::Load && !event.valuesKnown && (step == m_step || step + 1 == m_step))
        deriveValues(event);
    if (event.kind == SiteKind::VariableWrite && !event.valuesKnown)
        deriveWritten(event, step);
    return event;
}

/// Known just before the write (computed) and just after it (held by the variable).
void ChunkedBlockCursor::deriveWritten(Event& event, StepIndex step)
{
    const trace::Site& site = m_catalog.sites[event.site.value];
    if (site.derivation.empty())
        return;
    if (step == m_step) {
        m_state.derive(event);
    } else if (step + 1 == m_step && site.variable) {
        event.value = m_state.variable(*site.variable, event.warp).value;
        event.valueBytes = static_cast<uint8_t>(bytesOfDerived(site));
        event.valuesKnown = true;
    }
}

/// A load changes nothing, so that the state before and after it hold the same value.
void ChunkedBlockCursor::deriveValues(Event& event)
{
    const uint64_t bytes = m_catalog.sites[event.site.value].type.totalBytes();
    if (bytes == 0 || bytes > 16 || !std::has_single_bit(bytes))
        return;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        const BufferId id = event.bufferOf(lane);
        if (id == kNoBuffer)
            return;
        const auto thread = static_cast<uint32_t>(event.warp * kWarpSize + lane);
        const bool isLocal = m_catalog.buffers[id.value].space == Space::Local;
        const BufferImage& image = isLocal ? localBuffer(id, thread) : buffer(id);
        if (event.offset[at] >= image.bytes.size() || bytes > image.bytes.size() - event.offset[at])
            return;
        std::memcpy(event.value[at].data(), image.bytes.data() + event.offset[at], bytes);
    }
    event.valueBytes = static_cast<uint8_t>(bytes);
    event.valuesKnown = true;
}

GlobalState& ChunkedBlockCursor::globals()
{
    // An error was reported by create() or by the refresh that found new writes; what is known stays.
    if (const Result<std::shared_ptr<const LaunchWrites>> known = m_writes(); known.ok())
        m_globals->setWrites(known.value());
    return *m_globals;
}

const BufferImage& ChunkedBlockCursor::buffer(BufferId buffer)
{
    if (buffer.value >= m_catalog.buffers.size())
        return kNoImage;
    const Space space = m_catalog.buffers[buffer.value].space;
    if (space == Space::Shared || space == Space::Local)
        return m_state.image(buffer, 0);
    return globals().image(buffer, m_step);
}

const BufferImage& ChunkedBlockCursor::localBuffer(BufferId buffer, uint32_t thread)
{
    if (buffer.value >= m_catalog.buffers.size() || m_catalog.buffers[buffer.value].space != Space::Local)
        return kNoImage;
    return m_state.image(buffer, thread);
}

std::vector<StepIndex> ChunkedBlockCursor::lastWrites(BufferId buffer, uint32_t thread, uint64_t element)
{
    if (buffer.value >= m_catalog.buffers.size() || element == 0)
        return {};
    const Space space = m_catalog.buffers[buffer.value].space;
    if (space != Space::Shared && space != Space::Local)
        return globals().lastWrites(buffer, m_step, element);
    const BufferImage& image = m_state.image(buffer, space == Space::Local ? thread : 0);
    std::vector<StepIndex> last(image.lastWrite.size() / element);
    for (size_t i = 0; i < last.size(); ++i)
        last[i] = image.lastWrite[i * element];
    return last;
}

const VariableImage& ChunkedBlockCursor::variable(VariableId variable, uint32_t warp)
{
    return variable.value < m_catalog.variables.size() ? m_state.variable(variable, warp) : kNoVariable;
}

Result<void> ChunkedBlockCursor::ensureTimeline()
{
    if (m_timeline)
        return {};
    Result<std::shared_ptr<const BlockTimeline>> timeline = m_pool->timelineOf(m_reader, m_launch, m_block, m_steps);
    if (!timeline.ok())
        return timeline.error();
    m_timeline = std::move(timeline).value();
    return {};
}

WarpImage ChunkedBlockCursor::warp(uint32_t warp)
{
    return ensureTimeline().ok() ? m_timeline->warp(warp, m_step, m_catalog) : WarpImage{};
}

uint64_t ChunkedBlockCursor::stateHash()
{
    Hasher hasher;
    hasher.add(m_step);
    m_state.addTo(hasher);
    globals().addTo(hasher, m_step);
    for (uint32_t w = 0; w < m_catalog.launches[m_launch.value].warpsPerBlock(); ++w) {
        const WarpImage image = warp(w);
        hasher.add(uint64_t{image.launched} << 32 | image.exited);
        hasher.add(uint64_t{image.epoch} << 32 | image.active);
        hasher.add(image.waiting ? 1 : 0);
        hasher.add(image.previous.value_or(UINT64_MAX));
        hasher.add(image.next.value_or(UINT64_MAX));
    }
    return hasher.value();
}

std::optional<StepIndex> ChunkedBlockCursor::nextLine(uint32_t warp)
{
    return ensureTimeline().ok() ? m_timeline->nextLine(warp, m_step) : std::nullopt;
}

std::optional<StepIndex> ChunkedBlockCursor::previousLine(uint32_t warp)
{
    return ensureTimeline().ok() ? m_timeline->previousLine(warp, m_step) : std::nullopt;
}

std::optional<StepIndex> ChunkedBlockCursor::nextAccess(uint32_t warp)
{
    return ensureTimeline().ok() ? m_timeline->nextAccess(warp, m_step) : std::nullopt;
}

std::optional<StepIndex> ChunkedBlockCursor::previousAccess(uint32_t warp)
{
    return ensureTimeline().ok() ? m_timeline->previousAccess(warp, m_step) : std::nullopt;
}

std::optional<StepIndex> ChunkedBlockCursor::nextEpoch()
{
    return ensureTimeline().ok() ? m_timeline->nextEpoch(m_step) : std::nullopt;
}

std::optional<StepIndex> ChunkedBlockCursor::previousEpoch()
{
    return ensureTimeline().ok() ? m_timeline->previousEpoch(m_step) : std::nullopt;
}

Result<std::shared_ptr<const std::vector<StepSummary>>> ChunkedBlockCursor::summary()
{
    if (Result<void> done = ensureTimeline(); !done.ok())
        return done.error();
    return std::shared_ptr<const std::vector<StepSummary>>(m_timeline, &m_timeline->summary());
}

Result<std::vector<CellAccess>> ChunkedBlockCursor::history(BufferId buffer, uint64_t byteOffset, uint64_t bytes,
                                                            size_t limit)
{
    std::vector<CellAccess> accesses;
    const Dim3 threads = m_catalog.launches[m_launch.value].block;
    const Result<void> done =
        m_reader.visit(m_launch, m_block, 0, m_steps, trace::Detail::Places, [&](StepIndex step, const Event& event) {
            if (!event.isAccess() || (event.laneBuffer.empty() && event.buffer != buffer))
                return true;
            const uint64_t width =
                event.valueBytes != 0 ? event.valueBytes : m_catalog.sites[event.site.value].type.totalBytes();
            for (LaneMask rest = event.mask; rest != 0 && accesses.size() < limit; rest &= rest - 1) {
                const int lane = std::countr_zero(rest);
                if (event.bufferOf(lane) != buffer ||
                    !overlaps(event.offset[static_cast<size_t>(lane)], width, byteOffset, bytes))
                    continue;
                const auto thread = uint64_t{event.warp} * kWarpSize + static_cast<uint64_t>(lane);
                accesses.push_back({step, positionOf(thread, threads), m_block, event.kind, event.site});
            }
            return accesses.size() < limit;
        });
    if (!done.ok())
        return done.error();
    return accesses;
}

}  // namespace lanescope::replay
