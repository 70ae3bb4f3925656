// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/column.h"

#include <algorithm>
#include <array>

#include <zstd.h>

#include "core/base/assert.h"

namespace lanescope::trace {

namespace {

enum Packing : uint8_t { kStored = 0, kZstd = 1, kFilled = 2, kNibbles = 3 };

constexpr int kLevel = -3;
/// Sections below this are stored: a zstd frame's own bytes would eat the gain.
constexpr size_t kMinPacked = 48;

void freeCompression(ZSTD_CCtx_s* context)
{
    ZSTD_freeCCtx(context);
}

void freeDecompression(ZSTD_DCtx_s* context)
{
    ZSTD_freeDCtx(context);
}

bool allEqual(std::span<const uint8_t> bytes)
{
    return !bytes.empty() && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

/// Code of bytes that are not among the frequent ones.
constexpr uint8_t kEscape = 15;

/// How often each byte value occurs in eight strips of 128 bytes: enough to choose a packing by. A wrong guess
/// costs space or time, never correctness.
struct Sample {
    static constexpr size_t kStrip = 128;
    static constexpr size_t kStrips = 8;
    static constexpr size_t kBytes = kStrip * kStrips;

    explicit Sample(std::span<const uint8_t> bytes)
    {
        for (size_t strip = 0; strip < kStrips; ++strip) {
            const uint8_t* at = bytes.data() + strip * (bytes.size() - kStrip) / (kStrips - 1);
            for (size_t i = 0; i < kStrip; ++i)
                ++count[at[i]];
            for (size_t i = 1; i < kStrip; ++i)
                repeats += at[i] == at[i - 1];
        }
        for (const uint16_t c : count)
            squares += uint32_t{c} * c;
    }
    /// Sum of squares of 1024 uniform draws from 256 values: 1024 + 1024 * 1023 / 256 = 5116 on average; with 7 bits
    /// of entropy about 9200.
    [[nodiscard]] bool isNoise() const { return squares < 6500; }
    /// Most bytes are like the one before: runs, which zstd packs quickly and well.
    [[nodiscard]] bool isRuns() const { return repeats > kBytes * 3 / 4; }

    std::array<uint16_t, 256> count{};
    uint32_t squares = 0;
    uint32_t repeats = 0;
};

/// Four bits for each of the 15 most frequent bytes, an escape and the byte itself for others. Sign and exponent
/// bytes of floats are like that. Packs four times as fast as entropy coding, to about half the size.
/// Layout: the 15 bytes; two codes per byte, low half first; escaped bytes.
bool packNibbles(std::span<const uint8_t> raw, const Sample& sample, ByteColumn& to)
{
    std::array<uint16_t, 256> order;
    for (uint16_t i = 0; i < 256; ++i)
        order[i] = i;
    std::partial_sort(order.begin(), order.begin() + kEscape, order.end(), [&](uint16_t a, uint16_t b) {
        return sample.count[a] != sample.count[b] ? sample.count[a] > sample.count[b] : a < b;
    });
    uint32_t covered = 0;
    for (size_t i = 0; i < kEscape; ++i)
        covered += sample.count[order[i]];
    if (covered * 8 < Sample::kBytes * 7)
        return false;
    std::array<uint8_t, 256> code;
    code.fill(kEscape);
    to.clear();
    to.reserve(kEscape + 1 + raw.size() / 2 + raw.size());
    for (uint8_t i = 0; i < kEscape; ++i) {
        code[order[i]] = i;
        to.putByte(static_cast<uint8_t>(order[i]));
    }
    uint8_t* codes = to.extend((raw.size() + 1) / 2);
    uint8_t* const escapes = to.extend(0);
    uint8_t* escaped = escapes;
    for (size_t i = 0; i < raw.size(); i += 2) {
        const uint8_t low = code[raw[i]];
        const uint8_t high = i + 1 < raw.size() ? code[raw[i + 1]] : uint8_t{0};
        *codes++ = static_cast<uint8_t>(low | high << 4);
        if (low == kEscape)
            *escaped++ = raw[i];
        if (high == kEscape)
            *escaped++ = raw[i + 1];
    }
    to.extend(static_cast<size_t>(escaped - escapes));
    return true;
}

bool unpackNibbles(std::span<const uint8_t> packed, std::span<uint8_t> raw)
{
    const size_t codes = (raw.size() + 1) / 2;
    if (packed.size() < kEscape + codes)
        return false;
    const uint8_t* at = packed.data() + kEscape;
    const uint8_t* escaped = at + codes;
    const uint8_t* const end = packed.data() + packed.size();
    for (size_t i = 0; i < raw.size(); ++i) {
        const uint8_t code = i % 2 == 0 ? at[i / 2] & 15 : at[i / 2] >> 4;
        if (code == kEscape && escaped == end)
            return false;
        raw[i] = code == kEscape ? *escaped++ : packed[code];
    }
    return escaped == end;
}

void splitPlanes(const uint8_t* words, size_t count, size_t width, uint8_t* planes)
{
    if (width == 4) {
        for (size_t i = 0; i < count; ++i) {
            uint32_t w;
            std::memcpy(&w, words + 4 * i, 4);
            planes[i] = static_cast<uint8_t>(w);
            planes[count + i] = static_cast<uint8_t>(w >> 8);
            planes[2 * count + i] = static_cast<uint8_t>(w >> 16);
            planes[3 * count + i] = static_cast<uint8_t>(w >> 24);
        }
        return;
    }
    for (size_t p = 0; p < width; ++p)
        for (size_t i = 0; i < count; ++i)
            planes[p * count + i] = words[i * width + p];
}

void joinPlanes(const uint8_t* planes, size_t count, size_t width, uint8_t* words)
{
    if (width == 4) {
        for (size_t i = 0; i < count; ++i) {
            const uint32_t w = planes[i] | uint32_t{planes[count + i]} << 8 | uint32_t{planes[2 * count + i]} << 16 |
                               uint32_t{planes[3 * count + i]} << 24;
            std::memcpy(words + 4 * i, &w, 4);
        }
        return;
    }
    for (size_t p = 0; p < width; ++p)
        for (size_t i = 0; i < count; ++i)
            words[i * width + p] = planes[p * count + i];
}

}  // namespace

void ByteColumn::grow(size_t bytes)
{
    const size_t capacity = std::max({size_t{4096}, 2 * m_capacity, m_size + bytes});
    auto larger = std::make_unique_for_overwrite<uint8_t[]>(capacity);
    if (m_size != 0)
        std::memcpy(larger.get(), m_data.get(), m_size);
    m_data = std::move(larger);
    m_capacity = capacity;
}

Compressor::Compressor() : m_context(ZSTD_createCCtx(), freeCompression)
{
    LS_ASSERT(m_context != nullptr);
}

Compressor::~Compressor() = default;

/// Packs into m_packed, if that pays.
uint8_t Compressor::pack(std::span<const uint8_t> raw, Content content)
{
    if (raw.size() < kMinPacked)
        return kStored;
    if (raw.size() >= 2 * Sample::kBytes) {
        const Sample sample(raw);
        if (sample.isNoise())
            return kStored;
        if (content == Content::Plane && !sample.isRuns() && packNibbles(raw, sample, m_packed))
            return m_packed.size() < raw.size() ? kNibbles : kStored;
    }
    m_packed.clear();
    const size_t room = ZSTD_compressBound(raw.size());
    const size_t size = ZSTD_compressCCtx(m_context.get(), m_packed.extend(room), room, raw.data(), raw.size(), kLevel);
    if (ZSTD_isError(size) || size + size / 16 >= raw.size())
        return kStored;
    m_packed.shrinkTo(size);
    return kZstd;
}

void Compressor::putSection(ByteColumn& to, std::span<const uint8_t> raw, Content content)
{
    to.reserve(1 + 2 * ByteColumn::kMaxVarint + raw.size());
    if (raw.size() >= 2 && allEqual(raw)) {
        to.putByte(kFilled);
        to.putVarint(raw.size());
        to.putVarint(1);
        to.putByte(raw.front());
        return;
    }
    const uint8_t packing = pack(raw, content);
    const std::span<const uint8_t> packed = packing == kStored ? raw : m_packed.bytes();
    to.putByte(packing);
    to.putVarint(raw.size());
    to.putVarint(packed.size());
    if (!packed.empty())
        to.putBytes(packed.data(), packed.size());
}

void Compressor::putPlanes(ByteColumn& to, std::span<const uint8_t> words, size_t width)
{
    const size_t count = words.size() / width;
    LS_ASSERT(count * width == words.size());
    m_planes.clear();
    uint8_t* planes = m_planes.extend(words.size());
    splitPlanes(words.data(), count, width, planes);
    for (size_t p = 0; p < width; ++p)
        putSection(to, {planes + p * count, count}, Content::Plane);
}

Decompressor::Decompressor() : m_context(ZSTD_createDCtx(), freeDecompression)
{
    LS_ASSERT(m_context != nullptr);
}

Decompressor::~Decompressor() = default;

bool Decompressor::getSection(ByteReader& from, std::vector<uint8_t>& to, size_t maxBytes)
{
    const uint8_t packing = from.byte();
    const uint64_t rawSize = from.varint();
    const uint64_t packedSize = from.varint();
    const uint8_t* packed = from.take(packedSize);
    if (from.failed() || rawSize > maxBytes)
        return false;
    const size_t at = to.size();
    switch (packing) {
    case kStored:
        if (packedSize != rawSize)
            return false;
        to.insert(to.end(), packed, packed + packedSize);
        return true;
    case kFilled:
        if (packedSize != 1)
            return false;
        to.resize(at + rawSize, *packed);
        return true;
    case kNibbles:
        to.resize(at + rawSize);
        return unpackNibbles({packed, packedSize}, {to.data() + at, rawSize});
    case kZstd: {
        if (ZSTD_getFrameContentSize(packed, packedSize) != rawSize)
            return false;
        to.resize(at + rawSize);
        return ZSTD_decompressDCtx(m_context.get(), to.data() + at, rawSize, packed, packedSize) == rawSize;
    }
    default:
        return false;
    }
}

bool Decompressor::getPlanes(ByteReader& from, std::vector<uint8_t>& words, size_t width, size_t maxBytes)
{
    m_planes.clear();
    size_t count = 0;
    for (size_t p = 0; p < width; ++p) {
        if (!getSection(from, m_planes, maxBytes / width))
            return false;
        if (p == 0)
            count = m_planes.size();
        if (m_planes.size() != (p + 1) * count)
            return false;
    }
    words.resize(count * width);
    if (count != 0)
        joinPlanes(m_planes.data(), count, width, words.data());
    return true;
}

bool Decompressor::skipSections(ByteReader& from, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        from.byte();
        from.varint();
        from.take(from.varint());
    }
    return !from.failed();
}

}  // namespace lanescope::trace
