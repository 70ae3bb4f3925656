// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/device/judge_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/device/instances.h"

namespace lanescope::device {

std::string cellText(const trace::Buffer& buffer, uint64_t index)
{
    std::string subscripts;
    for (size_t i = buffer.dims.size(); i-- > 1;) {
        uint64_t extent = std::max<uint64_t>(buffer.dims[i], 1);
        subscripts.insert(0, fmt::format("[{}]", index % extent));
        index /= extent;
    }
    return fmt::format("{}[{}]{}", buffer.name, index, subscripts);
}

int64_t signedOffset(uint64_t address)
{
    return static_cast<int32_t>(static_cast<uint32_t>(address));
}

int64_t cellOf(uint64_t address, const trace::Buffer& buffer)
{
    return signedOffset(address) / int64_t{std::max<uint32_t>(buffer.element.totalBytes(), 1)};
}

bool sameLine(const trace::Site& a, const trace::Site& b)
{
    return a.where.source == b.where.source && a.where.line == b.where.line;
}

JudgeContext::Place JudgeContext::placeOf(uint64_t address) const
{
    const trace::Buffer* whole = bufferAt(address >> 32);
    const auto divided = parts ? parts->find(address >> 32) : decltype(parts->end()){};
    if (!whole || !parts || divided == parts->end())
        return {whole, 0};
    Place place{whole, 0};
    for (const trace::Buffer& part : divided->second)
        if (const uint64_t begin = part.sharedOffset - whole->sharedOffset; begin <= static_cast<uint32_t>(address))
            place = {&part, begin};
    return place;
}

CellOfAddress cellsOf(const JudgeContext::Place& place)
{
    if (!place.buffer)
        return nullptr;
    return [place](uint64_t address) { return cellOf(place.within(address), *place.buffer); };
}

void addInstances(trace::Finding& finding, const Instances& instances, const CellOfAddress& cellOfAddress,
                  bool twoSides, const JudgeContext& context)
{
    if (instances.empty() || finding.count < 2)
        return;
    auto add = [&](const char* which, const Instance& from) {
        trace::FindingInstance instance{which, {}, finding.accesses};
        if (cellOfAddress)
            instance.cell = {cellOfAddress(from.address)};
        bool differs = instance.cell != finding.cell;
        for (size_t i = 0; i < instance.accesses.size(); ++i) {
            trace::FindingAccess& access = instance.accesses[i];
            const size_t side = twoSides ? i : 0;
            access.block = positionOf(from.blocks[side], context.launch.grid);
            access.thread = positionOf(from.threads[side], context.launch.block);
            access.epoch = from.epoch;
            access.step = !twoSides || i == 1 ? from.step : 0;
            differs |= access.block != finding.accesses[i].block || access.thread != finding.accesses[i].thread;
        }
        if (differs)
            finding.instances.push_back(std::move(instance));
    };
    add("smallest", instances.smallest());
    add("typical", instances.typical());
}

}  // namespace lanescope::device
