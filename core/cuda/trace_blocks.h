// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of an instrumented kernel, as events of the trace.
#pragma once

#include "core/cuda/block_logs.h"
#include "core/cuda/launch_tables.h"

namespace lanescope::cuda {

class TraceBlocks final : public BlockSink {
public:
    explicit TraceBlocks(const LaunchTables& tables) : m_tables(tables) {}

    [[nodiscard]] bool isReturn(uint32_t place) const override;
    [[nodiscard]] uint64_t threadsPerBlock() const override { return m_tables.launch().block.count(); }
    bool write(uint64_t block, const BlockRecords& records, Faults& faults) const override;

private:
    const LaunchTables& m_tables;
};

}  // namespace lanescope::cuda
