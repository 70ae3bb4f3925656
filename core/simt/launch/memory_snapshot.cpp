// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/launch/memory_snapshot.h"

#include <algorithm>

namespace lanescope::simt {
namespace {

/// Watched or not: threads may write what no two of them share.
bool mayBeWritten(const ObjectEntry& entry)
{
    return entry.initialised && !entry.readOnly && (entry.races || !entry.valuesDerivable);
}

}  // namespace

MemorySnapshot::MemorySnapshot(const LaunchPlan& plan)
{
    for (const uint64_t slot : plan.objects.placedSlots()) {
        const ObjectEntry& entry = plan.objects[slot];
        if (mayBeWritten(entry))
            m_pieces.push_back({&entry, std::vector<std::byte>(entry.host, entry.host + entry.bytes),
                                std::vector<uint8_t>(entry.initialised, entry.initialised + (entry.bytes + 7) / 8)});
    }
}

void MemorySnapshot::restore() const
{
    for (const Piece& piece : m_pieces) {
        std::copy(piece.bytes.begin(), piece.bytes.end(), piece.entry->host);
        std::copy(piece.initialised.begin(), piece.initialised.end(), piece.entry->initialised);
    }
}

uint64_t MemorySnapshot::bytes(const LaunchPlan& plan)
{
    uint64_t sum = 0;
    for (const uint64_t slot : plan.objects.placedSlots())
        sum += mayBeWritten(plan.objects[slot]) ? plan.objects[slot].bytes : 0;
    return sum;
}

}  // namespace lanescope::simt
