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

/// Images of a buffer that are kept beside the one that is shown: blocks that run side by side write in few steps.
constexpr size_t kMostOthers = 2;
constexpr uint64_t kOtherBytes = uint64_t{64} << 20;

/// Calls \p f(offset, count, from) for the run's pieces, of which so many bytes are inside an image of \p bytes, in the
/// order in which they were written, or, \p back, the other way round.
template <typename F>
void forPieces(const Run& run, uint64_t bytes, bool back, F f)
{
    for (uint64_t i = 0; i < run.pieces; ++i) {
        const uint64_t piece = back ? run.pieces - 1 - i : i;
        const uint64_t offset = run.offset + static_cast<uint64_t>(run.pitch) * piece;
        if (offset < bytes)
            f(offset, std::min<uint64_t>(run.count, bytes - offset), run.from + piece * run.count);
    }
}

/// Bytes of the bitmap that say whether \p count bytes from \p offset on are initialised.
size_t bitmapBytes(uint64_t offset, uint64_t count)
{
    return (offset + count + 7) / 8 - offset / 8;
}

/// How many of \p writes lie before \p step.
size_t runsBefore(const OfBuffer& writes, StepIndex step)
{
    return static_cast<size_t>(
        std::partition_point(writes.runs.begin(), writes.runs.end(), [&](const Run& run) { return run.step < step; }) -
        writes.runs.begin());
}

/// Whether \p bytes at \p offset are the run's next, which then has them.
bool extend(Run& run, uint64_t offset, uint32_t bytes)
{
    if (run.pieces == 1 && offset == run.offset + run.count) {
        run.count += bytes;
        return true;
    }
    if (run.count != bytes)
        return false;
    if (run.pieces == 1)
        run.pitch = static_cast<int64_t>(offset - run.offset);
    if (offset != run.offset + static_cast<uint64_t>(run.pitch) * run.pieces)
        return false;
    ++run.pieces;
    return true;
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
        if (!goesOn || !extend(into->runs.back(), offset, event.valueBytes))
            into->runs.push_back({step, offset, into->bytes.size(), event.valueBytes});
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

/// As the launch found it.
GlobalState::MovableImage GlobalState::begun(BufferId buffer) const
{
    MovableImage movable;
    const uint64_t size = std::min(m_reader.catalog().buffers[buffer.value].bytes, kMaxImageBytes);
    std::vector<std::byte>& bytes = movable.image.bytes.write();
    std::vector<uint8_t>& initialised = movable.image.initialised.write();
    bytes.resize(size);
    initialised.resize((size + 7) / 8);
    const Result<trace::InitialContents> contents = m_reader.initialContents(m_launch, buffer);
    if (!contents.ok())
        return movable;
    const trace::InitialContents& from = contents.value();
    std::copy_n(from.bytes.begin(), std::min<uint64_t>(size, from.bytes.size()), bytes.begin());
    if (from.initialised.empty())
        std::fill(initialised.begin(), initialised.end(), uint8_t{0xff});
    else
        std::copy_n(from.initialised.begin(), std::min(initialised.size(), from.initialised.size()),
                    initialised.begin());
    return movable;
}

void GlobalState::apply(MovableImage& movable, const OfBuffer& writes, bool onTape)
{
    const Run& run = writes.runs[movable.applied++];
    BufferImage& image = movable.image;
    std::byte* const bytes = image.bytes.write().data();
    std::vector<uint8_t>& tape = movable.tape;
    forPieces(run, image.bytes.size(), false, [&](uint64_t offset, uint64_t count, uint64_t from) {
        if (onTape) {
            const auto* old = reinterpret_cast<const uint8_t*>(bytes + offset);
            tape.insert(tape.end(), old, old + count);
            const uint8_t* const bits = image.initialised.data() + offset / 8;
            tape.insert(tape.end(), bits, bits + bitmapBytes(offset, count));
        }
        std::memcpy(bytes + offset, writes.bytes.data() + from, count);
        setInitialised(image, offset, count);
    });
    movable.taped += onTape ? 1 : 0;
}

void GlobalState::takeBack(MovableImage& movable, const OfBuffer& writes)
{
    const Run& run = writes.runs[--movable.applied];
    --movable.taped;
    BufferImage& image = movable.image;
    std::byte* const bytes = image.bytes.write().data();
    uint8_t* const initialised = image.initialised.write().data();
    const auto pop = [&](void* to, size_t size) {
        std::memcpy(to, movable.tape.data() + movable.tape.size() - size, size);
        movable.tape.resize(movable.tape.size() - size);
    };
    forPieces(run, image.bytes.size(), true, [&](uint64_t offset, uint64_t count, uint64_t) {
        pop(initialised + offset / 8, bitmapBytes(offset, count));
        pop(bytes + offset, count);
    });
}

/// Whether it is moved to \p target runs by what fits on a tape.
bool GlobalState::isNear(const MovableImage& movable, const OfBuffer& writes, size_t target)
{
    if (target <= movable.applied)
        return target >= movable.applied - movable.taped;
    uint64_t bytes = 0;
    for (size_t i = movable.applied; i < target && bytes <= kTapeBytes; ++i)
        bytes += writes.runs[i].bytes();
    return bytes <= kTapeBytes;
}

/// To an image that is near, or else from the nearest before it, or from the beginning. What was there is kept.
void GlobalState::moveFar(BufferId buffer, Images& images, const OfBuffer& writes, size_t target) const
{
    std::vector<MovableImage>& others = images.others;
    const auto near =
        std::ranges::find_if(others, [&](const MovableImage& other) { return isNear(other, writes, target); });
    MovableImage next;
    if (near != others.end()) {
        next = std::move(*near);
        others.erase(near);
    } else {
        const MovableImage* before = images.now.applied <= target ? &images.now : nullptr;
        for (const MovableImage& other : others)
            if (other.applied <= target && (!before || other.applied > before->applied))
                before = &other;
        if (before) {
            next.image = before->image;  // its tape is of no use here
            next.applied = before->applied;
        } else {
            next = begun(buffer);
        }
    }
    const uint64_t bytes = std::max<uint64_t>(images.now.image.bytes.size(), 1);
    others.push_back(std::move(images.now));
    images.now = std::move(next);
    if (others.size() > kMostOthers || others.size() * bytes > kOtherBytes)
        others.erase(others.begin());
}

const BufferImage& GlobalState::image(BufferId buffer, StepIndex step)
{
    const auto [at, isNew] = m_images.try_emplace(buffer);
    Images& images = at->second;
    if (isNew)
        images.now = begun(buffer);
    const auto found = m_writes->byBuffer.find(buffer);
    if (found == m_writes->byBuffer.end())
        return images.now.image;
    const OfBuffer& writes = found->second;
    if (images.firstVersion == 0)
        images.firstVersion = newVersions(writes.runs.size() + 1);
    const size_t target = runsBefore(writes, step);
    if (!isNear(images.now, writes, target))
        moveFar(buffer, images, writes, target);
    MovableImage& movable = images.now;
    if (target == movable.applied)
        return movable.image;
    while (movable.applied > target)
        takeBack(movable, writes);
    // Of a long way only the end can be gone back on the tape.
    size_t onTape = target;
    for (uint64_t bytes = 0; onTape > movable.applied && bytes < kTapeBytes; --onTape)
        bytes += writes.runs[onTape - 1].bytes();
    if (movable.applied < onTape || movable.tape.size() > 4 * kTapeBytes) {
        movable.tape.clear();
        movable.taped = 0;
    }
    while (movable.applied < target)
        apply(movable, writes, movable.applied >= onTape);
    movable.image.version = target == 0 ? 0 : images.firstVersion + target;
    return movable.image;
}

std::vector<StepIndex> GlobalState::lastWrites(BufferId buffer, StepIndex step, uint64_t element) const
{
    const auto found = m_writes->byBuffer.find(buffer);
    const size_t end = found == m_writes->byBuffer.end() ? 0 : runsBefore(found->second, step);
    if (end == 0)
        return {};
    const uint64_t bytes = std::min(m_reader.catalog().buffers[buffer.value].bytes, kMaxImageBytes);
    std::vector<StepIndex> last(bytes / element);
    for (size_t i = 0; i < end; ++i) {
        const Run& run = found->second.runs[i];
        forPieces(run, bytes, false, [&](uint64_t offset, uint64_t count, uint64_t) {
            const uint64_t past = std::min<uint64_t>((offset + count + element - 1) / element, last.size());
            for (uint64_t k = (offset + element - 1) / element; k < past; ++k)
                last[k] = run.step + 1;
        });
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
