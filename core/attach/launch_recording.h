// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One launch of a kernel that we did not build, from its begin to its end: the memory as it was, the records as they
// come, the buffers that turn out to be used.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/attach/attached_blocks.h"
#include "core/attach/code_map.h"
#include "core/attach/memory_map.h"
#include "core/cuda/block_logs.h"
#include "core/cuda/log_drain.h"
#include "core/cuda/log_memory.h"

namespace lanescope::attach {

/// What all launches of a session share.
struct SessionParts {
    MemoryMap& memory;
    CodeMap& code;
    trace::TraceWriter& writer;
};

/// A block's shared memory, as far as it is known when the launch begins.
struct SharedMemory {
    uint64_t bytes = 0;  ///< of the program; 0: it has none
    uint64_t first = 0;  ///< bytes of the system before the program's
};

class LaunchRecording {
public:
    /// \p word: how values are shown about which nothing is known.
    LaunchRecording(const SessionParts& session, const trace::Launch& launch, Regions regions,
                    const trace::ValueType& word, const SharedMemory& shared);
    LaunchRecording(const LaunchRecording&) = delete;
    LaunchRecording& operator=(const LaunchRecording&) = delete;

    /// Takes what the memory holds, the smallest regions first, up to \p most bytes. \p read: false when a region
    /// cannot be read. Whether all regions had room.
    bool keepContents(uint64_t most, const std::function<bool(const Region&, std::vector<std::byte>&)>& read);
    /// Takes the records of \p log from now on.
    void start(const cuda::LogMemory& log);
    /// The kernel has ended, or (\p failed) will not be heard of again. The launch as it was.
    trace::Launch end(cuda::LogMemory& log, bool failed);
    /// After the end: the first access outside of the program's memory.
    [[nodiscard]] std::optional<StrayAccess> stray() const { return m_blocks.stray(); }

private:
    trace::Buffer use(const Region& region);
    BufferId local();
    void putBlockBuffer(BufferId id, const char* name, trace::Space space, uint64_t bytes);

    SessionParts m_session;
    Regions m_regions;
    uint64_t m_sharedBytes;
    std::mutex m_usesLock;
    std::map<uint64_t, std::vector<std::byte>> m_contents;  ///< by the region's address, of those not yet used
    std::map<uint64_t, trace::Buffer> m_uses;               ///< by the region's address
    BufferId m_local = kNoBuffer;
    AttachedLaunch m_launch;
    AttachedBlocks m_blocks;
    std::vector<cuda::BlockLogs> m_logs;  ///< [queue]
    std::unique_ptr<cuda::LogDrain> m_drain;
};

}  // namespace lanescope::attach
