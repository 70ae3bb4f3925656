// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a kernel that we did not build, as events of the trace.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>

#include "core/attach/code_map.h"
#include "core/attach/memory_map.h"
#include "core/cuda/block_logs.h"

namespace lanescope::attach {

/// One launch, as its records are to be understood. All of it outlives the launch's AttachedBlocks.
struct AttachedLaunch {
    trace::Launch launch;
    const Regions& regions;
    /// The trace's buffer for a region that a kernel uses. Called by several threads.
    std::function<trace::Buffer(const Region&)> use;
    trace::ValueType word;            ///< how values of this width are shown where nothing says what they are
    BufferId shared;                  ///< of the block's shared memory
    uint64_t sharedFirst = 0;         ///< offset in the window where the program's own begins
    std::function<BufferId()> local;  ///< the buffer of each thread's local memory. Called by several threads
    CodeMap& code;
    trace::TraceWriter& writer;
};

/// An access of global memory that the program has not had from CUDA.
struct StrayAccess {
    trace::SourceLocation where;
    bool writes = false;
    uint64_t address = 0;
    uint64_t block = 0;
    uint32_t thread = 0;
    uint32_t epoch = 0;
    StepIndex step = 0;
};

class AttachedBlocks final : public cuda::BlockSink {
public:
    explicit AttachedBlocks(const AttachedLaunch& launch) : m_launch(launch) {}

    [[nodiscard]] bool isReturn(uint32_t place) const override
    {
        return deedOf(place) == static_cast<uint32_t>(Deed::Exit);
    }
    [[nodiscard]] uint64_t threadsPerBlock() const override { return m_launch.launch.block.count(); }
    bool write(uint64_t block, const cuda::BlockRecords& records, cuda::Faults& faults) const override;

    /// Bytes up to the last one that was accessed.
    [[nodiscard]] uint64_t sharedBytes() const { return m_sharedBytes; }
    [[nodiscard]] uint64_t localBytes() const { return m_localBytes; }
    /// The first one of the lowest block that has one.
    [[nodiscard]] std::optional<StrayAccess> stray() const;

private:
    class Translation;

    const AttachedLaunch& m_launch;
    mutable std::atomic<uint64_t> m_sharedBytes = 0;
    mutable std::atomic<uint64_t> m_localBytes = 0;
    mutable std::mutex m_strayLock;
    mutable std::optional<StrayAccess> m_stray;
};

}  // namespace lanescope::attach
