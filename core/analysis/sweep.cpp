// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/sweep.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/flow.h"
#include "core/analysis/repetition.h"

namespace lanescope::analysis {

using trace::Space;

namespace {

constexpr size_t kMostColumns = 4096;
constexpr size_t kMostCells = 400'000;  // of all rows

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
        for (const Read& read : flow.readsOf(write)) {
            const Place& from = read.place;
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
                std::any_of(own.begin(), own.end(), [&](uint32_t mine) { return mine != i && both(mine, i); }) &&
                takeTurns(traffic, chosen, planes[i].buffer))
                m_group.insert(i);
        chooseColumns();
        for (const uint32_t plane : m_group)
            if (m_sweep.buffers.empty() || m_sweep.buffers.back() != planes[plane].buffer)
                m_sweep.buffers.push_back(planes[plane].buffer);
    }

    Sweep build()
    {
        for (const Write& write : m_flow.writes()) {
            if (!m_group.contains(write.place.plane))
                continue;
            const std::optional<uint32_t> column = columnOf(write.place);
            if (!column) {
                m_sweep.cut = true;
                continue;
            }
            if (startsRow(write) && !addRow(write))
                break;
            put(write, *column);
        }
        m_sweep.columns = std::min<uint64_t>(m_sweep.columns, kMostColumns);
        return std::move(m_sweep);
    }

private:
    /// Buffers that a scan goes back and forth between are written in epochs of their own, but for the first. Tiles
    /// that are filled side by side are not one buffer.
    static bool takeTurns(const Traffic& traffic, BufferId a, BufferId b)
    {
        if (a == b)
            return true;
        const std::set<uint32_t>& first = traffic.writeEpochs.at(a.value);
        const std::set<uint32_t>& second = traffic.writeEpochs.at(b.value);
        const auto common = std::count_if(first.begin(), first.end(), [&](uint32_t e) { return second.contains(e); });
        return common <= 1;
    }

    [[nodiscard]] uint64_t elementOf(const Place& place) const
    {
        const Plane& plane = m_flow.planes()[place.plane];
        return m_folded ? place.column : plane.half * plane.columns + place.column;
    }

    /// None: the element has no column.
    [[nodiscard]] std::optional<uint32_t> columnOf(const Place& place) const
    {
        const uint64_t element = elementOf(place);
        if (m_sweep.elements.empty())
            return element < kMostColumns ? std::optional(static_cast<uint32_t>(element)) : std::nullopt;
        const auto at = std::lower_bound(m_sweep.elements.begin(), m_sweep.elements.end(), element);
        if (at == m_sweep.elements.end() || *at != element)
            return std::nullopt;
        return static_cast<uint32_t>(at - m_sweep.elements.begin());
    }

    /// Of a buffer too large for a column each, a block writes a part.
    void chooseColumns()
    {
        if (m_sweep.columns <= kMostColumns)
            return;
        std::set<uint64_t> written;
        for (const Write& write : m_flow.writes())
            if (m_group.contains(write.place.plane))
                written.insert(elementOf(write.place));
        m_sweep.cut = written.size() > kMostColumns;
        m_sweep.elements.assign(written.begin(), written.end());
        m_sweep.elements.resize(std::min(kMostColumns, m_sweep.elements.size()));
        m_sweep.columns = m_sweep.elements.size();
    }

    /// A new epoch, or a value of this row that was read after it had been written.
    bool startsRow(const Write& write)
    {
        if (m_sweep.rows.empty() || m_sweep.rows.back().epoch != write.epoch)
            return true;
        for (const Read& read : m_flow.readsOf(write)) {
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
        for (const Read& read : m_flow.readsOf(write)) {
            if (m_group.contains(read.place.plane))
                if (const auto from = columnOf(read.place))
                    sources.insert(*from);
        }
        for (const uint32_t from : sources)
            if (row > 0)
                m_sweep.arcs.push_back({row, from, column, write.thread});
    }

    const Flow& m_flow;
    Sweep m_sweep;
    std::set<uint32_t> m_group;  ///< planes
    bool m_folded = true;
    std::map<std::pair<uint32_t, uint32_t>, StepIndex> m_written;  ///< in the current row: when
};

}  // namespace

Sweep sweepOf(Sweep sweep, const StepsOfBlock& steps)
{
    const auto takes = [&](size_t row, uint32_t thread) {
        return steps.contains(sweep.rows[row].step) && steps.takes(static_cast<uint16_t>(thread / kWarpSize));
    };
    for (size_t row = 0; row < sweep.rows.size(); ++row)
        for (SweepCell& cell : sweep.rows[row].cells)
            cell.written = cell.written && takes(row, cell.thread);
    std::erase_if(sweep.arcs, [&](const SweepArc& arc) { return !takes(arc.row, arc.thread); });
    sweep.patterns = patternsOf(sweep);
    return sweep;
}

std::vector<uint64_t> patternsOf(const Sweep& sweep)
{
    std::vector<uint64_t> patterns;
    auto arc = sweep.arcs.begin();
    for (size_t row = 0; row < sweep.rows.size(); ++row) {
        uint64_t pattern = 0;
        const auto add = [&](uint64_t value) {
            // The steps of splitmix64: cheap, and every bit counts.
            pattern += value + 0x9e3779b97f4a7c15;
            pattern = (pattern ^ (pattern >> 30)) * 0xbf58476d1ce4e5b9;
            pattern = (pattern ^ (pattern >> 27)) * 0x94d049bb133111eb;
        };
        const std::vector<SweepCell>& cells = sweep.rows[row].cells;
        for (size_t column = 0; column < cells.size(); ++column)
            if (cells[column].written)
                add(uint64_t{column} << 32 | cells[column].thread);
        for (; arc != sweep.arcs.end() && arc->row == row; ++arc) {
            add(uint64_t{arc->from} << 32 | arc->to);
            add(arc->thread);
        }
        patterns.push_back(pattern);
    }
    return patterns;
}

std::vector<SweepFold> foldRows(const std::vector<uint64_t>& patterns, std::optional<size_t> shown)
{
    std::vector<SweepFold> folds;
    for (size_t row = 0; row < patterns.size();) {
        const Repetition repetition = repetitionAt(patterns, row);
        const size_t end = row + repetition.length();
        const size_t skipped =
            shown && *shown >= row && *shown < end ? (*shown - row) / repetition.every * repetition.every : 0;
        for (size_t i = 0; i < repetition.every; ++i)
            folds.push_back({row + skipped + i, row + i, repetition.every, repetition.times});
        row = end;
    }
    return folds;
}

Sweep sweepOf(const Flow& flow, std::optional<BufferId> buffer)
{
    const Traffic traffic = trafficOf(flow);
    const std::vector<BufferId> choices = choicesOf(flow, traffic);
    const bool known = buffer && std::find(choices.begin(), choices.end(), *buffer) != choices.end();
    if (choices.empty())
        return Sweep{};
    Sweep sweep = SweepBuilder(flow, traffic, known ? *buffer : choices.front()).build();
    sweep.choices = choices;
    sweep.patterns = patternsOf(sweep);
    sweep.cut = sweep.cut || flow.cut();
    return sweep;
}

Result<Sweep> traceSweep(replay::Session& session, LaunchId launch, BlockIndex block, std::optional<BufferId> buffer)
{
    const Result<Flow> flow = Flow::of(session, launch, block);
    if (!flow.ok())
        return flow.error();
    return sweepOf(flow.value(), buffer);
}

}  // namespace lanescope::analysis
