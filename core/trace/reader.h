// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a trace, also one that is still growing, was cut off by kill -9, or is damaged.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/block_tally.h"
#include "core/trace/model.h"

namespace lanescope::trace {

/// One decoded chunk: events [firstStep, firstStep + events.size()) of one block, in step order.
struct Chunk {
    StepIndex firstStep = 0;
    std::vector<Event> events;
};

/// A store to global memory, cut out of a block's stream so that other blocks' states can be had cheaply.
struct InitialContents {
    std::vector<std::byte> bytes;
    std::vector<uint8_t> initialised;  ///< one bit per byte, LSB first; empty = all
};

/// How much of each event a visit decodes; less is faster.
enum class Detail : uint8_t {
    Headers,     ///< site, warp, kind, mask, taken, buffer, valueBytes; offsets and values are unspecified
    Places,      ///< also the offsets
    Everything,  ///< also the values
};

/// Not thread-safe; one per thread. Methods that take a launch or block return an Error for ids that are not there.
class TraceReader {
public:
    /// Errors name what is wrong: empty, not a trace, newer schema, damaged table.
    static Result<std::unique_ptr<TraceReader>> open(const std::string& path);
    virtual ~TraceReader() = default;

    [[nodiscard]] virtual const Catalog& catalog() const = 0;
    /// Re-reads the tables of a growing trace; true when something is new.
    virtual Result<bool> refresh() = 0;
    /// Blocks of \p launch of which anything was recorded, ascending. A block under way (or cut off) is there with
    /// the steps of its completed chunks; see blockComplete.
    [[nodiscard]] virtual Result<std::vector<BlockIndex>> blocks(LaunchId launch) = 0;
    [[nodiscard]] virtual Result<StepIndex> stepCount(LaunchId launch, BlockIndex block) = 0;
    /// The chunk that holds \p step (step < stepCount).
    [[nodiscard]] virtual Result<Chunk> chunkAt(LaunchId launch, BlockIndex block, StepIndex step) = 0;
    /// Whether the block was recorded to its end.
    [[nodiscard]] virtual Result<bool> blockComplete(LaunchId launch, BlockIndex block) = 0;
    /// Floating-point operations of each warp of the block, all lanes together; an FMA is two. Empty where the trace
    /// does not tell: of a block under way, of a GPU's, and of traces of before.
    [[nodiscard]] virtual Result<std::vector<uint64_t>> flopsOfWarps(LaunchId launch, BlockIndex block) = 0;
    /// Calls \p visit with the block's events of steps [first, last) in order, until it returns false. The Event is
    /// only valid during the call. About 0.1 µs per event, and no memory per event, unlike chunkAt.
    using Visitor = std::function<bool(StepIndex, const Event&)>;
    virtual Result<void> visit(LaunchId launch, BlockIndex block, StepIndex first, StepIndex last, Detail detail,
                               const Visitor& visit) = 0;
    /// Calls \p visit with what the events of blocks of the launch come to, in no order; the tally is only valid during
    /// the call. Not there are blocks under way, those of traces of before there were tallies, and what a kill took.
    virtual Result<void> visitTallies(LaunchId launch, const std::function<void(const BlockTally&)>& visit) = 0;
    /// Whether visitTallies has something to visit.
    [[nodiscard]] virtual bool hasTallies(LaunchId launch) = 0;
    /// First step of each chunk of the block, ascending: where decoding can start. Empty for a block without events.
    [[nodiscard]] virtual Result<std::vector<StepIndex>> chunkStarts(LaunchId launch, BlockIndex block) = 0;
    /// Buffers that the recorded blocks of the launch touched, ascending.
    [[nodiscard]] virtual Result<std::vector<BufferId>> touchedBuffers(LaunchId launch) = 0;
    /// Blocks of a launch of which it is the same have the same sites, warps and lanes in each of their first \p steps
    /// events; blocks of which that is true mostly have the same. Cost: a look at a byte or two of each, undecoded.
    [[nodiscard]] virtual Result<uint64_t> headersHash(LaunchId launch, BlockIndex block, StepIndex steps) = 0;
    /// Calls \p visit with the events that write global memory and whose values are known: block by block, and of a
    /// block in step order. The Event is only valid during the call.
    using WriteVisitor = std::function<void(BlockIndex, StepIndex, const Event&)>;
    virtual Result<void> visitGlobalWrites(LaunchId launch, const WriteVisitor& visit) = 0;
    /// Number of events that the launch's global writes are stored as. O(chunks).
    [[nodiscard]] virtual Result<uint64_t> globalWriteEvents(LaunchId launch) = 0;
    /// What the buffer held when \p launch started; NotFound when that was not recorded.
    [[nodiscard]] virtual Result<InitialContents> initialContents(LaunchId launch, BufferId buffer) = 0;
    /// What the program printed.
    [[nodiscard]] virtual std::string output() = 0;
    /// File size and chunk bytes (compressed), for `info`.
    [[nodiscard]] virtual uint64_t fileBytes() const = 0;
    [[nodiscard]] virtual uint64_t chunkBytes(LaunchId launch) = 0;
};

}  // namespace lanescope::trace
