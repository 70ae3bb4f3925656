// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/trace/chunk_packer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace lanescope::trace {

namespace {

/// Most that one event can put into a small or a word column, generously.
constexpr size_t kMaxSmallBytesPerEvent = 1024;
constexpr size_t kMaxWordBytesPerEvent = 16 * kWarpSize;
/// Most bytes of a part's counts.
constexpr size_t kMaxCountBytes = (2 + kSmallColumns + kWordColumns) * ByteColumn::kMaxVarint;
constexpr uint8_t kFirstFormatWithParts = 3;
constexpr uint8_t kFirstFormatWithMoves = 4;

/// Most events whose columns are there: the others' parts are told by theirs.
size_t storedOf(uint32_t events)
{
    return std::min(events, kMostStoredEvents);
}

void append(ByteColumn& to, const ByteColumn& from)
{
    if (from.empty())
        return;
    to.reserve(from.size());
    to.putBytes(from.data(), from.size());
}

}  // namespace

void ChunkColumns::clear()
{
    events = 0;
    for (ByteColumn& column : small)
        column.clear();
    for (ByteColumn& column : words)
        column.clear();
}

void ChunkPacker::add(const ChunkColumns& part, size_t back)
{
    ++m_parts;
    m_events += part.events;
    m_counts.reserve(kMaxCountBytes);
    m_counts.putVarint(back);
    m_counts.putVarint(part.events);
    for (const ByteColumn& column : part.small) {
        m_counts.putVarint(column.size());
        append(m_small, column);
    }
    for (size_t i = 0; i < kWordColumns; ++i) {
        m_counts.putVarint(part.words[i].size());
        append(m_words[i], part.words[i]);
        m_wordBytes += part.words[i].size();
    }
}

std::vector<uint8_t> ChunkPacker::finish()
{
    m_blob.clear();
    m_blob.reserve(1 + 2 * ByteColumn::kMaxVarint);
    m_blob.putByte(kChunkFormat);
    m_blob.putVarint(m_parts);
    m_blob.putVarint(m_events);
    m_compressor.putSection(m_blob, m_counts.bytes());
    m_compressor.putSection(m_blob, m_small.bytes());
    for (size_t i = 0; i < kWordColumns; ++i) {
        m_blob.reserve(1);
        m_blob.putByte(m_words[i].empty() ? 0 : 1);
        if (!m_words[i].empty())
            m_compressor.putPlanes(m_blob, m_words[i].bytes(), kWordBytes[i]);
    }
    clear();
    return {m_blob.data(), m_blob.data() + m_blob.size()};
}

void ChunkPacker::clear()
{
    m_parts = 0;
    m_events = 0;
    m_wordBytes = 0;
    m_counts.clear();
    m_small.clear();
    for (ByteColumn& column : m_words)
        column.clear();
}

bool UnpackedChunk::fail(std::string what)
{
    if (m_failure.empty())
        m_failure = std::move(what);
    return false;
}

Result<void> UnpackedChunk::unpack(Decompressor& with, std::span<const uint8_t> blob, uint32_t parts, uint32_t events,
                                   Detail detail)
{
    m_failure.clear();
    m_detail = detail;
    ByteReader from(blob);
    m_format = from.byte();
    if (m_format < 1 || m_format > kChunkFormat)
        fail(fmt::format("format {}, expected 1 to {}", m_format, kChunkFormat));
    else if (readCounts(with, from, parts, events))
        readColumns(with, from, events);
    if (!m_failure.empty())
        return Error{Error::Code::BadInput, m_failure, {}};
    return {};
}

bool UnpackedChunk::readCounts(Decompressor& with, ByteReader& from, uint32_t parts, uint32_t events)
{
    if (events > kMaxChunkEvents)
        return fail(fmt::format("{} events, expected at most {}", events, kMaxChunkEvents));
    const bool hasParts = m_format >= kFirstFormatWithParts;
    std::vector<uint8_t> counts;
    ByteReader reader = from;
    if (hasParts) {
        if (const uint64_t found = from.varint(); found != parts)
            return fail(fmt::format("{} parts, expected {}", found, parts));
        if (const uint64_t found = from.varint(); found != events)
            return fail(fmt::format("{} events, expected {}", found, events));
        if (!with.getSection(from, counts, parts * kMaxCountBytes))
            return fail("section of counts cannot be unpacked");
        reader = ByteReader(counts);
    } else if (parts != 1) {
        return fail(fmt::format("one part, expected {}", parts));
    }
    m_parts.assign(parts, {});
    uint64_t total = 0;
    Counts end;  // of the part before
    for (Counts& part : m_parts) {
        const auto index = static_cast<size_t>(&part - m_parts.data());
        const uint64_t back = m_format < kFirstFormatWithMoves ? 0 : reader.varint();
        if (back > index || (back != 0 && m_parts[index - back].back != 0))
            return fail(fmt::format("part {} is that {} parts before, moved", index, back));
        part.back = static_cast<uint32_t>(back);
        const uint64_t found = reader.varint();
        total += found;
        if (found > events || total > events)
            return fail(fmt::format("{} events, expected {}", total, events));
        part.events = static_cast<uint32_t>(found);
        if (back != 0 && part.events != m_parts[index - back].events)
            return fail(fmt::format("moved part of {} events, expected {}", found, m_parts[index - back].events));
        const auto take = [&](uint32_t& column, uint32_t& before, size_t most) {
            const uint64_t size = reader.varint();
            if (size > part.events * most)
                return fail(fmt::format("column of {} bytes, expected at most {}", size, part.events * most));
            if (size > UINT32_MAX - before)
                return fail(fmt::format("columns of {} bytes, expected at most {}", before + size, UINT32_MAX));
            column = before += static_cast<uint32_t>(size);
            return true;
        };
        for (size_t i = 0; i < kSmallColumns; ++i) {
            const uint32_t before = end.small.back();
            if (!take(part.small[i], end.small.back(), kMaxSmallBytesPerEvent))
                return false;
            if (i == 0 && back == 0 && part.small[0] - before != part.events)
                return fail(fmt::format("{} control bytes, expected {}", part.small[0] - before, part.events));
        }
        for (size_t i = 0; i < kWordColumns && hasParts; ++i)
            if (!take(part.words[i], end.words[i], kMaxWordBytesPerEvent))
                return false;
    }
    if (total != events)
        return fail(fmt::format("{} events, expected {}", total, events));
    if (reader.failed())
        return fail("ends early");
    if (!hasParts)
        from = reader;
    return true;
}

bool UnpackedChunk::readColumns(Decompressor& with, ByteReader& from, uint32_t events)
{
    const size_t small = m_parts.empty() ? 0 : m_parts.back().small.back();
    m_small.clear();
    if (!with.getSection(from, m_small, storedOf(events) * kMaxSmallBytesPerEvent))
        return fail("section of small columns cannot be unpacked");
    if (m_small.size() != small)
        return fail(fmt::format("small columns of {} bytes, expected {}", m_small.size(), small));
    for (size_t i = 0; i < kWordColumns; ++i) {
        m_words[i].clear();
        if (m_detail == Detail::Headers)
            continue;
        const bool isWanted = m_detail == Detail::Everything || i == static_cast<size_t>(WordColumn::Offsets4);
        if (from.byte() != 0 &&
            (isWanted ? !with.getPlanes(from, m_words[i], kWordBytes[i], storedOf(events) * kMaxWordBytesPerEvent)
                      : !Decompressor::skipSections(from, kWordBytes[i])))
            return fail(fmt::format("column {} of {}-byte words cannot be unpacked", i, kWordBytes[i]));
        if (!isWanted || m_parts.empty())
            continue;
        if (m_format < kFirstFormatWithParts)
            m_parts.back().words[i] = static_cast<uint32_t>(m_words[i].size());
        else if (m_words[i].size() != m_parts.back().words[i])
            return fail(
                fmt::format("column {} of {} bytes, expected {}", i, m_words[i].size(), m_parts.back().words[i]));
    }
    if (from.failed())
        return fail("ends early");
    if (m_detail != Detail::Headers && from.left() != 0)
        return fail(fmt::format("{} bytes after the last column, expected none", from.left()));
    return true;
}

UnpackedChunk::Part UnpackedChunk::part(size_t index) const
{
    const Counts& counts = m_parts[index];
    const Counts before = index == 0 ? Counts{} : m_parts[index - 1];
    const auto between = [](std::span<const uint8_t> all, size_t from, size_t to) {
        return to <= all.size() ? all.subspan(from, to - from) : std::span<const uint8_t>();
    };
    Part part{counts.events, {}, {}, {}};
    if (counts.back != 0)
        part.movedFrom = index - counts.back;
    size_t from = before.small.back();
    for (size_t i = 0; i < kSmallColumns; from = counts.small[i++])
        part.small[i] = between(m_small, from, counts.small[i]);
    for (size_t i = 0; i < kWordColumns; ++i)
        part.words[i] = between(m_words[i], before.words[i], counts.words[i]);
    return part;
}

size_t UnpackedChunk::bytes() const
{
    size_t bytes = m_small.capacity() + m_parts.capacity() * sizeof(Counts);
    for (const std::vector<uint8_t>& column : m_words)
        bytes += column.capacity();
    return bytes;
}

}  // namespace lanescope::trace
