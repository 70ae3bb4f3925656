// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the host's side of a kernel's log: the words that hand pages over, those that warps still had, and the
// pages themselves. Records get the tags that whole ones have, or nobody would look at them. What they say becomes
// events of a trace: places 0 to 4 return, load, store, meet at a barrier and branch, objects 5 and 6 are shared arrays
// of 64 and 256 bytes, and the first slot of device memory holds 256 bytes.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/base/assert.h"
#include "core/cuda/block_logs.h"
#include "core/cuda/log_drain.h"
#include "core/cuda/record.h"
#include "core/cuda/trace_blocks.h"

using namespace lanescope;
using namespace lanescope::cuda;

namespace {

constexpr LogShape kShape{32, 4, 2};
constexpr uint32_t kWarps = 2;

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

/// A trace that each input adds a launch to. A new one begins now and then: it must not grow for ever.
class Recording {
public:
    Recording()
    {
        constexpr trace::SiteKind kKinds[] = {trace::SiteKind::Exit, trace::SiteKind::Load, trace::SiteKind::Store,
                                              trace::SiteKind::Barrier, trace::SiteKind::Branch};
        for (const trace::SiteKind kind : kKinds) {
            const auto number = static_cast<uint32_t>(m_sites.size());
            trace::Site& site = m_sites.emplace_back();
            site.id = SiteId{number};
            site.kind = kind;
            site.type = {trace::ScalarKind::Float, 4, 1, "float"};
            m_places.push_back({{number}, site.id});
        }
        LS_ASSERT(m_memory.allocate(256, "fuzz").ok());
        for (const auto& [key, bytes] : {std::pair(5u, 64u), std::pair(6u, 256u)})
            m_objects.push_back({{key | device::ObjectKey::kShared}, m_memory.newBufferId(), bytes, 0});
        m_launch.grid = {8, 1, 1};
        m_launch.block = {32 * kWarps, 1, 1};
        m_launch.places = m_places;
        m_launch.sites = m_sites;
        m_launch.objects = m_objects;
    }

    const device::DeviceLaunch& beginLaunch()
    {
        constexpr uint32_t kLaunchesOfATrace = 2000;
        if (m_launches % kLaunchesOfATrace == 0)
            beginTrace();
        m_launch.id = LaunchId{m_launches++ % kLaunchesOfATrace};
        m_launch.writer->beginLaunch(description());
        return m_launch;
    }
    void endLaunch() { m_launch.writer->endLaunch(description()); }
    [[nodiscard]] const device::DeviceMemory& memory() const { return m_memory; }

private:
    void beginTrace()
    {
        m_writer.reset();
        const std::string path = "/dev/shm/lanescope-fuzz-log-" + std::to_string(getpid()) + ".lanes";
        auto writer = trace::TraceWriter::create(path, {}, {});
        LS_ASSERT(writer.ok());
        m_writer = std::move(writer).value();
        std::remove(path.c_str());
        m_writer->addSites(m_sites);
        putBuffer(m_memory.allocations().front().buffer, trace::Space::Global, 256);
        for (const device::DeviceObject& object : m_objects)
            putBuffer(object.buffer, trace::Space::Shared, object.bytes);
        m_launch.writer = m_writer.get();
    }
    void putBuffer(BufferId id, trace::Space space, uint64_t bytes)
    {
        trace::Buffer buffer;
        buffer.id = id;
        buffer.space = space;
        buffer.element = {trace::ScalarKind::Float, 4, 1, "float"};
        buffer.dims = {bytes / 4};
        buffer.bytes = bytes;
        m_writer->putBuffer(buffer);
    }
    [[nodiscard]] trace::Launch description() const
    {
        trace::Launch launch;
        launch.id = m_launch.id;
        launch.grid = m_launch.grid;
        launch.block = m_launch.block;
        return launch;
    }

    device::DeviceMemory m_memory{1 << 20};
    std::vector<trace::Site> m_sites;
    std::vector<device::SitePlace> m_places;
    std::vector<device::DeviceObject> m_objects;
    device::DeviceLaunch m_launch;
    uint32_t m_launches = 0;
    std::unique_ptr<trace::TraceWriter> m_writer;
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
    static Recording recording;
    for (const bool isSalvage : {false, true}) {
        const LaunchTables tables(recording.beginLaunch(), recording.memory());
        const TraceBlocks sink(tables);
        std::vector<BlockLogs> logs(kShape.queueCount, BlockLogs(sink));
        std::vector<uint64_t> queues = written;
        LogDrain drain({kShape, units.front().bytes, freed, queues, 0}, 1,
                       [&](size_t queue, const RecordHeader& record) { logs[queue].take(record); });
        isSalvage ? drain.salvage() : drain.finish(open);
        for (BlockLogs& log : logs)
            log.finish();
        recording.endLaunch();
    }
    return 0;
}
