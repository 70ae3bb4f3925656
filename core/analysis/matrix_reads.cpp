// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/matrix_reads.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <unordered_map>

#include "core/analysis/fragments.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr uint32_t kChunk = 16;  ///< bytes
constexpr uint32_t kLines = 16;  ///< of one access, by lane % 16
constexpr uint32_t kColumnsOfAccess = 16;

using ChunkPlace = MatrixChunk::Place;

/// Which bytes of shared arrays were copied from where.
class Copied {
public:
    Copied(const trace::Catalog& catalog, const std::vector<trace::Buffer>& buffers) : m_catalog(catalog)
    {
        for (const trace::Buffer& each : buffers)
            m_buffers.emplace(each.id.value, &each);
    }

    void add(const Event& event)
    {
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            addLane(event, std::countr_zero(rest));
    }

    /// None: it has no rows.
    [[nodiscard]] std::optional<uint64_t> rowBytesOf(BufferId id) const
    {
        const trace::Buffer& buffer = *m_buffers.at(id.value);
        return buffer.dims.size() < 2 ? std::nullopt
                                      : std::optional(uint64_t{buffer.dims.back()} * buffer.element.totalBytes());
    }

    [[nodiscard]] MatrixChunk chunkAt(ChunkPlace at) const
    {
        MatrixChunk chunk;
        chunk.at = at;
        const auto found = m_bytes.find(at.buffer.value);
        if (found == m_bytes.end() || at.offset + kChunk > found->second.size())
            return chunk;
        const auto begin = found->second.begin() + static_cast<std::ptrdiff_t>(at.offset);
        chunk.isWritten = std::all_of(begin, begin + kChunk, [](const Byte& byte) { return byte.isWritten; });
        const auto follows = [&](const Byte& byte) {
            return byte.source.buffer == begin->source.buffer &&
                   byte.source.offset == begin->source.offset + static_cast<uint64_t>(&byte - &*begin);
        };
        if (chunk.isWritten && begin->source.buffer != kNoBuffer && std::all_of(begin, begin + kChunk, follows))
            chunk.source = begin->source;
        return chunk;
    }

private:
    struct Byte {
        bool isWritten = false;
        ChunkPlace source;
    };
    struct Loaded {
        ChunkPlace from;
        uint32_t bytes = 0;
        std::array<uint8_t, kChunk> value{};
        bool isKnown = false;
    };

    void addLane(const Event& event, int lane)
    {
        const auto at = static_cast<size_t>(lane);
        const auto buffer = m_buffers.find(event.bufferOf(lane).value);
        if (buffer == m_buffers.end())
            return;
        const uint32_t bytes =
            event.valueBytes > 0 ? event.valueBytes : std::max(1U, m_catalog.sites[event.site.value].type.totalBytes());
        Loaded& loaded = m_loaded[uint32_t{event.warp} * kWarpSize + static_cast<uint32_t>(lane)];
        if (event.kind == SiteKind::Load && buffer->second->space == Space::Global)
            loaded = {{buffer->second->id, event.offset[at]}, bytes, event.value[at], event.valuesKnown};
        if (event.kind == SiteKind::Load || buffer->second->space != Space::Shared)
            return;
        // What is stored is what was loaded, where both are known.
        const bool isCopy = event.kind == SiteKind::Store && loaded.from.buffer != kNoBuffer && loaded.bytes == bytes &&
                            !(loaded.isKnown && event.valuesKnown &&
                              !std::equal(loaded.value.begin(), loaded.value.begin() + std::min(bytes, kChunk),
                                          event.value[at].begin()));
        write(*buffer->second, event.offset[at], bytes, isCopy ? loaded.from : ChunkPlace{});
    }

    void write(const trace::Buffer& buffer, uint64_t offset, uint32_t bytes, ChunkPlace source)
    {
        std::vector<Byte>& all = m_bytes[buffer.id.value];
        all.resize(buffer.bytes);
        for (uint64_t i = 0; i < bytes && offset + i < all.size(); ++i)
            all[offset + i] = {true,
                               source.buffer == kNoBuffer ? source : ChunkPlace{source.buffer, source.offset + i}};
    }

    const trace::Catalog& m_catalog;
    std::unordered_map<uint32_t, const trace::Buffer*> m_buffers;
    std::unordered_map<uint32_t, Loaded> m_loaded;            ///< by thread
    std::unordered_map<uint32_t, std::vector<Byte>> m_bytes;  ///< by shared array
};

/// Accesses of one execution that each take 16 columns of B.
uint32_t accessesOfB(const std::string& instruction)
{
    const MatrixInstruction matrices = fragmentsOf(instruction);
    return matrices.fragments.empty() ? 0 : (matrices.fragments.back().cols + kColumnsOfAccess - 1) / kColumnsOfAccess;
}

/// Whether the last of \p events but \p ofB is A's: every execution has its sites, with A one more than B takes.
bool beginsWithA(const std::deque<Event>& events, uint32_t ofB, uint64_t sites)
{
    if (events.size() <= ofB)
        return false;
    if (sites % (ofB + 1) != 0)
        return false;
    if (sites % ofB != 0)
        return true;
    const Event &before = events[events.size() - ofB - 1], &first = events[events.size() - ofB];
    return before.site.value + 1 == first.site.value && before.bufferOf(0) != first.bufferOf(0);
}

/// The value that most have; none: there are none.
template <typename Value>
std::optional<Value> most(const std::map<Value, uint32_t>& counts)
{
    const auto found = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return found == counts.end() ? std::nullopt : std::optional(found->first);
}

/// How far apart in global memory the sources of neighbours are, and where by that the first one should be.
class Order {
public:
    /// \p rowBytes: of the source, where it has rows; else the distance that most neighbours have stands for it.
    Order(const MatrixRead& read, std::optional<uint64_t> rowBytes) : m_read(read)
    {
        std::map<int64_t, uint32_t> alongLines, alongPieces;
        std::map<std::pair<uint32_t, int64_t>, uint32_t> firsts;
        each([&](uint32_t line, uint32_t piece, const ChunkPlace& source) {
            if (const ChunkPlace* next = sourceAt(line + 1, piece); next && next->buffer == source.buffer)
                ++alongLines[static_cast<int64_t>(next->offset - source.offset)];
            if (const ChunkPlace* next = sourceAt(line, piece + 1); next && next->buffer == source.buffer)
                ++alongPieces[static_cast<int64_t>(next->offset - source.offset)];
        });
        m_line = rowBytes ? static_cast<int64_t>(*rowBytes) : most(alongLines).value_or(0);
        m_piece = most(alongPieces).value_or(kChunk);
        each([&](uint32_t line, uint32_t piece, const ChunkPlace& source) {
            ++firsts[{source.buffer.value, static_cast<int64_t>(source.offset) - shift(line, piece)}];
        });
        m_first = most(firsts);
        // Where most agree on nothing, the first chunk says where the others should be.
        if (const ChunkPlace* first = sourceAt(0, 0); first && m_first && 2 * firsts.at(*m_first) < read.chunks.size())
            m_first = {first->buffer.value, static_cast<int64_t>(first->offset)};
    }

    [[nodiscard]] bool fits(uint32_t line, uint32_t piece, const ChunkPlace& source) const
    {
        return m_first && source.buffer.value == m_first->first &&
               static_cast<int64_t>(source.offset) == m_first->second + shift(line, piece);
    }

private:
    [[nodiscard]] int64_t shift(uint32_t line, uint32_t piece) const { return line * m_line + piece * m_piece; }
    [[nodiscard]] const ChunkPlace* sourceAt(uint32_t line, uint32_t piece) const
    {
        return line < m_read.lines && piece < m_read.pieces && m_read.at(line, piece).source
                   ? &*m_read.at(line, piece).source
                   : nullptr;
    }
    template <typename Visit>
    void each(Visit visit) const
    {
        for (uint32_t line = 0; line < m_read.lines; ++line)
            for (uint32_t piece = 0; piece < m_read.pieces; ++piece)
                if (const ChunkPlace* source = sourceAt(line, piece))
                    visit(line, piece, *source);
    }

    const MatrixRead& m_read;
    int64_t m_line = 0, m_piece = 0;  ///< bytes
    std::optional<std::pair<uint32_t, int64_t>> m_first;
};

void markDifferences(MatrixRead& read, const Copied& copied)
{
    const auto known =
        std::ranges::find_if(read.chunks, [](const MatrixChunk& chunk) { return chunk.source.has_value(); });
    const Order order(read, known == read.chunks.end() ? std::nullopt : copied.rowBytesOf(known->source->buffer));
    for (uint32_t line = 0; line < read.lines; ++line)
        for (uint32_t piece = 0; piece < read.pieces; ++piece) {
            MatrixChunk& chunk = read.chunks[uint64_t{line} * read.pieces + piece];
            chunk.differs = chunk.source && !order.fits(line, piece, *chunk.source);
        }
}

/// \p accesses: each 16 lines of two pieces. They follow each other line by line, or, where the matrix lies the other
/// way round, piece by piece.
MatrixRead arranged(const std::string& name, const std::vector<Event>& accesses, const Copied& copied, bool goesAcross,
                    uint32_t linesOfAccess)
{
    const auto count = static_cast<uint32_t>(accesses.size());
    MatrixRead read{name, goesAcross ? linesOfAccess : linesOfAccess * count, goesAcross ? 2 * count : 2, {}, 0};
    read.chunks.resize(uint64_t{read.lines} * read.pieces);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
            if (lane % kLines >= linesOfAccess)
                continue;
            const uint32_t line = lane % kLines + (goesAcross ? 0 : i * linesOfAccess);
            const uint32_t piece = lane / kLines + (goesAcross ? 2 * i : 0);
            read.chunks[uint64_t{line} * read.pieces + piece] =
                copied.chunkAt({accesses[i].bufferOf(static_cast<int>(lane)), accesses[i].offset[lane]});
        }
    markDifferences(read, copied);
    return read;
}

/// Of both arrangements the one that the copies' order speaks for.
MatrixRead readOf(const std::string& name, const std::vector<Event>& accesses, const Copied& copied,
                  uint32_t linesOfAccess)
{
    MatrixRead straight = arranged(name, accesses, copied, false, linesOfAccess);
    if (accesses.size() == 1)
        return straight;
    MatrixRead across = arranged(name, accesses, copied, true, linesOfAccess);
    return across.differing() < straight.differing() ? across : straight;
}

}  // namespace

uint64_t MatrixRead::differing() const
{
    return static_cast<uint64_t>(std::ranges::count_if(chunks, &MatrixChunk::differs));
}

uint64_t MatrixRead::unwritten() const
{
    return static_cast<uint64_t>(std::ranges::count(chunks, false, &MatrixChunk::isWritten));
}

Result<std::vector<MatrixRead>> traceMatrixReads(replay::Session& session, LaunchId launch, BlockIndex block,
                                                 uint16_t warp, StepIndex step, const std::string& instruction)
{
    std::vector<MatrixRead> reads;
    const uint32_t ofB = instruction.starts_with("wgmma.mma_async") ? accessesOfB(instruction) : 0;
    if (ofB == 0)
        return reads;
    const trace::Catalog& catalog = session.catalog();
    const auto buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return buffers.error();
    Copied copied(catalog, buffers.value());
    std::deque<Event> latest;
    std::deque<StepIndex> steps;
    const Result<void> done = session.reader().visit(
        launch, block, 0, step, trace::Detail::Everything, [&](StepIndex at, const Event& event) {
            if (!event.isAccess())
                return true;
            const bool isProduct = catalog.sites[event.site.value].instruction == instruction;
            if (isProduct && event.warp == warp) {
                latest.push_back(event);
                steps.push_back(at);
                if (latest.size() > ofB + 1) {
                    latest.pop_front();
                    steps.pop_front();
                }
            } else if (!isProduct) {
                copied.add(event);
            }
            return true;
        });
    if (!done.ok())
        return done.error();
    if (latest.size() < ofB)
        return reads;
    const auto sites = static_cast<uint64_t>(std::ranges::count_if(catalog.sites, [&](const trace::Site& site) {
        return site.kind == SiteKind::Load && site.instruction == instruction;
    }));
    const size_t firstOfB = latest.size() - ofB;
    if (beginsWithA(latest, ofB, sites)) {
        reads.push_back(readOf("A", {latest[firstOfB - 1]}, copied, kLines));
        reads.back().step = steps[firstOfB - 1];
    }
    const uint32_t columns = fragmentsOf(instruction).fragments.back().cols;
    reads.push_back(readOf("B", {latest.begin() + static_cast<std::ptrdiff_t>(firstOfB), latest.end()}, copied,
                           std::min(columns, kLines)));
    reads.back().step = steps[firstOfB];
    return reads;
}

}  // namespace lanescope::analysis
