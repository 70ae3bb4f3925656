// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/flow.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/statement_names.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;
using trace::Space;

namespace {

constexpr size_t kMostSources = size_t{1} << 22;
constexpr size_t kMostPending = 256;      // reads of one thread that are remembered for its next write
constexpr size_t kMostVisited = 1 << 14;  // sources looked at for one write
constexpr uint32_t kNoSource = UINT32_MAX;

/// Numbers that were met; mostly a few.
class Seen {
public:
    /// False: it was there.
    bool insert(uint32_t number)
    {
        constexpr size_t kFew = 24;
        if (m_many.empty() && m_few.size() < kFew) {
            if (std::ranges::find(m_few, number) != m_few.end())
                return false;
            m_few.push_back(number);
            return true;
        }
        if (m_many.empty())
            m_many.insert(m_few.begin(), m_few.end());
        return m_many.insert(number).second;
    }
    [[nodiscard]] size_t size() const { return m_many.empty() ? m_few.size() : m_many.size(); }

private:
    std::vector<uint32_t> m_few;
    std::unordered_set<uint32_t> m_many;
};

}  // namespace

class FlowBuilder {
public:
    FlowBuilder(Flow& flow, const trace::Catalog& catalog, const std::vector<trace::Buffer>& buffers)
        : m_flow(flow), m_catalog(catalog), m_names(catalog),
          m_byNames(catalog.session.variablesRecorded && catalog.session.mode == "-O0")
    {
        for (const trace::Buffer& buffer : buffers) {
            if (buffer.space != Space::Shared && buffer.space != Space::Global)
                continue;
            const uint64_t elements = buffer.bytes / std::max(1U, buffer.element.totalBytes());
            const bool halves = buffer.dims.size() >= 2 && buffer.dims[0] == 2 && elements % 2 == 0;
            flow.m_firstPlane[buffer.id.value] = {flow.m_planes.size(), buffer};
            for (uint32_t half = 0; half < (halves ? 2U : 1U); ++half)
                flow.m_planes.push_back({buffer.id, half, halves ? elements / 2 : elements});
        }
    }

    /// False when there is no room for more.
    bool add(StepIndex step, uint32_t epoch, const Event& event)
    {
        const bool matters = event.isAccess() || (m_byNames && event.kind == SiteKind::VariableWrite);
        if (!matters)
            return true;
        const trace::Site& site = m_catalog.sites[event.site.value];
        const Statement& statement = statementOf(event.site, site);
        for (LaneMask rest = event.mask; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            const auto number = static_cast<uint32_t>(event.warp * kWarpSize + lane);
            if (number >= m_threads.size())
                m_threads.resize(number + 1);
            Thread& thread = m_threads[number];
            if (m_byNames)
                follow(thread, site);
            if (event.isAccess())
                addAccess(thread, number, step, epoch, event, lane, statement);
            else
                addValue(thread, site, statement);
        }
        return m_flow.m_sources.size() < kMostSources && m_flow.m_reads.size() < kMostSources;
    }

private:
    /// With the variables whose value it uses by their numbers: names are compared once, not for each lane.
    struct Statement {
        uint64_t id = 0;
        std::vector<uint32_t> names;
        bool isKnown = false;
    };

    [[nodiscard]] uint32_t numberOf(const std::string& name)
    {
        return m_numbers.try_emplace(name, static_cast<uint32_t>(m_numbers.size())).first->second;
    }

    const Statement& statementOf(SiteId id, const trace::Site& site)
    {
        if (m_statements.empty()) {
            m_statements.resize(m_catalog.sites.size());
            for (const trace::Variable& variable : m_catalog.variables)
                m_nameOf.push_back(numberOf(variable.name));
        }
        Statement& statement = m_statements[id.value];
        if (!statement.isKnown) {
            const StatementNames::Statement& text = m_names.at(site.where);
            statement.id = text.id;
            for (const std::string& name : text.names)
                statement.names.push_back(numberOf(name));
            statement.isKnown = true;
        }
        return statement;
    }

    /// A function under way, and what its caller was about.
    struct Call {
        const std::string* function = nullptr;  ///< the caller
        uint64_t statement = 0;
        const Statement* text = nullptr;
        std::vector<Flow::KeptRead> reads;
        std::vector<uint32_t> made;  ///< sources of the variables that the function wrote
    };

    /// What one thread has read and holds.
    struct Thread {
        uint64_t statement = 0;
        const Statement* text = nullptr;
        std::vector<Flow::KeptRead>
            reads;  ///< in the statement; without variables: since it last went on to something new
        bool wrote = false;
        uint32_t wroteInEpoch = 0;
        std::vector<uint32_t> variables;        ///< [name] source, where it has one
        uint32_t returned = kNoSource;          ///< by a function, not yet used
        const std::string* function = nullptr;  ///< of the last event
        std::vector<Call> calls;
    };

    void enter(Thread& thread, const Statement& statement)
    {
        if (thread.text != nullptr && thread.statement == statement.id)
            return;
        thread.statement = statement.id;
        thread.text = &statement;
        thread.reads.clear();
        thread.wrote = false;
    }

    uint32_t newSource(Thread& thread)
    {
        const size_t parents = m_flow.m_parents.size();
        if (m_byNames && thread.text != nullptr)
            for (const uint32_t name : thread.text->names)
                if (name < thread.variables.size() && thread.variables[name] != kNoSource)
                    m_flow.m_parents.push_back(thread.variables[name]);
        if (thread.returned != kNoSource)
            m_flow.m_parents.push_back(std::exchange(thread.returned, kNoSource));
        if (thread.reads.empty() && m_flow.m_parents.size() == parents)
            return kNoSource;
        for (const Flow::KeptRead& read : thread.reads)
            m_flow.m_reads.push_back(read);
        return endSource();
    }

    /// Of what was added to the flow's reads and parents since the last one.
    uint32_t endSource()
    {
        m_flow.m_sources.push_back(
            {static_cast<uint32_t>(m_flow.m_reads.size()), static_cast<uint32_t>(m_flow.m_parents.size())});
        return static_cast<uint32_t>(m_flow.m_sources.size() - 1);
    }

    void addAccess(Thread& thread, uint32_t number, StepIndex step, uint32_t epoch, const Event& event, int lane,
                   const Statement& statement)
    {
        const auto known = m_flow.m_firstPlane.find(event.bufferOf(lane).value);
        if (known == m_flow.m_firstPlane.end())
            return;
        const uint32_t bytes = std::max(1U, known->second.second.element.totalBytes());
        const auto place = m_flow.placeOf(event.bufferOf(lane), event.offset[static_cast<size_t>(lane)] / bytes);
        if (!place)
            return;
        if (m_byNames)
            enter(thread, statement);
        if (event.kind != SiteKind::Store)
            addRead(thread, epoch, {*place, event.site, step});
        if (event.kind == SiteKind::Load)
            return;
        m_flow.m_writes.push_back({*place, event.site, step, epoch, number, event.valuesKnown,
                                   event.value[static_cast<size_t>(lane)], newSource(thread)});
        thread.wrote = true;
        thread.wroteInEpoch = epoch;
    }

    void addRead(Thread& thread, uint32_t epoch, const Read& read)
    {
        // Something new begins when the thread, having written, reads on; without names: when it then passes a barrier
        // or comes round a loop.
        const bool again = std::any_of(thread.reads.begin(), thread.reads.end(), [&](const Flow::KeptRead& kept) {
            return m_flow.m_readings[kept.reading].site == read.site;
        });
        if (thread.wrote && (m_byNames || again || thread.wroteInEpoch != epoch)) {
            thread.reads.clear();
            thread.wrote = false;
        }
        if (thread.reads.size() < kMostPending)
            thread.reads.push_back({readingOf(read), read.place.column});
    }

    /// The lanes of a step come one after the other, so most are of the reading that was entered last.
    uint32_t readingOf(const Read& read)
    {
        const Flow::Reading wanted{read.place.plane, read.site, static_cast<uint32_t>(read.step)};
        const size_t count = m_flow.m_readings.size();
        if (count == 0 || m_flow.m_readings[count - 1] != wanted) {
            m_flow.m_readings.push_back(wanted);
            return static_cast<uint32_t>(count);
        }
        return static_cast<uint32_t>(count - 1);
    }

    void addValue(Thread& thread, const trace::Site& site, const Statement& statement)
    {
        const trace::Variable& variable = m_catalog.variables[site.variable->value];
        // A parameter's value comes from the statement that calls.
        if (!variable.isParameter)
            enter(thread, statement);
        // What was written already has taken its reads: in `for (…; ++i) s[i] = in[i];` they are not i's.
        if (thread.wrote)
            thread.reads.clear();
        const uint32_t source = newSource(thread);
        const uint32_t name = m_nameOf[site.variable->value];
        if (name >= thread.variables.size())
            thread.variables.resize(m_numbers.size(), kNoSource);
        thread.variables[name] = source;
        if (source != kNoSource && !thread.calls.empty())
            thread.calls.back().made.push_back(source);
        thread.wrote = thread.wrote || !variable.isParameter;
    }

    /// Calls are seen by their parameters, returns by the caller going on. What a function computed may be what it
    /// returned.
    void follow(Thread& thread, const trace::Site& site)
    {
        if (!thread.calls.empty() && site.function == *thread.calls.back().function) {
            Call call = std::move(thread.calls.back());
            thread.calls.pop_back();
            thread.statement = call.statement;
            thread.text = call.text;
            thread.reads = std::move(call.reads);
            thread.wrote = false;
            if (!call.made.empty()) {
                for (const uint32_t made : call.made)
                    m_flow.m_parents.push_back(made);
                thread.returned = endSource();
            }
        } else if (thread.function != nullptr && site.function != *thread.function && site.variable &&
                   m_catalog.variables[site.variable->value].isParameter) {
            thread.calls.push_back({thread.function, thread.statement, thread.text, thread.reads, {}});
        }
        thread.function = &site.function;
    }

    Flow& m_flow;
    const trace::Catalog& m_catalog;
    StatementNames m_names;
    bool m_byNames;
    std::vector<Statement> m_statements;        ///< [site]
    std::map<std::string, uint32_t> m_numbers;  ///< of names
    std::vector<uint32_t> m_nameOf;             ///< [variable]
    std::vector<Thread> m_threads;              ///< by linear index in the block
};

Result<Flow> Flow::of(replay::Session& session, LaunchId launch, BlockIndex block)
{
    const Result<std::vector<trace::Buffer>> buffers = session.buffersOf(launch);
    if (!buffers.ok())
        return buffers.error();
    const auto steps = session.summary(launch, block);
    if (!steps.ok())
        return steps.error();
    Flow flow;
    FlowBuilder builder(flow, session.catalog(), buffers.value());
    const Result<void> done = session.reader().visit(
        launch, block, 0, steps.value()->size(), trace::Detail::Everything, [&](StepIndex step, const Event& event) {
            flow.m_cut = !builder.add(step, (*steps.value())[step].epoch, event);
            return !flow.m_cut;
        });
    if (!done.ok())
        return done.error();
    return flow;
}

std::optional<Place> Flow::placeOf(BufferId buffer, uint64_t element) const
{
    const auto known = m_firstPlane.find(buffer.value);
    if (known == m_firstPlane.end())
        return std::nullopt;
    const uint64_t columns = m_planes[known->second.first].columns;
    const uint64_t half = columns == 0 ? 0 : element / columns;
    const size_t plane = known->second.first + half;
    if (columns == 0 || half > 1 || plane >= m_planes.size() || m_planes[plane].buffer != buffer)
        return std::nullopt;
    return Place{static_cast<uint32_t>(plane), static_cast<uint32_t>(element % columns)};
}

std::vector<Read> Flow::readsOf(const Write& write) const
{
    std::vector<Read> reads;
    Seen seen;
    std::vector<uint32_t> open;
    if (write.source != kNoSource)
        open.push_back(write.source);
    while (!open.empty() && seen.size() < kMostVisited && reads.size() < kMostReads) {
        const uint32_t at = open.back();
        open.pop_back();
        if (!seen.insert(at))
            continue;
        const Source begin = at > 0 ? m_sources[at - 1] : Source();
        const Source& end = m_sources[at];
        for (uint32_t i = begin.endOfReads; i < end.endOfReads && reads.size() < kMostReads; ++i)
            reads.push_back(readOf(m_reads[i]));
        for (uint32_t i = begin.endOfParents; i < end.endOfParents; ++i)
            open.push_back(m_parents[i]);
    }
    return reads;
}

}  // namespace lanescope::analysis
