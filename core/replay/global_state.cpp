// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/global_state.h"

#include <algorithm>

namespace lanescope::replay {

Result<std::shared_ptr<const LaunchWrites>> LaunchWrites::load(trace::TraceReader& reader, LaunchId launch)
{
    Result<std::vector<trace::GlobalWrite>> all = reader.globalWrites(launch, 0, UINT64_MAX);
    if (!all.ok())
        return all.error();
    auto writes = std::make_shared<LaunchWrites>();
    for (const trace::GlobalWrite& w : all.value())
        writes->byBuffer[w.buffer].push_back({w.step, w.offset, w.value, w.bytes});
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
    if (!isNew)
        return at->second;
    const uint64_t bytes = std::min(m_reader.catalog().buffers[buffer.value].bytes, kMaxImageBytes);
    BufferImage& image = at->second.image;
    image = blankImage(bytes);
    Result<trace::InitialContents> contents = m_reader.initialContents(m_launch, buffer);
    if (!contents.ok())
        return at->second;
    const trace::InitialContents& from = contents.value();
    std::copy_n(from.bytes.begin(), std::min<uint64_t>(bytes, from.bytes.size()), image.bytes.begin());
    if (from.initialised.empty())
        std::fill(image.initialised.begin(), image.initialised.end(), uint8_t{0xff});
    else
        std::copy_n(from.initialised.begin(), std::min(image.initialised.size(), from.initialised.size()),
                    image.initialised.begin());
    return at->second;
}

const BufferImage& GlobalState::image(BufferId buffer, StepIndex step)
{
    MovableImage& movable = load(buffer);
    const auto found = m_writes->byBuffer.find(buffer);
    if (found == m_writes->byBuffer.end())
        return movable.image;
    const std::vector<LaunchWrites::Write>& writes = found->second;
    const auto target = static_cast<size_t>(
        std::partition_point(writes.begin(), writes.end(), [&](const auto& w) { return w.step < step; }) -
        writes.begin());
    while (movable.applied.size() > target) {
        if (movable.applied.back() != 0)
            undoImage(movable.image, movable.tape);
        movable.applied.pop_back();
    }
    while (movable.applied.size() < target) {
        const LaunchWrites::Write& w = writes[movable.applied.size()];
        const bool inside = writeImage(movable.image, w.offset, w.bytes, w.value.data(), w.step + 1, &movable.tape);
        movable.applied.push_back(inside ? 1 : 0);
    }
    return movable.image;
}

void GlobalState::addTo(Hasher& hasher, StepIndex step)
{
    for (const auto& [buffer, writes] : m_writes->byBuffer) {
        hasher.add(buffer.value);
        hasher.add(image(buffer, step));
    }
}

}  // namespace lanescope::replay
