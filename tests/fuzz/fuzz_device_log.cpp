// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the host's side of a kernel's log: the words that hand pages over, those that warps still had, and the
// pages themselves. Records get the tags that whole ones have, or nobody would look at them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/cuda/block_logs.h"
#include "core/cuda/log_drain.h"
#include "core/cuda/record.h"

using namespace lanescope;
using namespace lanescope::cuda;

namespace {

constexpr LogShape kShape{32, 4, 2};
constexpr size_t kWarps = 2;

/// Takes as much of the input as a table has room for; the rest of the table stays zero.
template <typename T>
void fill(std::vector<T>& table, std::span<const uint8_t>& input)
{
    const size_t bytes = std::min(input.size(), table.size() * sizeof(T));
    if (bytes != 0)
        std::memcpy(table.data(), input.data(), bytes);
    input = input.subspan(bytes);
}

struct alignas(kUnitBytes) Unit {
    std::byte bytes[kUnitBytes] = {};
};

/// A record's length says where the next one begins.
void tagRecords(OpenPage page, std::vector<Unit>& units)
{
    if (page.number() >= kShape.pageCount)
        return;
    for (uint32_t unit = 0; unit + kHeaderUnits <= kShape.pageUnits;) {
        auto* header = reinterpret_cast<RecordHeader*>(&units[page.number() * kShape.pageUnits + unit]);
        header->tag = tagOf(page.use(), unit);
        unit += std::max<uint32_t>(header->units, 1);
    }
}

/// Reads all that a record says, in the order in which a block's records come.
class ReadingSink final : public BlockSink {
public:
    [[nodiscard]] bool isReturn(uint32_t place) const override { return place == 0; }
    [[nodiscard]] uint64_t threadsPerBlock() const override { return 32; }
    bool write(uint64_t block, const BlockRecords& records, Faults&) const override
    {
        std::array<uint64_t, kWarpSize> addresses{};
        LaneBytes values{};
        for (const auto& [clock, offset] : records.order) {
            const RecordHeader& record = records.at(offset);
            if (record.kind == RecordKind::Branch)
                m_sum += extraOf(record);
            if (record.kind != RecordKind::Access && record.kind != RecordKind::Object)
                continue;
            if (!affineAddresses(record))
                readAddresses(record, addresses);
            const std::byte* lanes = readValues(record, values);
            for (size_t i = 0; i < size_t{kWarpSize} * record.valueBytes; ++i)
                m_sum += std::to_integer<uint64_t>(lanes[i]);
        }
        return block < 8;
    }

private:
    mutable uint64_t m_sum = 0;  ///< so that every byte is read
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    std::span<const uint8_t> input(data, size);
    std::vector<uint64_t> written(size_t{kShape.queueCount} * kShape.pageCount), freed(16);
    std::vector<OpenPage> open(kWarps);
    std::vector<Unit> units(size_t{kShape.pageCount} * kShape.pageUnits);
    fill(open, input);
    fill(written, input);
    fill(units, input);
    for (const OpenPage page : open)
        tagRecords(page, units);
    for (const uint64_t word : written)
        tagRecords({word}, units);
    const ReadingSink sink;
    std::vector<BlockLogs> logs(kShape.queueCount, BlockLogs(sink));
    for (const bool isSalvage : {false, true}) {
        std::vector<uint64_t> queues = written;
        LogDrain drain({kShape, units.front().bytes, freed, queues, 0}, 1,
                       [&](size_t queue, const RecordHeader& record) { logs[queue].take(record); });
        isSalvage ? drain.salvage() : drain.finish(open);
    }
    for (BlockLogs& log : logs)
        log.finish();
    return 0;
}
