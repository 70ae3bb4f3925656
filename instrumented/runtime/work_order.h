// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams, events and waits order, and what they do not: work is performed when it is submitted, but a GPU may
// perform it at any time until the host has waited for it, beside unordered work of other streams.
//
// Two kernels, copies or fills that nothing orders race when they touch one place and one of them writes. So does the
// host when it touches pinned, registered or managed memory, __managed__ variables among it, that work under way
// writes, or writes what it reads: those pages are protected while control is in the program. What a launch touched
// is read off the race check's cells, so it is exact; where it is not known, nothing is claimed. All but hostTouched is
// used under the runtime's lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "instrumented/runtime/host_frames.h"
#include "instrumented/runtime/work.h"

namespace lanescope::runtime {

/// Of each stream, by id: the number of its last work that is known to be done, or to come before.
using Covers = std::map<uint64_t, uint64_t>;

/// Where work stands that was submitted while other work was under way.
struct WorkPlace {
    uint64_t stream = 0;
    uint64_t number = 0;
    Covers known;  ///< what comes before it

    [[nodiscard]] bool isBehind(const WorkPlace& other) const { return isIn(other, known); }
    [[nodiscard]] static bool isIn(const WorkPlace& work, const Covers& known)
    {
        const auto found = known.find(work.stream);
        return found != known.end() && found->second >= work.number;
    }
};

/// Gives \p work, which is submitted to \p stream, its place, whenever it is performed.
WorkPlace takePlace(cudaStream_t stream, const Work& work);
/// What comes behind \p work comes behind \p more, too: \p work may have waited for that.
void addBehind(const WorkPlace& work, const Covers& more);
/// What a wait of the host for \p stream waits for; for \p event.
Covers coveredBy(cudaStream_t stream);
Covers coveredBy(cudaEvent_t event);

/// Whether launches should watch what they read of \p buffer: the program is checked, and has streams or graphs, or the
/// buffer is managed or pinned memory. Not of registered memory, which other languages' tensors are.
bool watchesReads(Runtime& runtime, const device::Allocation& buffer);
/// Whether what launches write of \p buffer is asked for when they are over, or may be.
bool asksForWrites(Runtime& runtime, const device::Allocation& buffer);
/// \p work was submitted to \p stream and performed; \p raceTime: of the race check, before it was. \p place: that it
/// took then; null: it takes it now, nothing else being under way.
void noteWork(Runtime& runtime, cudaStream_t stream, const Work& work, uint32_t raceTime,
              const WorkPlace* place = nullptr);

/// The kernel that \p stream's next one overlaps if it may begin early: its latest work, unless that is something else
/// or is known to be done.
device::Overlap overlapOfNext(Runtime& runtime, cudaStream_t stream);

/// While a graph is launched into a stream: each node comes after what it depends on and what came before the launch,
/// and nothing else. A graph that is a node of another one is launched between that node's begin and end.
class GraphOrder {
public:
    GraphOrder(Runtime& runtime, cudaStream_t stream);
    /// What follows in the stream, or depends on the node that this graph is, comes after all of it.
    ~GraphOrder();
    GraphOrder(const GraphOrder&) = delete;
    GraphOrder& operator=(const GraphOrder&) = delete;

    void begin(const CUgraphNode_st& node);
    /// \p node has been performed; \p raceTime: of the race check, before it was.
    void end(const CUgraphNode_st& node, uint32_t raceTime);

    struct Impl;

private:
    std::unique_ptr<Impl> m_impl;
};

// The host has waited.
void waitedForAll();
void waitedForDevice(uint32_t device);
void waitedForStream(cudaStream_t stream);
void waitedForEvent(cudaEvent_t event);

/// A program's access faulted at \p address. True when that was a protected page: it is open now, and the access can be
/// made. For a signal handler: only remembers.
bool hostTouched(uint64_t address, bool isWrite, const HostFrames& frames);
/// Hands what hostTouched remembered to the trace.
void addHostTouches(Runtime& runtime);

}  // namespace lanescope::runtime
