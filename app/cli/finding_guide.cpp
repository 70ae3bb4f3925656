// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/finding_guide.h"

#include <algorithm>
#include <iterator>

namespace lanescope::cli {

namespace {

// clang-format off
constexpr FindingGuide kGuides[] = {
    {"out-of-bounds", "error", "access outside its buffer",
     "the cell belongs to another object or to none: a GPU reads or overwrites whatever lies there, often without an error",
     "compare the index with the size before the access, or allocate what the largest index needs"},
    {"index-out-of-shape", "error", "index outside its dimension",
     "the address is still inside the array, so hardware uses a cell of another row without a sign",
     "check each index against its own extent, and the order in which the indices are written"},
    {"misaligned", "error", "misaligned access",
     "a GPU reads and writes values only at multiples of their size; the launch fails with cudaErrorMisalignedAddress",
     "start the data at a multiple of the type's size, or access it in smaller pieces"},
    {"uninitialised-read", "error", "use of a value that nobody wrote",
     "the value is whatever was left in memory, so the result differs from run to run",
     "write the cell before it is used: cudaMemset, cudaMemcpy, or a store by every thread whose cell is read"},
    {"shared-race", "error", "race in shared memory",
     "the two threads may run in either order, so the result depends on the schedule",
     "put __syncthreads() (within a warp: __syncwarp()) between the two accesses, or make both atomic"},
    {"global-race", "error", "race in global memory",
     "the two threads may run in either order, so the result depends on the schedule; blocks have no common barrier",
     "use an atomic operation, give each thread a cell of its own, or split the work into two kernels"},
    {"divergent-barrier", "error", "barrier that not all threads reach",
     "__syncthreads() counts on every thread of the block: what happens when some do not come is undefined",
     "move the barrier out of the branch, and guard only the work around it"},
    {"barrier-deadlock", "error", "threads wait for each other for ever",
     "every live thread waits and nothing can wake them: a GPU hangs here",
     "let all threads that one barrier counts on reach that same barrier"},
    {"livelock", "error", "threads that go round for ever",
     "they wait for a value in memory, and no thread that runs changes any: a GPU hangs here",
     "see who was to write it: a block that ended or has no room, a thread at a barrier, the owner of a lock; the host and "
     "other kernels run before or after this one here, not beside it"},
    {"warp-sync-misuse", "error", "wrong mask of a warp operation",
     "the mask must name exactly lanes that come to this operation; what the others' values are is undefined",
     "compute the mask where all lanes still run together (__ballot_sync), or call it outside the branch"},
    {"async-copy-not-awaited", "error", "read before an asynchronous copy has arrived",
     "the copy may still be under way, so the old contents may be read",
     "wait for the copy (cp.async.wait_group or the pipeline's wait) and then synchronise before the read"},
    {"assert-failed", "error", "assert() that failed, or kernel that gave up",
     "the launch ends here, with an error, and all that it would still have done is missing",
     "look at the values at this step, and at what led here"},
    {"host-access-of-device-memory", "error", "host code touches memory of the device",
     "a pointer from cudaMalloc means nothing on the host, and memory that both share is the device's while it works",
     "copy with cudaMemcpy; of managed and pinned memory, wait for the device first (cudaDeviceSynchronize)"},
    {"use-after-free", "error", "use of freed memory",
     "the memory may already belong to another allocation", "free after the last use, and after the kernels that use it"},
    {"invalid-free", "error", "free of what is no live allocation",
     "cudaFree takes only the pointer that cudaMalloc gave, once", "free each allocation once, by its own pointer"},
    {"ignored-error", "warning", "failed call whose result nobody looked at",
     "what the call should have done did not happen, and the program goes on as if it had",
     "check the returned cudaError_t; after a launch, cudaGetLastError()"},
    {"result-depends-on-schedule", "warning", "result depends on the schedule",
     "two legal orders of the threads gave different results, so a GPU may give either", "look for the race behind it"},
    {"leak", "advice", "memory that is never freed",
     "device memory stays taken until the process ends", "call cudaFree when it is no longer needed"},
    {"bank-conflict", "advice", "bank conflicts in shared memory",
     "lanes that want different words of one bank are served one after the other", ""},
    {"uncoalesced", "advice", "more memory traffic than needed",
     "global memory moves in sectors of 32 bytes, whole, whatever part of them is used", ""},
    {"divergent-branch", "advice", "lanes of a warp take different ways",
     "a warp runs both ways one after the other, and the lanes of the other way idle", ""},
    {"dead-shared-store", "advice", "shared memory that is written and never read",
     "the store, and the space, do nothing", "read the tile instead of global memory, or leave the store out"},
    {"unused-shared", "advice", "shared memory that nobody touches",
     "shared memory that a block asks for limits how many blocks run at the same time", "ask for what is used"},
    {"redundant-store", "advice", "store of what is already there",
     "the cell was written before with the same value and not read in between", "leave one of the two stores out"},
    {"redundant-barrier", "advice", "barrier that orders nothing",
     "without it no two accesses of this run would race", "leave it out, if that holds for every input"},
    {"step-limit", "error", "stopped: too many steps",
     "a kernel ran longer than the limit allows", "look for an endless loop, or raise --max-steps"},
    {"time-limit", "error", "stopped: too much time", "a kernel ran longer than the limit allows", "raise the limit"},
    {"memory-limit", "error", "stopped: too much memory", "the run needed more memory than there is", "use smaller data"},
};
// clang-format on

constexpr FindingGuide kUnknown{"", "error", "", "", ""};

}  // namespace

const FindingGuide& guideTo(const std::string& kind)
{
    const auto* found =
        std::find_if(std::begin(kGuides), std::end(kGuides), [&](const FindingGuide& g) { return kind == g.kind; });
    return found == std::end(kGuides) ? kUnknown : *found;
}

}  // namespace lanescope::cli
