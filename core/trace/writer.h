// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a trace while the program runs. TraceWriter is thread-safe; a BlockRecorder belongs to one host thread at a
// time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/base/result.h"
#include "core/trace/block_recorder.h"
#include "core/trace/model.h"

namespace lanescope::trace {

struct WriterOptions {
    uint64_t maxBytes = 0;  ///< byte budget of compressed chunks; 0 = none. Blocks beyond are dropped and counted
    bool recordVariables = true;
};

/// Owns the file. Every call may be made from any thread. Errors while writing (disk full) are kept: the
/// file stays readable up to the last commit, later calls are ignored, and finish() returns the error.
class TraceWriter {
public:
    static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, const SessionInfo& session,
                                                       const WriterOptions& options);
    virtual ~TraceWriter() = default;

    /// The same path and text again are the same source.
    virtual SourceId addSource(const std::string& path, const std::string& text) = 0;
    /// Ids must be handed in dense and in order; the id inside is what counts.
    virtual void addSites(std::span<const Site> sites) = 0;
    virtual void addVariables(std::span<const Variable> variables) = 0;
    /// Adds or, for an id that exists, replaces (a buffer gets its name when it is first passed to a kernel).
    virtual void putBuffer(const Buffer& buffer) = 0;
    /// From here on what recorders are told of \p whole lies in \p parts: shared buffers that were put, ascending by
    /// sharedOffset and without gaps, the first of which is \p whole itself. Before the launch's first block.
    virtual void divide(BufferId whole, std::span<const Buffer> parts) = 0;
    /// Contents of a Global or Constant buffer when \p launch starts; what replay starts from. Stored once: what
    /// some buffer held before is recognised by hash, as are pages that this one has had before (kept_contents.h).
    /// \p initialised: one bit per byte (LSB first), or empty = all initialised.
    virtual void bufferContents(LaunchId launch, BufferId buffer, std::span<const std::byte> bytes,
                                std::span<const uint8_t> initialised) = 0;
    virtual void beginLaunch(const Launch& launch) = 0;
    /// Starts recording one block; null when the budget is spent (counted as dropped). Give it back with endBlock.
    virtual std::unique_ptr<BlockRecorder> beginBlock(LaunchId launch, BlockIndex block) = 0;
    virtual void endBlock(std::unique_ptr<BlockRecorder> recorder) = 0;
    /// The launch starts over: its blocks so far are forgotten. Not while any of them is being recorded.
    virtual void restartLaunch(LaunchId launch) = 0;
    /// What the device counted in a launch, and what hardware measured of it. Before endLaunch.
    virtual void addCounts(std::span<const SiteCounts> counts) = 0;
    virtual void addMeasurements(std::span<const Measurement> measurements) = 0;
    virtual void addOperations(std::span<const LineOperations> operations) = 0;
    /// \p launch with its counters filled in and complete = true.
    virtual void endLaunch(const Launch& launch) = 0;
    /// Adds, or replaces the finding at \p index (counts grow while the program runs).
    virtual void putFinding(size_t index, const Finding& finding) = 0;
    /// Forgets the findings from \p index on: those of a launch that starts over.
    virtual void removeFindings(size_t index) = 0;
    /// Text the program printed, for the Output tab (capped by the writer).
    virtual void addOutput(bool isStderr, std::string_view text) = 0;
    /// First write error so far, if any.
    [[nodiscard]] virtual std::optional<Error> failure() const = 0;
    /// Compressed chunk bytes and events so far.
    [[nodiscard]] virtual uint64_t bytesWritten() const = 0;
    /// Waits until what was handed in so far will outlive the process, but no longer than \p timeout. True when it
    /// will.
    virtual bool keep(std::chrono::milliseconds timeout) = 0;
    /// Closes in order.
    virtual Result<void> finish(const ProgramEnd& programEnd, const StopReason& stopReason) = 0;
};

/// Adds to the trace at \p path how its program ended, for who saw it: the program itself may not have been able to
/// say.
Result<void> noteProgramEnd(const std::string& path, const ProgramEnd& programEnd);

}  // namespace lanescope::trace
