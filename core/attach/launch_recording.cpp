// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/attach/launch_recording.h"

#include <algorithm>
#include <thread>

namespace lanescope::attach {

namespace {

constexpr const char* kSharedName = "shared memory";
constexpr const char* kLocalName = "local memory";

}  // namespace

LaunchRecording::LaunchRecording(const SessionParts& session, const trace::Launch& launch, Regions regions,
                                 const trace::ValueType& word, const SharedMemory& shared)
    : m_session(session), m_regions(std::move(regions)), m_sharedBytes(shared.bytes),
      m_launch{launch,
               m_regions,
               [this](const Region& region) { return use(region); },
               word,
               shared.bytes > 0 ? session.memory.newBuffer() : kNoBuffer,
               shared.first,
               [this] { return local(); },
               session.code,
               session.writer},
      m_blocks(m_launch)
{
    putBlockBuffer(m_launch.shared, kSharedName, trace::Space::Shared, shared.bytes);
}

bool LaunchRecording::keepContents(uint64_t most,
                                   const std::function<bool(const Region&, std::vector<std::byte>&)>& read)
{
    std::vector<Region> bySize = m_regions.all();
    std::ranges::sort(bySize, {}, &Region::bytes);
    uint64_t kept = 0;
    for (const Region& region : bySize) {
        kept += region.bytes;
        if (kept > most)
            return false;
        std::vector<std::byte> bytes(region.bytes);
        if (read(region, bytes))
            m_contents[region.address] = std::move(bytes);
    }
    return true;
}

void LaunchRecording::start(const cuda::LogMemory& log)
{
    const cuda::PoolView pool = log.view();
    m_logs = std::vector<cuda::BlockLogs>(pool.shape.queueCount, cuda::BlockLogs(m_blocks));
    m_drain = std::make_unique<cuda::LogDrain>(
        pool, std::max(1u, std::thread::hardware_concurrency() - 1),
        [this](size_t queue, const cuda::RecordHeader& record) { m_logs[queue].take(record); });
}

trace::Launch LaunchRecording::end(cuda::LogMemory& log, bool failed)
{
    if (failed)
        m_drain->salvage();
    else
        m_drain->finish(log.openPages());
    log.noteUses(m_drain->uses());
    trace::Launch launch = m_launch.launch;
    launch.eventsDropped = m_drain->tornPages();
    for (cuda::BlockLogs& block : m_logs) {
        block.finish();
        launch.blocksRecorded += block.blocksRecorded();
        launch.eventsDropped += block.eventsDropped();
    }
    launch.blocksDropped = launch.grid.count() - std::min(launch.grid.count(), launch.blocksRecorded);
    launch.complete = !failed;
    putBlockBuffer(m_launch.shared, kSharedName, trace::Space::Shared, std::max(m_sharedBytes, m_blocks.sharedBytes()));
    putBlockBuffer(m_local, kLocalName, trace::Space::Local, m_blocks.localBytes());
    return launch;
}

trace::Buffer LaunchRecording::use(const Region& region)
{
    const std::lock_guard lock(m_usesLock);
    const auto [known, isNew] = m_uses.try_emplace(region.address);
    if (!isNew)
        return known->second;
    known->second = m_session.memory.buffer(region.address);
    m_session.writer.putBuffer(known->second);
    if (const auto found = m_contents.find(region.address); found != m_contents.end()) {
        m_session.writer.bufferContents(m_launch.launch.id, known->second.id, found->second, {});
        m_contents.erase(found);
    }
    return known->second;
}

BufferId LaunchRecording::local()
{
    const std::lock_guard lock(m_usesLock);
    if (m_local == kNoBuffer) {
        m_local = m_session.memory.newBuffer();
        putBlockBuffer(m_local, kLocalName, trace::Space::Local, 0);
    }
    return m_local;
}

void LaunchRecording::putBlockBuffer(BufferId id, const char* name, trace::Space space, uint64_t bytes)
{
    if (id == kNoBuffer)
        return;
    trace::Buffer buffer;
    buffer.id = id;
    buffer.name = name;
    buffer.space = space;
    buffer.element = m_launch.word;
    buffer.bytes = bytes;
    buffer.dims = {(bytes + buffer.element.totalBytes() - 1) / buffer.element.totalBytes()};
    buffer.launch = m_launch.launch.id;
    m_session.writer.putBuffer(buffer);
}

}  // namespace lanescope::attach
