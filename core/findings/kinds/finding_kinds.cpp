// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/findings/kinds/finding_kinds.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/assert.h"

namespace lanescope {
namespace {

// clang-format off
constexpr FindingKindInfo kKinds[] = {
    {FindingKind::OutOfBounds, "out-of-bounds", Severity::Error, Family::Bounds, "access outside its buffer",
     "the cell belongs to another object or to none: a GPU reads or overwrites whatever lies there, often without an error",
     "compare the index with the size before the access, or allocate what the largest index needs"},
    {FindingKind::IndexOutOfShape, "index-out-of-shape", Severity::Error, Family::Bounds, "index outside its dimension",
     "the address is still inside the array, so hardware uses a cell of another row without a sign",
     "check each index against its own extent, and the order in which the indices are written"},
    {FindingKind::Misaligned, "misaligned", Severity::Error, Family::Bounds, "misaligned access",
     "a GPU reads and writes values only at multiples of their size; the launch fails with cudaErrorMisalignedAddress",
     "start the data at a multiple of the type's size, or access it in smaller pieces"},
    {FindingKind::UninitialisedRead, "uninitialised-read", Severity::Error, Family::Value, "use of a value that nobody wrote",
     "the value is whatever was left in memory, so the result differs from run to run",
     "write the cell before it is used: cudaMemset, cudaMemcpy, or a store by every thread whose cell is read"},
    {FindingKind::SharedRace, "shared-race", Severity::Error, Family::Race, "race in shared memory",
     "the two threads may run in either order, so the result depends on the schedule",
     "put __syncthreads() (within a warp: __syncwarp()) between the two accesses, or make both atomic"},
    {FindingKind::GlobalRace, "global-race", Severity::Error, Family::Race, "race in global memory",
     "the two threads may run in either order, so the result depends on the schedule; blocks have no common barrier",
     "use an atomic operation, give each thread a cell of its own, or split the work into two kernels"},
    {FindingKind::DivergentBarrier, "divergent-barrier", Severity::Error, Family::Barrier, "barrier that not all threads reach",
     "__syncthreads() counts on every thread of the block: what happens when some do not come is undefined",
     "move the barrier out of the branch, and guard only the work around it"},
    {FindingKind::BarrierDeadlock, "barrier-deadlock", Severity::Error, Family::Hang, "threads wait for each other for ever",
     "every live thread waits and nothing can wake them: a GPU hangs here",
     "let all threads that one barrier counts on reach that same barrier"},
    {FindingKind::Livelock, "livelock", Severity::Error, Family::Hang, "threads that go round for ever",
     "they wait for a value in memory, and no thread that runs changes any: a GPU hangs here",
     "see who was to write it: a block that ended or has no room, a thread at a barrier, the owner of a lock, a kernel that "
     "a stream orders behind this one, the host that waits for it"},
    {FindingKind::WarpSyncMisuse, "warp-sync-misuse", Severity::Error, Family::Barrier, "wrong mask of a warp operation",
     "the mask must name exactly lanes that come to this operation; what the others' values are is undefined",
     "compute the mask where all lanes still run together (__ballot_sync), or call it outside the branch"},
    {FindingKind::AsyncCopyNotAwaited, "async-copy-not-awaited", Severity::Error, Family::Race, "read before an asynchronous copy has arrived",
     "the copy may still be under way, so the old contents may be read",
     "wait for the copy (cp.async.wait_group or the pipeline's wait) and then synchronise before the read"},
    {FindingKind::AssertFailed, "assert-failed", Severity::Error, Family::Program, "assert() that failed, or kernel that gave up",
     "the launch ends here, with an error, and all that it would still have done is missing",
     "look at the values at this step, and at what led here"},
    {FindingKind::HostAccessOfDeviceMemory, "host-access-of-device-memory", Severity::Error, Family::Host, "host code touches memory of the device",
     "a pointer from cudaMalloc means nothing on the host, and memory that both share is the device's while it works",
     "copy with cudaMemcpy; of managed and pinned memory, wait for the device first (cudaDeviceSynchronize)"},
    {FindingKind::NoPeerAccess, "no-peer-access", Severity::Error, Family::Bounds, "kernel touches another device's memory without access to it",
     "a device reaches the memory of another one only once that has been enabled, for this direction",
     "call cudaDeviceEnablePeerAccess with the owner's number while the kernel's device is the current one, or copy with cudaMemcpyPeer"},
    {FindingKind::UseAfterFree, "use-after-free", Severity::Error, Family::Bounds, "use of freed memory",
     "the memory may already belong to another allocation", "free after the last use, and after the kernels that use it"},
    {FindingKind::InvalidFree, "invalid-free", Severity::Error, Family::Host, "free of what is no live allocation",
     "cudaFree takes only the pointer that cudaMalloc gave, once", "free each allocation once, by its own pointer"},
    {FindingKind::IgnoredError, "ignored-error", Severity::Warning, Family::Host, "failed call whose result nobody looked at",
     "what the call should have done did not happen, and the program goes on as if it had",
     "check the returned cudaError_t; after a launch, cudaGetLastError()"},
    {FindingKind::ResultDependsOnSchedule, "result-depends-on-schedule", Severity::Warning, Family::Program, "result depends on the schedule",
     "two legal orders of the threads gave different results, so a GPU may give either", "look for the race behind it"},
    {FindingKind::Leak, "leak", Severity::Advice, Family::Host, "memory that is never freed",
     "device memory stays taken until the process ends", "call cudaFree when it is no longer needed"},
    {FindingKind::BankConflict, "bank-conflict", Severity::Advice, Family::Advice, "bank conflicts in shared memory",
     "lanes that want different words of one bank are served one after the other", ""},
    {FindingKind::Uncoalesced, "uncoalesced", Severity::Advice, Family::Advice, "more memory traffic than needed",
     "global memory moves in sectors of 32 bytes, whole, whatever part of them is used", ""},
    {FindingKind::DivergentBranch, "divergent-branch", Severity::Advice, Family::Advice, "lanes of a warp take different ways",
     "a warp runs both ways one after the other, and the lanes of the other way idle", ""},
    {FindingKind::DeadSharedStore, "dead-shared-store", Severity::Advice, Family::Advice, "shared memory that is written and never read",
     "the store, and the space, do nothing", "read the tile instead of global memory, or leave the store out"},
    {FindingKind::UnusedShared, "unused-shared", Severity::Advice, Family::Advice, "shared memory that nobody touches",
     "shared memory that a block asks for limits how many blocks run at the same time", "ask for what is used"},
    {FindingKind::RedundantStore, "redundant-store", Severity::Advice, Family::Advice, "store of what is already there",
     "the cell was written before with the same value and not read in between", "leave one of the two stores out"},
    {FindingKind::RedundantBarrier, "redundant-barrier", Severity::Advice, Family::Advice, "barrier that orders nothing",
     "without it no two accesses of this run would race", "leave it out, if that holds for every input"},
    {FindingKind::StepLimit, "step-limit", Severity::Error, Family::Limit, "stopped: too many steps",
     "a kernel ran longer than the limit allows", "look for an endless loop, or raise --max-steps"},
    {FindingKind::TimeLimit, "time-limit", Severity::Error, Family::Limit, "stopped: too much time", "a kernel ran longer than the limit allows", "raise the limit"},
    {FindingKind::MemoryLimit, "memory-limit", Severity::Error, Family::Limit, "stopped: too much memory", "the run needed more memory than there is", "use smaller data"},
    {FindingKind::Unknown, "unknown", Severity::Error, Family::Program, "", "", ""},
};
// clang-format on

constexpr std::array<const char*, 3> kSeverities{"error", "warning", "advice"};

constexpr bool isInOrder()
{
    for (size_t i = 0; i < std::size(kKinds); ++i)
        if (kKinds[i].kind != static_cast<FindingKind>(i))
            return false;
    return std::size(kKinds) == static_cast<size_t>(FindingKind::Unknown) + 1;
}
static_assert(isInOrder(), "one row for each kind, in the order of the enumeration");

}  // namespace

const FindingKindInfo& infoOf(FindingKind kind)
{
    LS_ASSERT(static_cast<size_t>(kind) < std::size(kKinds));
    return kKinds[static_cast<size_t>(kind)];
}

std::optional<FindingKind> kindNamed(std::string_view name)
{
    const auto* const end = std::end(kKinds) - 1;  // Unknown is no name
    const auto* const found = std::find_if(kKinds, end, [&](const FindingKindInfo& info) { return name == info.name; });
    return found == end ? std::nullopt : std::optional(found->kind);
}

const char* nameOf(FindingKind kind)
{
    return infoOf(kind).name;
}

const char* nameOf(Severity severity)
{
    return kSeverities[static_cast<size_t>(severity)];
}

std::optional<Severity> severityNamed(std::string_view name)
{
    const auto* const found = std::find(kSeverities.begin(), kSeverities.end(), name);
    return found == kSeverities.end() ? std::nullopt
                                      : std::optional(static_cast<Severity>(found - kSeverities.begin()));
}

}  // namespace lanescope
