// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/diff_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lanescope::cli {

namespace {

struct ThreadAccess {
    trace::SiteKind kind = trace::SiteKind::Load;
    BufferId buffer = kNoBuffer;
    uint64_t offset = 0;
    SiteId site;
    uint8_t bytes = 0;       ///< 0: the site's type tells
    uint8_t valueBytes = 0;  ///< 0: the trace does not hold the value
    std::array<uint8_t, 16> value{};
};

/// [thread][access]
using BlockAccesses = std::vector<std::vector<ThreadAccess>>;

std::string bufferName(const trace::Catalog& catalog, BufferId id)
{
    return id.value < catalog.buffers.size() ? catalog.buffers[id.value].name : std::string();
}

void addEvent(const trace::Event& event, BlockAccesses& threads)
{
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const size_t thread = size_t{event.warp} * kWarpSize + static_cast<size_t>(lane);
        if (!((event.mask >> lane) & 1) || thread >= threads.size())
            continue;
        const auto index = static_cast<size_t>(lane);
        ThreadAccess access{event.kind, event.bufferOf(lane), event.offset[index], event.site, event.valueBytes, 0, {}};
        if (event.valuesKnown) {
            access.valueBytes = event.valueBytes;
            access.value = event.value[index];
        }
        threads[thread].push_back(access);
    }
}

Result<BlockAccesses> readBlock(trace::TraceReader& reader, const trace::Launch& launch, BlockIndex block)
{
    BlockAccesses threads(launch.threadsPerBlock());
    const Result<StepIndex> steps = reader.stepCount(launch.id, block);
    if (!steps)
        return steps.error();
    for (StepIndex step = 0; step < steps.value();) {
        const Result<trace::Chunk> chunk = reader.chunkAt(launch.id, block, step);
        if (!chunk)
            return chunk.error();
        for (const trace::Event& event : chunk.value().events)
            if (event.isAccess())
                addEvent(event, threads);
        step = chunk.value().firstStep + std::max<size_t>(chunk.value().events.size(), 1);
    }
    return threads;
}

/// What a thread does with a byte of a buffer, in the end.
struct CellUse {
    bool isRead = false;  ///< before the thread itself has written it
    bool isWritten = false;
    bool isAtomic = false;
    std::optional<uint8_t> left;  ///< what it wrote last; none: the trace does not say, or it need not be the same

    [[nodiscard]] bool isAs(const CellUse& other) const
    {
        return isRead == other.isRead && isWritten == other.isWritten && isAtomic == other.isAtomic &&
               (!left || !other.left || left == other.left);
    }
};

/// By buffer and byte.
using Cells = std::map<std::pair<std::string, uint64_t>, CellUse>;

void addTo(Cells& cells, const std::string& buffer, const ThreadAccess& access, uint64_t bytes, bool isValueComparable)
{
    for (uint64_t i = 0; i < bytes; ++i) {
        CellUse& cell = cells[{buffer, access.offset + i}];
        cell.isRead |= access.kind == trace::SiteKind::Load && !cell.isWritten;
        cell.isWritten |= access.kind == trace::SiteKind::Store;
        cell.isAtomic |= access.kind == trace::SiteKind::Atomic;
        const bool isStore = access.kind == trace::SiteKind::Store;
        if (access.kind != trace::SiteKind::Load)
            cell.left =
                isStore && i < access.valueBytes && isValueComparable ? std::optional(access.value[i]) : std::nullopt;
    }
}

/// A kernel's name as far as all compilers spell it alike: without a template's arguments, and without the type of its
/// result, which some put before it.
std::string plainName(const std::string& name)
{
    const size_t begin = name.starts_with("void ") ? 5 : 0;
    return name.substr(begin, name.find('<') - begin);
}

class Comparison {
public:
    Comparison(trace::TraceReader& a, trace::TraceReader& b, Compared compared, size_t maxShown)
        : m_a(a), m_b(b), m_compared(compared), m_maxShown(maxShown)
    {
    }

    Result<TraceDifferences> run()
    {
        const size_t launchesA = m_a.catalog().launches.size();
        const size_t launchesB = m_b.catalog().launches.size();
        if (launchesA != launchesB)
            note(fmt::format("number of launches: {} and {}", launchesA, launchesB));
        for (size_t i = 0; i < std::min(launchesA, launchesB); ++i)
            if (Result<void> compared = compareLaunch(m_a.catalog().launches[i], m_b.catalog().launches[i]); !compared)
                return compared.error();
        return m_result;
    }

private:
    Result<void> compareLaunch(const trace::Launch& a, const trace::Launch& b)
    {
        if (plainName(a.kernel) != plainName(b.kernel) || a.grid != b.grid || a.block != b.block) {
            note(fmt::format("launch {}: {} and {} differ in kernel, grid or block", a.id.value, a.kernel, b.kernel));
            return {};
        }
        pairArguments(a, b);
        const Result<std::vector<BlockIndex>> blocksA = m_a.blocks(a.id);
        const Result<std::vector<BlockIndex>> blocksB = m_b.blocks(b.id);
        if (!blocksA || !blocksB)
            return blocksA ? blocksB.error() : blocksA.error();
        if (blocksA.value() != blocksB.value())
            note(fmt::format("launch {}: {} and {} recorded blocks, not the same ones", a.id.value,
                             blocksA.value().size(), blocksB.value().size()));
        const auto compare = m_compared == Compared::Cells ? &Comparison::compareCells : &Comparison::compareThread;
        for (const BlockIndex block : blocksA.value()) {
            if (!std::binary_search(blocksB.value().begin(), blocksB.value().end(), block))
                continue;
            const Result<BlockAccesses> threadsA = readBlock(m_a, a, block);
            const Result<BlockAccesses> threadsB = readBlock(m_b, b, block);
            if (!threadsA || !threadsB)
                return threadsA ? threadsB.error() : threadsA.error();
            for (size_t thread = 0; thread < threadsA.value().size(); ++thread)
                (this->*compare)(a, block, thread, threadsA.value()[thread], threadsB.value()[thread]);
        }
        return {};
    }

    /// A buffer is the one that the other kernel got in the same place, whatever it calls it.
    void pairArguments(const trace::Launch& a, const trace::Launch& b)
    {
        const auto buffersOf = [](const trace::Launch& launch) {
            std::vector<uint32_t> buffers;
            for (const trace::LaunchArgument& argument : launch.arguments)
                if (argument.buffer)
                    buffers.push_back(argument.buffer->value);
            return buffers;
        };
        const std::vector<uint32_t> ofA = buffersOf(a), ofB = buffersOf(b);
        m_passedAlike.clear();
        for (size_t i = 0; ofA.size() == ofB.size() && i < ofA.size(); ++i)
            m_passedAlike.emplace(ofA[i], ofB[i]);
    }

    /// Of arguments their places decide, of others (shared, local, variables) their names.
    [[nodiscard]] bool isSameBuffer(BufferId a, BufferId b) const
    {
        const auto isEither = [&](const auto& pair) { return pair.first == a.value || pair.second == b.value; };
        if (std::ranges::any_of(m_passedAlike, isEither))
            return m_passedAlike.contains({a.value, b.value});
        return bufferName(m_a.catalog(), a) == bufferName(m_b.catalog(), b);
    }

    void compareThread(const trace::Launch& launch, BlockIndex block, size_t thread, const std::vector<ThreadAccess>& a,
                       const std::vector<ThreadAccess>& b)
    {
        const size_t common = std::min(a.size(), b.size());
        ++m_result.threadsCompared;
        m_result.accessesCompared += common;
        size_t i = 0;
        while (i < common && isSame(a[i], b[i]))
            ++i;
        if (i == a.size() && i == b.size())
            return;
        note(fmt::format("{} access {}: {} and {}", placeText(launch, block, thread), i,
                         i < a.size() ? text(m_a, a[i]) : "nothing more",
                         i < b.size() ? text(m_b, b[i]) : "nothing more"));
    }

    static std::string placeText(const trace::Launch& launch, BlockIndex block, size_t thread)
    {
        const Dim3 blockAt = positionOf(block.value, launch.grid);
        const Dim3 threadAt = positionOf(thread, launch.block);
        return fmt::format("launch {} block ({},{},{}) thread ({},{},{})", launch.id.value, blockAt.x, blockAt.y,
                           blockAt.z, threadAt.x, threadAt.y, threadAt.z);
    }

    void compareCells(const trace::Launch& launch, BlockIndex block, size_t thread, const std::vector<ThreadAccess>& a,
                      const std::vector<ThreadAccess>& b)
    {
        const Cells ofA = cellsOf(m_a, a, [](uint32_t buffer) { return buffer; }, m_a);
        const Cells ofB = cellsOf(
            m_b, b,
            [&](uint32_t buffer) {
                const auto pair = std::ranges::find(m_passedAlike, buffer, &std::pair<uint32_t, uint32_t>::second);
                return pair == m_passedAlike.end() ? std::optional<uint32_t>() : std::optional(pair->first);
            },
            m_a);
        ++m_result.threadsCompared;
        m_result.accessesCompared += ofA.size();
        const auto report = [&](const std::pair<std::string, uint64_t>& cell, const Cells& cells, const Cells& others) {
            const auto found = cells.find(cell), other = others.find(cell);
            note(fmt::format("{} {}+{}: {} and {}", placeText(launch, block, thread), cell.first, cell.second,
                             found == cells.end() ? "untouched" : text(found->second),
                             other == others.end() ? "untouched" : text(other->second)));
        };
        for (const auto& [cell, use] : ofA)
            if (const auto other = ofB.find(cell); other == ofB.end() || !use.isAs(other->second))
                return report(cell, ofA, ofB);
        for (const auto& [cell, use] : ofB)
            if (!ofA.contains(cell))
                return report(cell, ofA, ofB);
    }

    static std::string text(const CellUse& use)
    {
        std::string text = use.isRead ? "read" : "";
        for (const auto& [is, word] : {std::pair(use.isWritten, "written"), std::pair(use.isAtomic, "atomic")})
            if (is)
                text += (text.empty() ? "" : ", ") + std::string(word);
        return text + (use.left ? fmt::format(" = 0x{:02x}", *use.left) : "");
    }

    /// Local memory and parameters are left out: what of them is in registers is the compiler's choice.
    template <typename PairOf>
    static Cells cellsOf(const trace::TraceReader& reader, const std::vector<ThreadAccess>& accesses,
                         const PairOf& pairOf, const trace::TraceReader& named)
    {
        const trace::Catalog& catalog = reader.catalog();
        Cells cells;
        for (const ThreadAccess& access : accesses) {
            if (access.buffer.value >= catalog.buffers.size() || access.site.value >= catalog.sites.size())
                continue;
            const trace::Buffer& buffer = catalog.buffers[access.buffer.value];
            const bool isParameter = buffer.space == trace::Space::Constant && buffer.deviceAddress == 0;
            if (buffer.space == trace::Space::Local || isParameter)
                continue;
            const std::optional<uint32_t> pair = pairOf(access.buffer.value);
            addTo(cells, pair ? bufferName(named.catalog(), BufferId{*pair}) : buffer.name, access,
                  std::max<uint64_t>(access.bytes, catalog.sites[access.site.value].type.totalBytes()),
                  !pointsElsewhere(reader, access));
        }
        return cells;
    }

    [[nodiscard]] bool isSame(const ThreadAccess& a, const ThreadAccess& b) const
    {
        if (a.kind != b.kind || a.offset != b.offset || !isSameBuffer(a.buffer, b.buffer))
            return false;
        const size_t bytes = std::min(a.valueBytes, b.valueBytes);
        return std::memcmp(a.value.data(), b.value.data(), bytes) == 0 || mayDiffer(a, b);
    }

    /// Values that two right runs need not share: what atomics find depends on the order of threads, and shared and
    /// local memory lie elsewhere.
    [[nodiscard]] bool mayDiffer(const ThreadAccess& a, const ThreadAccess& b) const
    {
        return a.kind == trace::SiteKind::Atomic || (pointsElsewhere(m_a, a) && pointsElsewhere(m_b, b));
    }

    /// Whether the value is a pointer into no buffer that lasts.
    static bool pointsElsewhere(const trace::TraceReader& reader, const ThreadAccess& access)
    {
        const trace::Catalog& catalog = reader.catalog();
        if (access.valueBytes != 8 || access.site.value >= catalog.sites.size() ||
            catalog.sites[access.site.value].type.kind != trace::ScalarKind::Pointer)
            return false;
        uint64_t value = 0;
        std::memcpy(&value, access.value.data(), sizeof value);
        return value != 0 && std::none_of(catalog.buffers.begin(), catalog.buffers.end(), [&](const trace::Buffer& b) {
                   return b.deviceAddress != 0 && value >= b.deviceAddress && value - b.deviceAddress <= b.bytes;
               });
    }

    static std::string text(trace::TraceReader& reader, const ThreadAccess& access)
    {
        const trace::Catalog& catalog = reader.catalog();
        std::string value;
        for (size_t i = access.valueBytes; i-- > 0;)
            value += fmt::format("{:02x}", access.value[i]);
        const trace::SourceLocation where =
            access.site.value < catalog.sites.size() ? catalog.sites[access.site.value].where : trace::SourceLocation{};
        return fmt::format("{} {}+{}{} (line {})", accessName(access.kind), bufferName(catalog, access.buffer),
                           access.offset, value.empty() ? "" : " = 0x" + value, where.line);
    }

    static const char* accessName(trace::SiteKind kind)
    {
        return kind == trace::SiteKind::Load ? "read" : kind == trace::SiteKind::Atomic ? "atomic" : "write";
    }

    void note(std::string line)
    {
        ++m_result.differences;
        if (m_result.first.size() < m_maxShown)
            m_result.first.push_back(std::move(line));
    }

    trace::TraceReader& m_a;
    trace::TraceReader& m_b;
    Compared m_compared;
    size_t m_maxShown;
    std::set<std::pair<uint32_t, uint32_t>> m_passedAlike;  ///< buffers of the launch that is compared
    TraceDifferences m_result;
};

}  // namespace

Result<TraceDifferences> compareTraces(trace::TraceReader& a, trace::TraceReader& b, Compared compared, size_t maxShown)
{
    return Comparison(a, b, compared, maxShown).run();
}

}  // namespace lanescope::cli
