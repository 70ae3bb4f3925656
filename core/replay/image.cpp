// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/replay/image.h"

#include <algorithm>
#include <utility>

namespace lanescope::replay {

namespace {

/// Bits of up to 16 bytes from \p offset on; they lie in at most three bytes of the bitmap.
uint16_t initialisedBits(const BufferImage& image, uint64_t offset, size_t bytes)
{
    const uint8_t* at = image.initialised.data() + offset / 8;
    const size_t shift = offset % 8;
    uint32_t window = 0;
    for (size_t i = 0; 8 * i < shift + bytes; ++i)
        window |= uint32_t{at[i]} << (8 * i);
    return static_cast<uint16_t>((window >> shift) & ((1U << bytes) - 1));
}

void setInitialisedBits(BufferImage& image, uint64_t offset, size_t bytes, uint16_t bits)
{
    uint8_t* at = image.initialised.write().data() + offset / 8;
    const size_t shift = offset % 8;
    const uint32_t mask = ((1U << bytes) - 1) << shift;
    const uint32_t set = (uint32_t{bits} << shift) & mask;
    for (size_t i = 0; 8 * i < shift + bytes; ++i)
        at[i] = static_cast<uint8_t>((at[i] & ~(mask >> (8 * i))) | set >> (8 * i));
}

}  // namespace

uint64_t newVersions(uint64_t count)
{
    static thread_local uint64_t next = 1;  // an image stays on one thread
    return std::exchange(next, next + count);
}

void setInitialised(BufferImage& image, uint64_t first, uint64_t count)
{
    uint8_t* bits = image.initialised.write().data();
    const uint64_t end = first + count;
    for (; first < end && first % 8 != 0; ++first)
        bits[first / 8] = static_cast<uint8_t>(bits[first / 8] | 1U << (first % 8));
    const uint64_t whole = (end - first) / 8;
    std::fill_n(bits + first / 8, whole, uint8_t{0xff});
    for (first += 8 * whole; first < end; ++first)
        bits[first / 8] = static_cast<uint8_t>(bits[first / 8] | 1U << (first % 8));
}

BufferImage blankImage(uint64_t bytes)
{
    BufferImage image;
    image.bytes.write().resize(bytes);
    image.lastWrite.resize(bytes);
    image.initialised.write().resize((bytes + 7) / 8);
    return image;
}

bool writeImage(BufferImage& image, uint64_t offset, size_t bytes, const uint8_t* value, StepIndex stamp,
                UndoTape* tape)
{
    if (offset >= image.bytes.size() || bytes > image.bytes.size() - offset)
        return false;
    StepIndex* marks = image.lastWrite.data() + offset;
    if (tape != nullptr) {
        tape->pushBytes(image.bytes.data() + offset, bytes);
        // Mostly all bytes were last written together; then one mark is enough.
        const bool same = std::all_of(marks, marks + bytes, [&](StepIndex m) { return m == marks[0]; });
        tape->pushBytes(marks, (same ? 1 : bytes) * sizeof(StepIndex));
        tape->push(initialisedBits(image, offset, bytes));
        tape->push(offset);
        tape->push(static_cast<uint8_t>(bytes | (same ? 0x80 : 0)));
    }
    std::memcpy(image.bytes.write().data() + offset, value, bytes);
    std::fill_n(marks, bytes, stamp);
    setInitialisedBits(image, offset, bytes, 0xffff);
    image.version = newVersions(1);
    return true;
}

void undoImage(BufferImage& image, UndoTape& tape)
{
    const auto size = tape.pop<uint8_t>();
    const size_t bytes = size & 0x7f;
    const auto offset = tape.pop<uint64_t>();
    setInitialisedBits(image, offset, bytes, tape.pop<uint16_t>());
    StepIndex* marks = image.lastWrite.data() + offset;
    if ((size & 0x80) != 0)
        std::fill_n(marks, bytes, tape.pop<StepIndex>());
    else
        tape.popBytes(marks, bytes * sizeof(StepIndex));
    tape.popBytes(image.bytes.write().data() + offset, bytes);
    image.version = newVersions(1);
}

void Hasher::addBytes(const void* from, size_t bytes)
{
    const auto* at = static_cast<const uint8_t*>(from);
    // Four chains side by side: each alone waits for its multiplications.
    constexpr size_t kChains = 4;
    if (bytes >= kChains * 8) {
        Hasher chains[kChains];
        for (size_t i = 0; i < kChains; ++i)
            chains[i].m_hash = m_hash + i;
        for (; bytes >= kChains * 8; bytes -= kChains * 8, at += kChains * 8) {
            uint64_t words[kChains];
            std::memcpy(words, at, sizeof words);
            for (size_t i = 0; i < kChains; ++i)
                chains[i].add(words[i]);
        }
        for (const Hasher& chain : chains)
            add(chain.m_hash);
    }
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        add(word);
    }
    uint64_t word = 0;
    if (bytes != 0)
        std::memcpy(&word, at, bytes);
    add(word ^ (uint64_t{bytes} << 56));
}

void Hasher::add(const BufferImage& image)
{
    addBytes(image.bytes.data(), image.bytes.size());
    addBytes(image.lastWrite.data(), image.lastWrite.size() * sizeof(StepIndex));
    addBytes(image.initialised.data(), image.initialised.size());
}

}  // namespace lanescope::replay
