// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/block_state.h"

#include <algorithm>
#include <bit>

namespace lanescope::replay {

using trace::SiteKind;
using trace::Space;

namespace {

/// On top of the tape after each event: how to take it back.
enum class Change : uint8_t { None, Images, Variable };

/// Fixed sizes make these loops a few instructions per lane.
template <size_t Bytes>
void copyLanes(VariableImage& image, const trace::Event& event, StepIndex stamp)
{
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        std::array<uint8_t, 16> value{};
        std::memcpy(value.data(), event.value[lane].data(), Bytes);
        image.value[lane] = value;
        image.lastWrite[lane] = stamp;
    }
}

void copyLanes(VariableImage& image, const trace::Event& event, StepIndex stamp)
{
    switch (event.valueBytes) {
    case 1:
        return copyLanes<1>(image, event, stamp);
    case 2:
        return copyLanes<2>(image, event, stamp);
    case 4:
        return copyLanes<4>(image, event, stamp);
    case 8:
        return copyLanes<8>(image, event, stamp);
    default:
        return copyLanes<16>(image, event, stamp);
    }
}

}  // namespace

void BlockState::apply(StepIndex step, const trace::Event& event, UndoTape* tape)
{
    switch (event.kind) {
    case SiteKind::Store:
    case SiteKind::Atomic:
        applyStore(step, event, tape);
        return;
    case SiteKind::VariableWrite:
        applyVariable(step, event, tape);
        return;
    case SiteKind::Load:
    case SiteKind::Branch:
    case SiteKind::Barrier:
    case SiteKind::Exit:
    case SiteKind::Call:
    case SiteKind::Return:
        break;
    }
    if (tape != nullptr)
        tape->push(Change::None);
}

void BlockState::applyStore(StepIndex step, const trace::Event& event, UndoTape* tape)
{
    uint8_t writes = 0;
    if (event.valuesKnown) {
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const BufferId id = event.bufferOf(lane);
            if (id == kNoBuffer)
                continue;
            const Space space = m_catalog->buffers[id.value].space;
            if (space != Space::Shared && space != Space::Local)
                continue;
            const auto thread = static_cast<uint32_t>(event.warp * kWarpSize + lane);
            const size_t index = imageIndex(id, space == Space::Local ? thread : 0);
            const auto at = static_cast<size_t>(lane);
            if (!writeImage(m_images[index], event.offset[at], event.valueBytes, event.value[at].data(), step + 1,
                            tape))
                continue;
            ++writes;
            if (tape != nullptr)
                tape->push(static_cast<uint32_t>(index));
        }
    }
    if (tape != nullptr) {
        tape->push(writes);
        tape->push(Change::Images);
    }
}

void BlockState::applyVariable(StepIndex step, const trace::Event& event, UndoTape* tape)
{
    const trace::Site& site = m_catalog->sites[event.site.value];
    if (!site.variable || !event.valuesKnown) {
        if (tape != nullptr)
            tape->push(Change::None);
        return;
    }
    const size_t index = variableIndex(*site.variable, event.warp);
    VariableImage& image = m_variables[index];
    if (tape != nullptr) {
        tape->push(image);
        tape->push(static_cast<uint32_t>(index));
        tape->push(Change::Variable);
    }
    image.written |= event.mask;
    copyLanes(image, event, step + 1);
}

void BlockState::undo(UndoTape& tape)
{
    switch (tape.pop<Change>()) {
    case Change::None:
        return;
    case Change::Images:
        for (auto writes = tape.pop<uint8_t>(); writes != 0; --writes) {
            const auto index = tape.pop<uint32_t>();
            undoImage(m_images[index], tape);
        }
        return;
    case Change::Variable: {
        const auto index = tape.pop<uint32_t>();
        m_variables[index] = tape.pop<VariableImage>();
        return;
    }
    }
}

size_t BlockState::imageIndex(BufferId buffer, uint32_t thread)
{
    const auto [at, isNew] = m_imageOf.try_emplace({buffer.value, thread}, m_images.size());
    if (isNew)
        m_images.push_back(blankImage(std::min(m_catalog->buffers[buffer.value].bytes, kMaxBlockImageBytes)));
    return at->second;
}

size_t BlockState::variableIndex(VariableId variable, uint32_t warp)
{
    const auto [at, isNew] = m_variableOf.try_emplace({variable.value, warp}, m_variables.size());
    if (isNew)
        m_variables.emplace_back();
    return at->second;
}

const BufferImage& BlockState::image(BufferId buffer, uint32_t thread)
{
    return m_images[imageIndex(buffer, thread)];
}

const VariableImage& BlockState::variable(VariableId variable, uint32_t warp)
{
    return m_variables[variableIndex(variable, warp)];
}

void BlockState::addTo(Hasher& hasher) const
{
    // Images and variables that nothing was written to are there or not depending on who has looked: they do not count.
    for (const auto& [key, index] : m_imageOf) {
        const BufferImage& image = m_images[index];
        if (std::all_of(image.lastWrite.begin(), image.lastWrite.end(), [](StepIndex m) { return m == 0; }))
            continue;
        hasher.add(key.first);
        hasher.add(key.second);
        hasher.add(image);
    }
    for (const auto& [key, index] : m_variableOf) {
        const VariableImage& image = m_variables[index];
        if (image.written == 0)
            continue;
        hasher.add(key.first);
        hasher.add(key.second);
        hasher.add(image.written);
        hasher.addBytes(image.value.data(), sizeof image.value);
        hasher.addBytes(image.lastWrite.data(), sizeof image.lastWrite);
    }
}

size_t BlockState::memory() const
{
    size_t bytes = m_variables.size() * sizeof(VariableImage) + (m_imageOf.size() + m_variableOf.size()) * 64;
    for (const BufferImage& image : m_images)
        bytes += 10 * image.bytes.size();
    return bytes;
}

}  // namespace lanescope::replay
