// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/origin.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace lanescope::analysis {

namespace {

constexpr uint32_t kDeepest = 48;

class OriginWalk {
public:
    OriginWalk(const Flow& flow, size_t limit) : m_flow(flow), m_limit(limit)
    {
        for (size_t i = 0; i < flow.writes().size(); ++i) {
            const Place& place = flow.writes()[i].place;
            m_writesTo[{place.plane, place.column}].push_back(i);
        }
    }

    void visit(const Place& place, StepIndex before, uint32_t depth)
    {
        if (m_nodes.size() >= m_limit || depth > kDeepest)
            return;
        OriginNode node;
        node.depth = depth;
        node.buffer = m_flow.planes()[place.plane].buffer;
        node.element = m_flow.elementOf(place);
        const std::optional<size_t> write = lastWrite(place, before);
        if (!write) {
            m_nodes.push_back(node);
            return;
        }
        const Write& from = m_flow.writes()[*write];
        node.written = true;
        node.step = from.step;
        node.thread = from.thread;
        node.site = from.site;
        node.known = from.known;
        node.value = from.value;
        node.repeated = !m_seen.insert(*write).second && from.source != UINT32_MAX;
        m_nodes.push_back(node);
        if (node.repeated)
            return;
        // The same cell with another value, as a tile that is filled again, is another origin.
        std::set<std::tuple<uint32_t, uint32_t, size_t>> visited;
        for (const Read& read : m_flow.readsOf(from)) {
            const size_t holds = lastWrite(read.place, read.step).value_or(SIZE_MAX);
            if (visited.insert({read.place.plane, read.place.column, holds}).second)
                visit(read.place, read.step, depth + 1);
        }
    }

    std::vector<OriginNode> take() { return std::move(m_nodes); }

private:
    [[nodiscard]] std::optional<size_t> lastWrite(const Place& place, StepIndex before) const
    {
        const auto known = m_writesTo.find({place.plane, place.column});
        if (known == m_writesTo.end())
            return std::nullopt;
        const auto after = std::partition_point(known->second.begin(), known->second.end(),
                                                [&](size_t i) { return m_flow.writes()[i].step < before; });
        return after == known->second.begin() ? std::nullopt : std::optional(*std::prev(after));
    }

    const Flow& m_flow;
    size_t m_limit;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> m_writesTo;
    std::set<size_t> m_seen;
    std::vector<OriginNode> m_nodes;
};

}  // namespace

std::vector<OriginNode> traceOrigin(const Flow& flow, BufferId buffer, uint64_t element, StepIndex step, size_t limit)
{
    const std::optional<Place> place = flow.placeOf(buffer, element);
    if (!place)
        return {};
    OriginWalk walk(flow, limit);
    walk.visit(*place, step, 0);
    return walk.take();
}

}  // namespace lanescope::analysis
