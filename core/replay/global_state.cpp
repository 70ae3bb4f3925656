// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/global_state.h"

#include <algorithm>
#include <bit>

namespace lanescope::replay {

namespace {

using Run = LaunchWrites::Run;
using OfBuffer = LaunchWrites::OfBuffer;

/// What is kept of overwritten bytes, at most: enough for what all blocks of a large grid write in one step.
constexpr uint64_t kTapeBytes = uint64_t{2} << 20;

/// The part of \p run that is inside an image of \p bytes.
uint64_t insideOf(const Run& run, uint64_t bytes)
{
    return run.offset >= bytes ? 0 : std::min<uint64_t>(run.count, bytes - run.offset);
}

/// Bytes of the bitmap that say whether the run's first \p count bytes are initialised.
size_t bitmapBytes(const Run& run, uint64_t count)
{
    return count == 0 ? 0 : (run.offset + count + 7) / 8 - run.offset / 8;
}

/// How many of \p writes lie before \p step.
size_t runsBefore(const OfBuffer& writes, StepIndex step)
{
    return static_cast<size_t>(
        std::partition_point(writes.runs.begin(), writes.runs.end(), [&](const Run& run) { return run.step < step; }) -
        writes.runs.begin());
}

/// Adds what \p event writes, lane for lane.
void addRuns(LaunchWrites& writes, StepIndex step, const trace::Event& event)
{
    OfBuffer* into = nullptr;
    BufferId last = kNoBuffer;
    bool goesOn = false;  // whether the last run is of this event and buffer
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        const BufferId buffer = event.bufferOf(lane);
        if (buffer == kNoBuffer) {
            goesOn = false;
            continue;
        }
        if (into == nullptr || buffer != last) {
            into = &writes.byBuffer[buffer];
            last = buffer;
            goesOn = false;
        }
        const uint64_t offset = event.offset[at];
        if (!goesOn || into->runs.back().offset + into->runs.back().count != offset)
            into->runs.push_back({step, offset, into->bytes.size(), 0});
        into->runs.back().count += event.valueBytes;
        into->bytes.insert(into->bytes.end(), event.value[at].begin(), event.value[at].begin() + event.valueBytes);
        goesOn = true;
    }
}

}  // namespace

Result<std::shared_ptr<const LaunchWrites>> LaunchWrites::load(trace::TraceReader& reader, LaunchId launch)
{
    auto writes = std::make_shared<LaunchWrites>();
    const Result<void> visited = reader.visitGlobalWrites(
        launch, [&](BlockIndex, StepIndex step, const trace::Event& event) { addRuns(*writes, step, event); });
    if (!visited.ok())
        return visited.error();
    // They came block by block.
    for (auto& [buffer, of] : writes->byBuffer) {
        std::ranges::stable_sort(of.runs, {}, &Run::step);
        of.runs.shrink_to_fit();
        of.bytes.shrink_to_fit();
    }
    return std::shared_ptr<const LaunchWrites>(std::move(writes));
}

void GlobalState::setWrites(std::shared_ptr<const LaunchWrites> writes)
{
    if (writes == m_writes)
        return;
    m_writes = std::move(writes);
    m_images.clear();
}

GlobalState::MovableImage& GlobalState::load(BufferId buffer)
{
    const auto [at, isNew] = m_images.try_emplace(buffer);
    if (isNew)
        begin(at->second, buffer);
    return at->second;
}

/// As the launch found it.
void GlobalState::begin(MovableImage& movable, BufferId buffer)
{
    const uint64_t bytes = std::min(m_reader.catalog().buffers[buffer.value].bytes, kMaxImageBytes);
    BufferImage& image = movable.image;
    image.bytes.assign(bytes, std::byte{0});
    image.initialised.assign((bytes + 7) / 8, 0);
    image.version = 0;
    movable.applied = movable.taped = 0;
    movable.tape.clear();
    const Result<trace::InitialContents> contents = m_reader.initialContents(m_launch, buffer);
    if (!contents.ok())
        return;
    const trace::InitialContents& from = contents.value();
    std::copy_n(from.bytes.begin(), std::min<uint64_t>(bytes, from.bytes.size()), image.bytes.begin());
    if (from.initialised.empty())
        std::fill(image.initialised.begin(), image.initialised.end(), uint8_t{0xff});
    else
        std::copy_n(from.initialised.begin(), std::min(image.initialised.size(), from.initialised.size()),
                    image.initialised.begin());
}

void GlobalState::apply(MovableImage& movable, const OfBuffer& writes, bool onTape)
{
    const Run& run = writes.runs[movable.applied++];
    BufferImage& image = movable.image;
    const uint64_t count = insideOf(run, image.bytes.size());
    if (count == 0) {
        movable.taped += onTape ? 1 : 0;
        return;
    }
    std::byte* const at = image.bytes.data() + run.offset;
    if (onTape) {
        const auto* old = reinterpret_cast<const uint8_t*>(at);
        movable.tape.insert(movable.tape.end(), old, old + count);
        const auto bits = image.initialised.begin() + static_cast<ptrdiff_t>(run.offset / 8);
        movable.tape.insert(movable.tape.end(), bits, bits + bitmapBytes(run, count));
        ++movable.taped;
    }
    std::memcpy(at, writes.bytes.data() + run.from, count);
    setInitialised(image, run.offset, count);
}

void GlobalState::takeBack(MovableImage& movable, const OfBuffer& writes)
{
    const Run& run = writes.runs[--movable.applied];
    --movable.taped;
    BufferImage& image = movable.image;
    const uint64_t count = insideOf(run, image.bytes.size());
    if (count == 0)
        return;
    const auto pop = [&](void* to, size_t bytes) {
        std::memcpy(to, movable.tape.data() + movable.tape.size() - bytes, bytes);
        movable.tape.resize(movable.tape.size() - bytes);
    };
    pop(image.initialised.data() + run.offset / 8, bitmapBytes(run, count));
    pop(image.bytes.data() + run.offset, count);
}

const BufferImage& GlobalState::image(BufferId buffer, StepIndex step)
{
    MovableImage& movable = load(buffer);
    const auto found = m_writes->byBuffer.find(buffer);
    if (found == m_writes->byBuffer.end())
        return movable.image;
    const OfBuffer& writes = found->second;
    const size_t target = runsBefore(writes, step);
    if (target == movable.applied)
        return movable.image;
    if (target < movable.applied - movable.taped)
        begin(movable, buffer);
    while (movable.applied > target)
        takeBack(movable, writes);
    // Of a long way only the end can be gone back on the tape.
    size_t onTape = target;
    for (uint64_t bytes = 0; onTape > movable.applied && bytes < kTapeBytes; --onTape)
        bytes += writes.runs[onTape - 1].count;
    if (movable.applied < onTape || movable.tape.size() > 4 * kTapeBytes) {
        movable.tape.clear();
        movable.taped = 0;
    }
    while (movable.applied < target)
        apply(movable, writes, movable.applied >= onTape);
    movable.image.version = target == 0 ? 0 : newVersion();
    return movable.image;
}

std::vector<StepIndex> GlobalState::lastWrites(BufferId buffer, StepIndex step, uint64_t element) const
{
    const uint64_t bytes = std::min(m_reader.catalog().buffers[buffer.value].bytes, kMaxImageBytes);
    std::vector<StepIndex> last(bytes / element);
    const auto found = m_writes->byBuffer.find(buffer);
    if (found == m_writes->byBuffer.end())
        return last;
    const size_t end = runsBefore(found->second, step);
    for (size_t i = 0; i < end; ++i) {
        const Run& run = found->second.runs[i];
        const uint64_t past = std::min<uint64_t>((run.offset + run.count + element - 1) / element, last.size());
        for (uint64_t k = (run.offset + element - 1) / element; k < past; ++k)
            last[k] = run.step + 1;
    }
    return last;
}

void GlobalState::addTo(Hasher& hasher, StepIndex step)
{
    for (const auto& [buffer, writes] : m_writes->byBuffer) {
        hasher.add(buffer.value);
        hasher.add(image(buffer, step));
        hasher.add(runsBefore(writes, step));
    }
}

}  // namespace lanescope::replay
