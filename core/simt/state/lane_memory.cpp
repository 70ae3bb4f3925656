// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/state/lane_memory.h"

#include "core/simt/memory/device_heap.h"
#include "core/simt/state/block.h"
#include "core/simt/state/cluster.h"
#include "core/simt/state/lane_values.h"

namespace lanescope::simt {
namespace {

int64_t termOf(const Warp& warp, const AddressTerm& term, int lane)
{
    FlowOperand operand{term.operand, static_cast<uint8_t>(term.wide ? 64 : 32)};
    uint64_t value = valueOf(warp, operand, static_cast<size_t>(lane));
    return term.wide ? static_cast<int64_t>(value) : static_cast<int32_t>(static_cast<uint32_t>(value));
}

}  // namespace

Block* blockOfRank(const Warp& warp, uint64_t address)
{
    if (!isSharedAddress(address) || !warp.block->cluster)
        return nullptr;
    const std::vector<Block*>& blocks = warp.block->cluster->blocks;
    const uint32_t rank = namedRank(address);
    return rank <= blocks.size() ? blocks[rank - 1] : nullptr;
}

const ObjectEntry* objectsOf(const Block& block)
{
    return block.warps.front().objects;
}

bool heapHolds(const ObjectEntry& object, uint64_t offset, uint64_t bytes)
{
    return object.heap->holds(offset, bytes);
}

uint64_t laneAddress(const Warp& warp, const MemoryInfo& info, int lane)
{
    uint64_t address = static_cast<uint64_t>(info.offset) + valueOf(warp, {info.base, 64}, static_cast<size_t>(lane));
    for (unsigned i = 0; i < info.scalarTermCount; ++i)
        address += static_cast<uint64_t>(termOf(warp, info.scalarTerms[i], lane) * info.scalarTerms[i].scale);
    for (unsigned i = 0; i < info.vectorTermCount; ++i)
        address += static_cast<uint64_t>(termOf(warp, info.vectorTerms[i], lane) * info.vectorTerms[i].scale);
    return address;
}

std::byte* hostAddress(const Warp& warp, int lane, uint64_t address, uint64_t bytes, bool isWrite)
{
    const ObjectEntry* object = objectOf(warp, address);
    uint64_t offset = offsetIn(warp, address);
    if (!object || object->freed || !holds(*object, offset, bytes) || (isWrite && object->readOnly))
        return nullptr;
    return object->host + offset + laneOffset(warp, *object, lane);
}

}  // namespace lanescope::simt
