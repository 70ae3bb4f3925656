// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/block_state.h"

#include <algorithm>
#include <bit>

#include "core/trace/derivation.h"

namespace lanescope::replay {

using trace::SiteKind;
using trace::Space;

namespace {

/// On top of the tape after each event: how to take it back.
enum class Change : uint8_t { None, Images, Variable, Loaded };

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
        if (!event.valuesKnown && !m_catalog->sites[event.site.value].derivation.empty())
            return applyDerived(step, event, tape);
        return applyVariable(step, event, tape);
    case SiteKind::Load:
        if (isOperand(event.site)) {
            applyLoad(event, tape);
            return;
        }
        break;
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

bool BlockState::isOperand(SiteId load)
{
    // A growing trace gets new sites.
    if (!m_operands || m_operands->size() != m_catalog->sites.size())
        m_operands = std::make_shared<const std::vector<uint8_t>>(derivationOperands(*m_catalog));
    return (*m_operands)[load.value] != 0;
}

void BlockState::applyLoad(const trace::Event& event, UndoTape* tape)
{
    const size_t index = loadedIndex(event.site, event.warp);
    LaneBits& kept = m_loaded[index];
    if (tape != nullptr) {
        tape->push(kept);
        tape->push(static_cast<uint32_t>(index));
        tape->push(Change::Loaded);
    }
    switch (m_catalog->sites[event.site.value].type.totalBytes()) {
    case 1:
        return keepLoaded<uint8_t>(kept, event);
    case 2:
        return keepLoaded<uint16_t>(kept, event);
    case 8:
        return keepLoaded<uint64_t>(kept, event);
    default:
        return keepLoaded<uint32_t>(kept, event);
    }
}

/// That all threads of the block see. Of what other blocks may write too, values are recorded.
const BufferImage& BlockState::sharedImage(BufferId buffer)
{
    return m_catalog->buffers[buffer.value].space == Space::Shared ? m_images[imageIndex(buffer, 0)]
                                                                   : (*m_unwritten)(buffer);
}

static_assert(kMaxImageBytes >= trace::kMaxDerivedBufferBytes, "else there would be no values to compute with");

/// As recorded, else what memory holds.
template <typename Word>
void BlockState::keepLoaded(LaneBits& kept, const trace::Event& event)
{
    if (!event.valuesKnown && event.laneBuffer.empty() && event.buffer != kNoBuffer &&
        m_catalog->buffers[event.buffer.value].space != Space::Local) {
        const BufferImage& image = sharedImage(event.buffer);
        const std::byte* const bytes = image.bytes.data();
        const uint64_t ends = image.bytes.size() < sizeof(Word) ? 0 : image.bytes.size() - sizeof(Word) + 1;
        for (size_t lane = 0; lane < kWarpSize; ++lane) {
            if (((event.mask >> lane) & 1) == 0)
                continue;
            Word word = 0;
            if (const uint64_t offset = event.offset[lane]; offset < ends)
                std::memcpy(&word, bytes + offset, sizeof word);
            kept[lane] = word;
        }
        return;
    }
    const BufferImage* image = nullptr;
    BufferId imageOf = kNoBuffer;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto at = static_cast<size_t>(lane);
        kept[at] = 0;
        if (event.valuesKnown) {
            std::memcpy(&kept[at], event.value[at].data(), std::min<size_t>(sizeof(Word), event.valueBytes));
            continue;
        }
        const BufferId id = event.bufferOf(lane);
        if (id == kNoBuffer)
            continue;
        if (image == nullptr || id != imageOf) {
            const bool isLocal = m_catalog->buffers[id.value].space == Space::Local;
            const auto thread = static_cast<uint32_t>(event.warp * kWarpSize + lane);
            image = isLocal ? &m_images[imageIndex(id, thread)] : &sharedImage(id);
            imageOf = isLocal ? kNoBuffer : id;  // the next lane's is another
        }
        const uint64_t offset = event.offset[at];
        if (Word word; offset <= image->bytes.size() && sizeof word <= image->bytes.size() - offset) {
            std::memcpy(&word, image->bytes.data() + offset, sizeof word);
            kept[at] = word;
        }
    }
}

void BlockState::fillOperand(const trace::DerivationStep& step, uint32_t warp, LaneBits& values)
{
    using Op = trace::DerivationStep::Op;
    if (step.op == Op::Coordinate) {
        values = coordinates(step, m_catalog->launches[m_launch.value], m_block, warp);
    } else if (step.op == Op::Load) {
        values = m_loaded[loadedIndex(SiteId{static_cast<uint32_t>(step.operand)}, warp)];
    } else {
        const VariableImage& image = m_variables[variableIndex(VariableId{static_cast<uint32_t>(step.operand)}, warp)];
        for (size_t lane = 0; lane < kWarpSize; ++lane)
            std::memcpy(&values[lane], image.value[lane].data(), sizeof values[lane]);
    }
}

LaneBits BlockState::derivedValues(const trace::Site& site, uint32_t warp)
{
    return evaluate(site.derivation,
                    [&](const trace::DerivationStep& step, LaneBits& values) { fillOperand(step, warp, values); });
}

uint32_t bytesOfDerived(const trace::Site& site)
{
    return std::min<uint32_t>(site.type.totalBytes(), sizeof(uint64_t));
}

void BlockState::derive(trace::Event& event)
{
    const trace::Site& site = m_catalog->sites[event.site.value];
    if (event.valuesKnown || event.kind != SiteKind::VariableWrite || site.derivation.empty())
        return;
    const LaneBits values = derivedValues(site, event.warp);
    for (size_t lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(event.value[lane].data(), &values[lane], sizeof values[lane]);
    event.valueBytes = static_cast<uint8_t>(bytesOfDerived(site));
    event.valuesKnown = true;
}

/// As derive() and applyVariable(), without an event of its own.
void BlockState::applyDerived(StepIndex step, const trace::Event& event, UndoTape* tape)
{
    const trace::Site& site = m_catalog->sites[event.site.value];
    const LaneBits values = derivedValues(site, event.warp);
    VariableImage* const image = imageToWrite(site, event.warp, tape);
    if (image == nullptr)
        return;
    image->written |= event.mask;
    for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        image->value[lane] = {};
        std::memcpy(image->value[lane].data(), &values[lane], sizeof values[lane]);
        image->lastWrite[lane] = step + 1;
    }
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
    if (!event.valuesKnown) {
        if (tape != nullptr)
            tape->push(Change::None);
        return;
    }
    if (VariableImage* const image = imageToWrite(site, event.warp, tape)) {
        image->written |= event.mask;
        copyLanes(*image, event, step + 1);
    }
}

VariableImage* BlockState::imageToWrite(const trace::Site& site, uint32_t warp, UndoTape* tape)
{
    if (!site.variable) {
        if (tape != nullptr)
            tape->push(Change::None);
        return nullptr;
    }
    const size_t index = variableIndex(*site.variable, warp);
    VariableImage& image = m_variables[index];
    if (tape != nullptr) {
        tape->push(image);
        tape->push(static_cast<uint32_t>(index));
        tape->push(Change::Variable);
    }
    return &image;
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
    case Change::Loaded: {
        const auto index = tape.pop<uint32_t>();
        m_loaded[index] = tape.pop<LaneBits>();
        return;
    }
    }
}

size_t BlockState::imageIndex(BufferId buffer, uint32_t thread)
{
    const ImageKey key(buffer.value, thread);
    if (m_lastImage && m_lastImage->first == key)
        return m_lastImage->second;
    const auto [at, isNew] = m_imageOf.try_emplace(key, m_images.size());
    if (isNew)
        m_images.push_back(blankImage(std::min(m_catalog->buffers[buffer.value].bytes, kMaxBlockImageBytes)));
    m_lastImage = *at;
    return at->second;
}

size_t BlockState::variableIndex(VariableId variable, uint32_t warp)
{
    const uint32_t index = m_variableOf.of(variable.value, warp);
    if (index == m_variables.size())
        m_variables.emplace_back();
    return index;
}

size_t BlockState::loadedIndex(SiteId load, uint32_t warp)
{
    const uint32_t index = m_loadedOf.of(load.value, warp);
    if (index == m_loaded.size())
        m_loaded.emplace_back();
    return index;
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
    m_variableOf.visit([&](uint32_t variable, uint32_t warp, uint32_t index) {
        const VariableImage& image = m_variables[index];
        if (image.written == 0)
            return;
        hasher.add(variable);
        hasher.add(warp);
        hasher.add(image.written);
        hasher.addBytes(image.value.data(), sizeof image.value);
        hasher.addBytes(image.lastWrite.data(), sizeof image.lastWrite);
    });
}

size_t BlockState::memory() const
{
    size_t bytes = m_variables.size() * (sizeof(VariableImage) + sizeof(uint32_t)) + m_imageOf.size() * 64 +
                   m_loaded.size() * (sizeof(LaneBits) + sizeof(uint32_t));
    for (const BufferImage& image : m_images)
        bytes += 10 * image.bytes.size();
    return bytes;
}

}  // namespace lanescope::replay
