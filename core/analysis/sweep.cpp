// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/sweep.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr size_t kMostColumns = 4096;
constexpr size_t kMostCells = 400'000;  // of all rows
constexpr size_t kMostSources = 1 << 20;
constexpr size_t kMostPending = 256;  // reads of one thread that are remembered for its next write

/// A place in a buffer. Halves of [2][n] buffers are planes of their own: scans use them in turns.
struct Place {
    uint32_t plane = 0;
    uint32_t column = 0;
};

struct Read {
    Place place;
    SiteId site;
    StepIndex step = 0;
};

struct Write {
    Place place;
    SiteId site;
    StepIndex step = 0;
    uint32_t epoch = 0;
    uint32_t thread = 0;
    bool known = false;
    std::array<uint8_t, 16> value{};
    size_t firstRead = 0;
    size_t reads = 0;
};

struct Plane {
    BufferId buffer;
    uint32_t half = 0;
    uint64_t columns = 0;
};

/// What a thread read since it last went on to something new.
struct Pending {
    std::vector<Read> reads;
    std::optional<uint32_t> wroteInEpoch;
};

class Flow {
public:
    explicit Flow(const std::vector<trace::Buffer>& buffers)
    {
        for (const trace::Buffer& buffer : buffers) {
            if (buffer.space != Space::Shared && buffer.space != Space::Global)
                continue;
            const uint64_t elements = buffer.bytes / std::max(1U, buffer.element.totalBytes());
            const bool halves = buffer.dims.size() >= 2 && buffer.dims[0] == 2 && elements % 2 == 0;
            m_firstPlane[buffer.id.value] = {m_planes.size(), buffer};
            for (uint32_t half = 0; half < (halves ? 2U : 1U); ++half)
                m_planes.push_back({buffer.id, half, halves ? elements / 2 : elements});
        }
    }

    /// False when there is no room for more.
    bool add(StepIndex step, uint32_t epoch, const Event& event)
    {
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const std::optional<Place> place = placeOf(event, lane);
            if (!place)
                continue;
            const auto thread = static_cast<uint32_t>(event.warp * kWarpSize + lane);
            if (event.kind != SiteKind::Store)
                addRead(thread, epoch, {*place, event.site, step});
            if (event.kind != SiteKind::Load)
                addWrite(thread, epoch, step, event, lane, *place);
        }
        return m_reads.size() < kMostSources;
    }

    [[nodiscard]] const std::vector<Plane>& planes() const { return m_planes; }
    [[nodiscard]] const std::vector<Write>& writes() const { return m_writes; }
    [[nodiscard]] const std::vector<Read>& reads() const { return m_reads; }
    [[nodiscard]] const trace::Buffer& buffer(BufferId id) const { return m_firstPlane.at(id.value).second; }

private:
    [[nodiscard]] std::optional<Place> placeOf(const Event& event, int lane) const
    {
        const auto known = m_firstPlane.find(event.bufferOf(lane).value);
        if (known == m_firstPlane.end())
            return std::nullopt;
        const uint64_t element =
            event.offset[static_cast<size_t>(lane)] / std::max(1U, known->second.second.element.totalBytes());
        const uint64_t columns = m_planes[known->second.first].columns;
        const uint64_t half = columns == 0 ? 0 : element / columns;
        const size_t plane = known->second.first + half;
        if (columns == 0 || half > 1 || plane >= m_planes.size() || m_planes[plane].buffer != event.bufferOf(lane))
            return std::nullopt;
        return Place{static_cast<uint32_t>(plane), static_cast<uint32_t>(element % columns)};
    }

    void addRead(uint32_t thread, uint32_t epoch, const Read& read)
    {
        Pending& pending = m_pending[thread];
        // Something new begins when the thread, having written, passes a barrier or comes round a loop.
        const bool again =
            std::any_of(pending.reads.begin(), pending.reads.end(), [&](const Read& r) { return r.site == read.site; });
        if (pending.wroteInEpoch && (again || *pending.wroteInEpoch != epoch)) {
            pending.reads.clear();
            pending.wroteInEpoch.reset();
        }
        if (pending.reads.size() < kMostPending)
            pending.reads.push_back(read);
    }

    void addWrite(uint32_t thread, uint32_t epoch, StepIndex step, const Event& event, int lane, Place place)
    {
        Pending& pending = m_pending[thread];
        Write write{place,
                    event.site,
                    step,
                    epoch,
                    thread,
                    event.valuesKnown,
                    event.value[static_cast<size_t>(lane)],
                    m_reads.size(),
                    pending.reads.size()};
        m_reads.insert(m_reads.end(), pending.reads.begin(), pending.reads.end());
        m_writes.push_back(write);
        pending.wroteInEpoch = epoch;
    }

    std::vector<Plane> m_planes;
    std::map<uint32_t, std::pair<size_t, trace::Buffer>> m_firstPlane;  ///< by buffer
    std::map<uint32_t, Pending> m_pending;                              ///< by thread
    std::vector<Write> m_writes;
    std::vector<Read> m_reads;
};

/// How often values went from plane to plane, and in how many epochs within one buffer.
struct Traffic {
    std::map<std::pair<uint32_t, uint32_t>, size_t> flows;
    std::map<uint32_t, std::set<uint32_t>> writeEpochs;     ///< by buffer
    std::map<uint32_t, std::set<uint32_t>> internalEpochs;  ///< by buffer
};

Traffic trafficOf(const Flow& flow)
{
    Traffic traffic;
    for (const Write& write : flow.writes()) {
        const BufferId buffer = flow.planes()[write.place.plane].buffer;
        traffic.writeEpochs[buffer.value].insert(write.epoch);
        for (size_t i = 0; i < write.reads; ++i) {
            const Place& from = flow.reads()[write.firstRead + i].place;
            ++traffic.flows[{from.plane, write.place.plane}];
            if (flow.planes()[from.plane].buffer == buffer)
                traffic.internalEpochs[buffer.value].insert(write.epoch);
        }
    }
    return traffic;
}

std::vector<BufferId> choicesOf(const Flow& flow, const Traffic& traffic)
{
    std::vector<BufferId> choices;
    for (const auto& [buffer, epochs] : traffic.writeEpochs)
        choices.emplace_back(buffer);
    const auto score = [&](BufferId id) {
        const auto internal = traffic.internalEpochs.find(id.value);
        return std::tuple(internal == traffic.internalEpochs.end() ? 0 : internal->second.size(),
                          traffic.writeEpochs.at(id.value).size(), flow.buffer(id).space == Space::Shared);
    };
    // What goes back and forth between two buffers counts for both.
    const auto partnered = [&](BufferId id) {
        size_t epochs = std::get<0>(score(id));
        for (const auto& [pair, count] : traffic.flows) {
            const BufferId a = flow.planes()[pair.first].buffer;
            const BufferId b = flow.planes()[pair.second].buffer;
            if (a != b && b == id && traffic.flows.contains({pair.second, pair.first}))
                epochs += traffic.writeEpochs.at(id.value).size();
        }
        return epochs;
    };
    std::stable_sort(choices.begin(), choices.end(), [&](BufferId a, BufferId b) {
        const auto rank = [&](BufferId id) { return std::pair(partnered(id), score(id)); };
        return rank(a) > rank(b);
    });
    return choices;
}

class SweepBuilder {
public:
    SweepBuilder(const Flow& flow, const Traffic& traffic, BufferId chosen) : m_flow(flow)
    {
        const std::vector<Plane>& planes = flow.planes();
        std::set<uint32_t> own;
        for (uint32_t i = 0; i < planes.size(); ++i)
            if (planes[i].buffer == chosen)
                own.insert(i);
        const uint32_t first = *own.begin();
        m_sweep.columns = planes[first].columns;
        const auto both = [&](uint32_t a, uint32_t b) {
            return traffic.flows.contains({a, b}) && traffic.flows.contains({b, a});
        };
        m_folded = own.size() == 1 || both(first, first + 1);
        if (!m_folded)
            m_sweep.columns *= 2;
        m_group = own;
        for (uint32_t i = 0; i < planes.size() && m_folded; ++i)
            if (planes[i].columns == m_sweep.columns &&
                std::any_of(own.begin(), own.end(), [&](uint32_t mine) { return mine != i && both(mine, i); }))
                m_group.insert(i);
        for (const uint32_t plane : m_group)
            if (m_sweep.buffers.empty() || m_sweep.buffers.back() != planes[plane].buffer)
                m_sweep.buffers.push_back(planes[plane].buffer);
    }

    Sweep build()
    {
        for (const Write& write : m_flow.writes()) {
            if (!m_group.contains(write.place.plane))
                continue;
            const uint32_t column = columnOf(write.place);
            if (column >= kMostColumns) {
                m_sweep.cut = true;
                continue;
            }
            if (startsRow(write) && !addRow(write))
                break;
            put(write, column);
        }
        m_sweep.columns = std::min<uint64_t>(m_sweep.columns, kMostColumns);
        return std::move(m_sweep);
    }

private:
    [[nodiscard]] uint32_t columnOf(const Place& place) const
    {
        const Plane& plane = m_flow.planes()[place.plane];
        return m_folded ? place.column : static_cast<uint32_t>(plane.half * plane.columns) + place.column;
    }

    /// A new epoch, or a value of this row that was read after it had been written.
    bool startsRow(const Write& write)
    {
        if (m_sweep.rows.empty() || m_sweep.rows.back().epoch != write.epoch)
            return true;
        for (size_t i = 0; i < write.reads; ++i) {
            const Read& read = m_flow.reads()[write.firstRead + i];
            const auto written = m_written.find({read.place.plane, read.place.column});
            if (written != m_written.end() && written->second < read.step)
                return true;
        }
        return false;
    }

    bool addRow(const Write& write)
    {
        const size_t columns = std::min<uint64_t>(m_sweep.columns, kMostColumns);
        if ((m_sweep.rows.size() + 1) * columns > kMostCells) {
            m_sweep.cut = true;
            return false;
        }
        SweepRow row{write.epoch, write.step, write.site, {}};
        row.cells = m_sweep.rows.empty() ? std::vector<SweepCell>(columns) : m_sweep.rows.back().cells;
        for (SweepCell& cell : row.cells)
            cell.written = false;
        m_sweep.rows.push_back(std::move(row));
        m_written.clear();
        return true;
    }

    void put(const Write& write, uint32_t column)
    {
        const auto row = static_cast<uint32_t>(m_sweep.rows.size() - 1);
        m_sweep.rows[row].cells[column] = {write.known, true, write.thread, write.value};
        m_written[{write.place.plane, write.place.column}] = write.step;
        std::set<uint32_t> sources;
        for (size_t i = 0; i < write.reads; ++i) {
            const Read& read = m_flow.reads()[write.firstRead + i];
            if (m_group.contains(read.place.plane))
                sources.insert(columnOf(read.place));
        }
        for (const uint32_t from : sources)
            if (row > 0 && from < kMostColumns)
                m_sweep.arcs.push_back({row, from, column, write.thread});
    }

    const Flow& m_flow;
    Sweep m_sweep;
    std::set<uint32_t> m_group;  ///< planes
    bool m_folded = true;
    std::map<std::pair<uint32_t, uint32_t>, StepIndex> m_written;  ///< in the current row: when
};

}  // namespace

Result<Sweep> traceSweep(replay::Session& session, LaunchId launch, BlockIndex block, std::optional<BufferId> buffer)
{
    const Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return buffers.error();
    Result<std::unique_ptr<replay::BlockCursor>> cursor = session.cursor(launch, block);
    if (!cursor.ok())
        return cursor.error();
    const auto steps = cursor.value()->summary();
    if (!steps.ok())
        return steps.error();
    Flow flow(buffers.value());
    bool whole = true;
    const Result<void> done = session.reader().visit(
        launch, block, 0, steps.value()->size(), trace::Detail::Everything, [&](StepIndex step, const Event& event) {
            if (event.isAccess())
                whole = flow.add(step, (*steps.value())[step].epoch, event);
            return whole;
        });
    if (!done.ok())
        return done.error();
    const Traffic traffic = trafficOf(flow);
    const std::vector<BufferId> choices = choicesOf(flow, traffic);
    const bool known = buffer && std::find(choices.begin(), choices.end(), *buffer) != choices.end();
    if (choices.empty())
        return Sweep{};
    Sweep sweep = SweepBuilder(flow, traffic, known ? *buffer : choices.front()).build();
    sweep.choices = choices;
    sweep.cut = sweep.cut || !whole;
    return sweep;
}

}  // namespace lanescope::analysis
