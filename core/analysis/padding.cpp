// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/padding.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

namespace lanescope::analysis {

using trace::Event;
using trace::Space;

namespace {

constexpr uint64_t kLargestBuffer = uint64_t{1} << 48;  // bytes; a damaged trace may say anything
constexpr size_t kMostWrites = 200'000;                 // to shared memory that are looked at

struct Position {
    int64_t row = 0;
    int64_t column = 0;
    friend bool operator==(const Position&, const Position&) = default;
    friend Position operator-(Position a, Position b) { return {a.row - b.row, a.column - b.column}; }
    friend Position operator+(Position a, Position b) { return {a.row + b.row, a.column + b.column}; }
    friend Position operator*(Position a, int64_t n) { return {a.row * n, a.column * n}; }
};

/// A buffer as a matrix.
struct Matrix {
    int64_t rows = 1;
    int64_t columns = 1;

    static Matrix of(const trace::Buffer& buffer)
    {
        const uint64_t elements = std::max<uint64_t>(1, buffer.bytes / std::max(1U, buffer.element.totalBytes()));
        const bool matrix = buffer.dims.size() >= 2 && buffer.dims.back() > 0;
        const uint64_t columns = matrix ? std::min(buffer.dims.back(), elements) : elements;
        return {static_cast<int64_t>((elements + columns - 1) / columns), static_cast<int64_t>(columns)};
    }
    [[nodiscard]] Position at(uint64_t element) const
    {
        const auto index = static_cast<int64_t>(element);
        return {index / columns, index % columns};
    }
    [[nodiscard]] bool holds(Position p) const
    {
        return p.row >= 0 && p.row < rows && p.column >= 0 && p.column < columns;
    }
};

class Collector {
public:
    void add(BufferId buffer, const PaddingCell& cell)
    {
        std::vector<PaddingCell>& cells = m_padding[buffer];
        if (cells.size() < kMaxPaddingCells && m_seen.insert({buffer, cell.row, cell.column}).second)
            cells.push_back(cell);
    }
    Padding take() { return std::move(m_padding); }

private:
    Padding m_padding;
    std::set<std::tuple<BufferId, int64_t, int64_t>> m_seen;
};

/// The copies into one shared array between two barriers.
class CopiesOfEpoch {
public:
    CopiesOfEpoch(const Flow& flow, const trace::Buffer& shared) : m_flow(flow), m_shared(shared) {}

    /// A later write to the same element replaces an earlier one.
    void add(const Write& write) { m_last[m_flow.elementOf(write.place)] = &write; }

    void findPadding(Collector& found) const
    {
        const Matrix shared = Matrix::of(m_shared);
        std::vector<std::pair<Position, const Write*>> filled;
        Shift straight;
        Shift turned;
        std::optional<BufferId> source;
        size_t copied = 0;
        for (const auto& [element, write] : m_last) {
            const Position at = shared.at(element);
            const std::vector<Read> reads = m_flow.readsOf(*write);
            if (reads.empty()) {
                filled.emplace_back(at, write);
                continue;
            }
            const Plane& plane = m_flow.planes()[reads.front().place.plane];
            const trace::Buffer& from = m_flow.buffer(plane.buffer);
            const bool copy = reads.size() == 1 && from.space == Space::Global && source.value_or(from.id) == from.id;
            if (!copy)
                return;
            source = from.id;
            ++copied;
            const Position origin = Matrix::of(from).at(m_flow.elementOf(reads.front().place));
            straight.note(origin - at);
            turned.note(origin - Position{at.column, at.row});
        }
        // One copied cell tells no direction in an array of more.
        if (!source || filled.empty() || copied < 2 || (!straight.value() && !turned.value()))
            return;
        const Matrix array = Matrix::of(m_flow.buffer(*source));
        for (const auto& [at, write] : filled) {
            const Position there =
                straight.value() ? at + *straight.value() : Position{at.column, at.row} + *turned.value();
            if (!array.holds(there))
                found.add(*source, {there.row, there.column, write->known, m_shared.element, write->value});
        }
    }

private:
    /// A distance that all cells agree on, or none.
    class Shift {
    public:
        void note(Position distance)
        {
            m_differs = m_differs || (m_value && *m_value != distance);
            m_value = distance;
        }
        [[nodiscard]] std::optional<Position> value() const { return m_differs ? std::nullopt : m_value; }

    private:
        std::optional<Position> m_value;
        bool m_differs = false;
    };

    const Flow& m_flow;
    const trace::Buffer& m_shared;
    std::map<uint64_t, const Write*> m_last;
};

void findCopiedPadding(const Flow& flow, Collector& found)
{
    std::map<std::pair<BufferId, uint32_t>, CopiesOfEpoch> groups;
    size_t count = 0;
    for (const Write& write : flow.writes()) {
        const BufferId id = flow.planes()[write.place.plane].buffer;
        const trace::Buffer& buffer = flow.buffer(id);
        if (buffer.space != Space::Shared || ++count > kMostWrites)
            continue;
        groups.try_emplace({id, write.epoch}, flow, buffer).first->second.add(write);
    }
    for (const auto& [key, group] : groups)
        group.findPadding(found);
}

/// Accesses of one warp in one statement, by the same lanes; guards are judged by all of them.
class GuardedAccesses {
public:
    GuardedAccesses(const trace::Launch& launch, const std::vector<trace::Buffer>& buffers, Collector& found)
        : m_extent(launch.block), m_threads(launch.threadsPerBlock()), m_found(found)
    {
        for (const trace::Buffer& buffer : buffers)
            if ((buffer.space == Space::Global || buffer.space == Space::Shared) && buffer.bytes <= kLargestBuffer)
                m_buffers[buffer.id] = &buffer;
    }

    void add(const Event& event, const trace::SourceLocation& where)
    {
        Statement& statement = m_statements[event.warp];
        if (statement.mask != event.mask || statement.line != where.line) {
            flush(statement);
            statement.mask = event.mask;
            statement.line = where.line;
        }
        if (event.kind == trace::SiteKind::Load)
            m_executed[{event.site, event.warp}] |= event.mask;
        const LaneMask out = launched(event.warp) & ~event.mask;
        if (event.kind == trace::SiteKind::Load && out != 0 && std::popcount(event.mask) >= 2)
            extrapolate(statement, event, out);
    }

    void finish()
    {
        for (auto& [warp, statement] : m_statements)
            flush(statement);
        for (const Candidate& c : m_candidates)
            if (((m_executed[{c.site, c.warp}] >> c.lane) & 1) != 0)
                m_found.add(c.buffer, {c.cell.row, c.cell.column, false, {}, {}});
    }

private:
    /// What a lane that did not take part would have read.
    struct Candidate {
        BufferId buffer;
        Position cell;
        SiteId site;
        uint32_t warp = 0;
        int lane = 0;
    };
    static constexpr size_t kMostCandidates = 1 << 18;

    struct Statement {
        LaneMask mask = 0;
        uint32_t line = 0;
        std::vector<Candidate> outside;
        std::set<BufferId> inside;  ///< a lane that did not take part would have found its cell
    };

    [[nodiscard]] LaneMask launched(uint32_t warp) const
    {
        const uint64_t first = uint64_t{warp} * kWarpSize;
        const uint64_t lanes = first >= m_threads ? 0 : std::min<uint64_t>(m_threads - first, kWarpSize);
        return lanes == kWarpSize ? ~LaneMask{0} : (LaneMask{1} << lanes) - 1;
    }

    [[nodiscard]] Dim3 threadOf(const Event& event, int lane) const
    {
        return positionOf(uint64_t{event.warp} * kWarpSize + static_cast<uint64_t>(lane), m_extent);
    }

    /// How far the cell moves from one thread to the next in x, y and z; none where the lanes do not tell.
    struct Steps {
        std::array<std::optional<Position>, 3> by;
    };

    static std::array<int64_t, 3> distance(Dim3 from, Dim3 to)
    {
        return {int64_t{to.x} - from.x, int64_t{to.y} - from.y, int64_t{to.z} - from.z};
    }

    [[nodiscard]] std::optional<Position> predicted(const Steps& steps, Position first, Dim3 from, Dim3 to) const
    {
        const std::array<int64_t, 3> far = distance(from, to);
        for (size_t axis = 0; axis < 3; ++axis) {
            if (far[axis] == 0)
                continue;
            if (!steps.by[axis])
                return std::nullopt;
            first = first + *steps.by[axis] * far[axis];
        }
        return first;
    }

    /// None when the cells do not lie regularly, or all threads share one.
    [[nodiscard]] std::optional<Steps> stepsOf(const Event& event, const Matrix& matrix, uint64_t bytes) const
    {
        const auto cell = [&](int lane) { return matrix.at(event.offset[static_cast<size_t>(lane)] / bytes); };
        const std::array<int, 3> stride{1, static_cast<int>(m_extent.x), static_cast<int>(m_extent.x * m_extent.y)};
        Steps steps;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            for (size_t axis = 0; axis < 3; ++axis) {
                const int64_t next = int64_t{lane} + stride[axis];
                if (steps.by[axis] || next >= kWarpSize || ((event.mask >> next) & 1) == 0)
                    continue;
                std::array<int64_t, 3> unit{};
                unit[axis] = 1;
                if (distance(threadOf(event, lane), threadOf(event, static_cast<int>(next))) == unit)
                    steps.by[axis] = cell(static_cast<int>(next)) - cell(lane);
            }
        }
        const int first = std::countr_zero(event.mask);
        bool moves = false;
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            if (predicted(steps, cell(first), threadOf(event, first), threadOf(event, lane)) != cell(lane))
                return std::nullopt;
            moves = moves || cell(lane) != cell(first);
        }
        return moves ? std::optional(steps) : std::nullopt;
    }

    void extrapolate(Statement& statement, const Event& event, LaneMask out)
    {
        const int first = std::countr_zero(event.mask);
        const BufferId id = event.bufferOf(first);
        const auto known = m_buffers.find(id);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1)
            if (event.bufferOf(std::countr_zero(rest)) != id || known == m_buffers.end() ||
                event.offset[static_cast<size_t>(std::countr_zero(rest))] >= known->second->bytes)
                return;
        const trace::Buffer& buffer = *known->second;
        const Matrix matrix = Matrix::of(buffer);
        const uint64_t bytes = std::max(1U, buffer.element.totalBytes());
        const auto steps = stepsOf(event, matrix, bytes);
        if (!steps)
            return;
        const Position origin = matrix.at(event.offset[static_cast<size_t>(first)] / bytes);
        for (LaneMask rest = out; rest != 0; rest &= rest - 1) {
            const auto there =
                predicted(*steps, origin, threadOf(event, first), threadOf(event, std::countr_zero(rest)));
            if (there && matrix.holds(*there))
                statement.inside.insert(id);
            else if (there)
                statement.outside.push_back({id, *there, event.site, event.warp, std::countr_zero(rest)});
        }
    }

    void flush(Statement& statement)
    {
        for (const Candidate& candidate : statement.outside)
            if (!statement.inside.contains(candidate.buffer) && m_candidates.size() < kMostCandidates)
                m_candidates.push_back(candidate);
        statement.outside.clear();
        statement.inside.clear();
    }

    Dim3 m_extent;
    uint64_t m_threads;
    Collector& m_found;
    std::map<BufferId, const trace::Buffer*> m_buffers;
    std::map<uint32_t, Statement> m_statements;                  ///< by warp
    std::map<std::pair<SiteId, uint32_t>, LaneMask> m_executed;  ///< by warp: lanes that ran the site at any time
    std::vector<Candidate> m_candidates;
};

}  // namespace

Result<Padding> blockPadding(trace::TraceReader& reader, const Flow& flow, LaunchId launch, BlockIndex block,
                             const std::vector<trace::Buffer>& buffers)
{
    Collector found;
    findCopiedPadding(flow, found);
    const trace::Catalog& catalog = reader.catalog();
    GuardedAccesses guarded(catalog.launches[launch.value], buffers, found);
    auto visited =
        reader.visit(launch, block, 0, UINT64_MAX, trace::Detail::Places, [&](StepIndex, const Event& event) {
            guarded.add(event, catalog.sites[event.site.value].where);
            return true;
        });
    if (!visited)
        return visited.error();
    guarded.finish();
    return found.take();
}

}  // namespace lanescope::analysis
