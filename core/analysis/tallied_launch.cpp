// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/analysis/tallied_launch.h"

#include <unordered_set>

namespace lanescope::analysis {

Result<void> visitLaunch(trace::TraceReader& reader, LaunchId launch, trace::Detail detail,
                         const std::function<bool(const trace::BlockTally&)>& tally,
                         const std::function<void(BlockIndex, StepIndex, const trace::Event&)>& event)
{
    const Result<std::vector<BlockIndex>> blocks = reader.blocks(launch);
    if (!blocks.ok())
        return blocks.error();
    std::unordered_set<uint64_t> tallied;
    Result<void> read = reader.visitTallies(launch, [&](const trace::BlockTally& found) {
        if (!tallied.contains(found.block.value) && tally(found))
            tallied.insert(found.block.value);
    });
    if (!read.ok())
        return read;
    for (const BlockIndex block : blocks.value()) {
        if (tallied.contains(block.value))
            continue;
        Result<void> visited =
            reader.visit(launch, block, 0, UINT64_MAX, detail, [&](StepIndex step, const trace::Event& found) {
                event(block, step, found);
                return true;
            });
        if (!visited.ok())
            return visited;
    }
    return {};
}

uint64_t baseOf(const trace::Buffer& buffer)
{
    return buffer.space == trace::Space::Shared ? buffer.sharedOffset : buffer.deviceAddress;
}

}  // namespace lanescope::analysis
