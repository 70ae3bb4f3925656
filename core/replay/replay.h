// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State at any step of any block of a trace, in both directions. Read this header first.
//
// A block's steps are its recorded events, in the order in which they ran. "At step s" means: the first s
// events have run; event s is the next to run. Global memory at (launch, block, s) is the launch's initial
// contents plus every block's global writes of steps < s, by (step, block): blocks are shown side by side,
// step by step, since the hardware gives no order between them. Loads carry what the thread really got.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/replay/shared_vector.h"
#include "core/trace/reader.h"

namespace lanescope::replay {

/// The one place that every view looks at. Parts that are not given are "unspecified".
struct Focus {
    LaunchId launch;
    Dim3 block{0, 0, 0};
    StepIndex step = 0;
    Dim3 thread{0, 0, 0};
    /// A selected cell: flat element index in a buffer.
    std::optional<BufferId> buffer;
    uint64_t cell = 0;

    friend bool operator==(const Focus&, const Focus&) = default;
};

/// "launch=0 block=(1,0,0) step=137 thread=(2,1,0)".
std::string focusText(const Focus& focus);

/// A buffer's bytes at the current step.
struct BufferImage {
    SharedVector<std::byte> bytes;
    /// Step + 1 of the last write to each byte by its block; 0 = not written in this launch. Empty for global memory:
    /// see BlockCursor::lastWrites.
    std::vector<StepIndex> lastWrite;
    /// One bit per byte, LSB first: holds a defined value (initial contents or written).
    SharedVector<uint8_t> initialised;
    /// Two images of one buffer with the same version are equal; those with different ones mostly are not.
    uint64_t version = 0;

    [[nodiscard]] bool isInitialised(uint64_t byte) const { return (initialised[byte / 8] >> (byte % 8)) & 1; }
};

/// A variable of the 32 lanes of one warp.
struct VariableImage {
    LaneMask written = 0;  ///< lanes that have a value
    std::array<std::array<uint8_t, 16>, kWarpSize> value{};
    std::array<StepIndex, kWarpSize> lastWrite{};  ///< step + 1
};

struct WarpImage {
    LaneMask launched = 0;  ///< lanes that exist
    LaneMask exited = 0;
    uint32_t epoch = 0;                 ///< barriers passed by the block, as seen by this warp
    bool waiting = false;               ///< arrived at a barrier that is not complete
    std::optional<StepIndex> previous;  ///< the warp's last event that has run
    std::optional<StepIndex> next;      ///< the warp's next event
    LaneMask active = 0;                ///< mask of the next event (of the last one when nothing is left)
    trace::SourceLocation nextLine;
};

/// One access for "who wrote this" and a cell's history.
struct CellAccess {
    StepIndex step = 0;
    Dim3 thread;
    BlockIndex block;
    trace::SiteKind kind = trace::SiteKind::Load;
    SiteId site;
};

/// What a step looks like in the timeline: small, for every step of a block.
struct StepSummary {
    SiteId site;
    uint16_t warp = 0;
    trace::SiteKind kind = trace::SiteKind::Load;
    LaneMask mask = 0;
    uint32_t epoch = 0;
};

/// The state of one block at one step, movable both ways. Not thread-safe.
/// Cost: a step is O(lanes of the event); seek is O(distance to the nearest keyframe), bounded by the
/// keyframe spacing; keyframes are built on the way and kept within a memory budget.
class BlockCursor {
public:
    virtual ~BlockCursor() = default;

    [[nodiscard]] virtual LaunchId launch() const = 0;
    [[nodiscard]] virtual BlockIndex block() const = 0;
    [[nodiscard]] virtual StepIndex step() const = 0;
    /// Those that are shown, which can be gone to: all that were recorded, but of a very long block the first ones.
    [[nodiscard]] virtual StepIndex stepCount() const = 0;
    [[nodiscard]] virtual StepIndex recordedSteps() const = 0;

    virtual Result<void> seek(StepIndex step) = 0;
    /// Runs / takes back one event. An Error (Limit) at the end / beginning.
    virtual Result<void> stepForward() = 0;
    virtual Result<void> stepBackward() = 0;

    /// Event \p step with its values filled in where known (loads derived from state for the current and
    /// previous step; others as recorded). step < stepCount.
    [[nodiscard]] virtual Result<trace::Event> event(StepIndex step) = 0;
    [[nodiscard]] virtual const BufferImage& buffer(BufferId buffer) = 0;
    /// Local buffers: of one thread of the block (linear thread index).
    [[nodiscard]] virtual const BufferImage& localBuffer(BufferId buffer, uint32_t thread) = 0;
    /// Step + 1 of the last write to the first byte of each \p element bytes of the buffer, by any block; 0 = not
    /// written in this launch; empty where nothing is. \p thread counts for local buffers.
    [[nodiscard]] virtual std::vector<StepIndex> lastWrites(BufferId buffer, uint32_t thread, uint64_t element) = 0;
    [[nodiscard]] virtual const VariableImage& variable(VariableId variable, uint32_t warp) = 0;
    [[nodiscard]] virtual WarpImage warp(uint32_t warp) = 0;
    /// Hash of everything above at this step; equal states hash equally whatever way they were reached.
    [[nodiscard]] virtual uint64_t stateHash() = 0;

    /// Step targets, in the units of the stepping keys; none = no further one in that direction. They return
    /// the step to seek to and do not move. "line": the focused warp's next event is on another line.
    [[nodiscard]] virtual std::optional<StepIndex> nextLine(uint32_t warp) = 0;
    [[nodiscard]] virtual std::optional<StepIndex> previousLine(uint32_t warp) = 0;
    [[nodiscard]] virtual std::optional<StepIndex> nextAccess(uint32_t warp) = 0;
    [[nodiscard]] virtual std::optional<StepIndex> previousAccess(uint32_t warp) = 0;
    /// The step after the last arrival of the next / previous completed barrier.
    [[nodiscard]] virtual std::optional<StepIndex> nextEpoch() = 0;
    [[nodiscard]] virtual std::optional<StepIndex> previousEpoch() = 0;

    /// One entry per step of the block, in order; built once.
    [[nodiscard]] virtual Result<std::shared_ptr<const std::vector<StepSummary>>> summary() = 0;
    /// Accesses of this block to \p byteOffset .. + \p bytes of a buffer, in step order, at most \p limit.
    [[nodiscard]] virtual Result<std::vector<CellAccess>> history(BufferId buffer, uint64_t byteOffset, uint64_t bytes,
                                                                  size_t limit) = 0;
};

/// A trace opened for looking at. Not thread-safe: one engine thread owns it. Must outlive its cursors.
class Session {
public:
    static Result<std::unique_ptr<Session>> open(const std::string& path);
    virtual ~Session() = default;

    [[nodiscard]] virtual const trace::Catalog& catalog() const = 0;
    [[nodiscard]] virtual trace::TraceReader& reader() = 0;
    virtual Result<bool> refresh() = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<BlockCursor>> cursor(LaunchId launch, BlockIndex block) = 0;
    /// What a cursor's summary() gives, without a cursor.
    [[nodiscard]] virtual Result<std::shared_ptr<const std::vector<StepSummary>>> summary(LaunchId launch,
                                                                                          BlockIndex block) = 0;
    /// Buffers that exist for \p launch: its shared and local ones, and every global and constant one that
    /// it was passed or touched. Dims are filled in from the accesses where the catalog knows only a size
    /// (a row-major shape whose row is the stride between rows of threads).
    [[nodiscard]] virtual Result<std::vector<trace::Buffer>> buffersOf(LaunchId launch) = 0;
    /// Parses the command's FOCUS: parts in any order, missing ones from \p base, or "first", "last", "50%",
    /// "step=last", "step=50%", "epoch=2" (the step at which the block has completed two barriers). Steps count in the
    /// focused block.
    [[nodiscard]] virtual Result<Focus> parseFocus(const std::string& text, const Focus& base) = 0;
    /// Where a newcomer starts: the first shared-memory load of the first launch that has one, in a block
    /// near the middle of the grid; else the first access.
    [[nodiscard]] virtual Result<Focus> openingFocus() = 0;
};

/// "3.5", "-4", "true", "'c'", "a+0x10" … of one value; floats shortest that reads back, at most 9 digits.
std::string valueText(const trace::ValueType& type, const void* bytes);
/// The same, with pointers into global buffers as "a+0x10".
std::string valueText(const trace::ValueType& type, const void* bytes, const trace::Catalog& catalog);

}  // namespace lanescope::replay
