// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/variable_history.h"

namespace lanescope::analysis {

using trace::Event;
using trace::SiteKind;

Result<VariableHistory> variableHistory(trace::TraceReader& reader, LaunchId launch, BlockIndex block, uint64_t thread,
                                        VariableId variable, size_t limit)
{
    const uint64_t warp = thread / kWarpSize;
    const size_t lane = thread % kWarpSize;
    const std::vector<trace::Site>& sites = reader.catalog().sites;
    VariableHistory history;
    std::vector<VariableRead> reads;
    const auto note = [&](StepIndex step, const Event& event) {
        if (event.warp != warp || ((event.mask >> lane) & 1) == 0)
            return true;
        if (event.kind == SiteKind::Load || event.kind == SiteKind::Atomic) {
            if (reads.size() < kMaxVariableReads)
                reads.push_back({event.bufferOf(static_cast<int>(lane)), event.offset[lane], step});
            return true;
        }
        const auto& written = sites[event.site.value].variable;
        if (event.kind == SiteKind::VariableWrite && written && *written == variable)
            history.push_back({step, event.site, event.valuesKnown, event.value[lane], reads});
        reads.clear();
        return history.size() < limit;
    };
    auto visited = reader.visit(launch, block, 0, UINT64_MAX, trace::Detail::Everything, note);
    if (!visited)
        return visited.error();
    return history;
}

Result<void> computeValues(VariableHistory& history, replay::BlockCursor& cursor, uint64_t thread, VariableId variable)
{
    const auto warp = static_cast<uint32_t>(thread / kWarpSize);
    for (VariableWrite& write : history) {
        if (write.known || write.step >= cursor.stepCount())
            continue;
        if (Result<void> there = cursor.seek(write.step + 1); !there)
            return there.error();
        write.value = cursor.variable(variable, warp).value[thread % kWarpSize];
        write.known = true;
    }
    return {};
}

}  // namespace lanescope::analysis
