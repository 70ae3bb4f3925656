// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/touched_memory.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/simt/checks/race_memory.h"

namespace lanescope::runtime {

namespace {

/// Of one buffer; more are not written.
constexpr size_t kMostRanges = size_t{1} << 18;

/// Of bytes, ascending, apart.
using TouchedRanges = std::vector<std::pair<uint64_t, uint64_t>>;

void addRange(TouchedRanges& ranges, uint64_t begin, uint64_t end)
{
    if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second = end;
    else
        ranges.emplace_back(begin, end);
}

struct Touched {
    TouchedRanges reads, writes, adds;

    [[nodiscard]] size_t count() const { return reads.size() + writes.size() + adds.size(); }
};

Touched touchedOf(const simt::RaceCells& cells, uint64_t bytes, uint32_t raceTime)
{
    Touched touched;
    const uint64_t unit = uint64_t{1} << cells.shift;
    const uint64_t end = (bytes + unit - 1) / unit;
    const auto next = [&](uint64_t cell) { return cells.nextTouched(cell, end, raceTime); };
    for (uint64_t i = next(0); i < end && touched.count() <= kMostRanges; i = next(i + 1)) {
        const uint64_t begin = i * unit, behind = std::min(begin + unit, bytes);
        if (cells.readerOf(i, 0).time > raceTime)
            addRange(touched.reads, begin, behind);
        if (const simt::Toucher writer = cells.writerOf(i, 0); writer.time > raceTime)
            addRange(writer.info & kTouchAtomic ? touched.adds : touched.writes, begin, behind);
    }
    return touched;
}

}  // namespace

void writeTouched(Runtime& runtime, uint32_t raceTime, const std::string& path)
{
    nlohmann::json buffers = nlohmann::json::array();
    for (const device::Allocation& buffer : runtime.memory().allocations()) {
        const simt::RaceCells* cells =
            buffer.live ? runtime.races().cellsOf(buffer.address, simt::kWordCells) : nullptr;
        if (!cells)
            continue;
        const Touched touched = touchedOf(*cells, buffer.bytes, raceTime);
        if (touched.count() == 0)
            continue;
        const BufferName* given = runtime.bufferName(buffer.buffer);
        const bool isNamed = given && !given->name.empty();
        nlohmann::json entry = {{"address", buffer.address},
                                {"name", isNamed                ? given->name
                                         : !buffer.name.empty() ? buffer.name
                                                                : buffer.origin},
                                {"element", isNamed ? given->elementBytes : buffer.element.totalBytes()}};
        if (touched.count() > kMostRanges)
            entry["unknown"] = true;
        else
            entry.update({{"reads", touched.reads}, {"writes", touched.writes}, {"adds", touched.adds}});
        buffers.push_back(std::move(entry));
    }
    std::ofstream(path) << nlohmann::json{{"buffers", std::move(buffers)}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lanescope::runtime
