// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/api_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "instrumented/runtime/host_frames.h"
#include "instrumented/runtime/work.h"
#include "instrumented/runtime/work_order.h"

namespace lanescope::runtime {

namespace {

/// The same call may fail many times; so many different ones are kept.
constexpr size_t kMaxNotes = 1000;
/// What `<<<…>>>` calls first.
constexpr const char* kLaunch = "__cudaPushCallConfiguration";

struct Note {
    trace::Finding finding;
    HostFrames frames;
};

struct Failure {
    cudaError_t error = cudaSuccess;
    uint64_t count = 1;
    HostFrames frames;
    std::string why;  ///< of explainFailure; may be empty
};

struct State {
    std::vector<Note> notes;
    std::vector<Failure> failures;
    std::map<uint64_t, HostFrames> allocations;  ///< by number
    bool reported = false;                       ///< the failure to come has its own finding
    bool failed = false;                         ///< some call has failed
    std::pair<cudaError_t, std::string> why;     ///< of the failure to come, if it has that error
};

State& state()
{
    static auto* const all = new State;
    return *all;
}

thread_local std::optional<HostFrames> t_launchPlace;

bool sameFrames(const HostFrames& a, const HostFrames& b)
{
    return a.count == b.count && a.address == b.address;
}

/// "buffer 'a' (36 bytes, cudaMalloc #1)"
std::string describe(Runtime& runtime, const device::Allocation& allocation)
{
    const BufferName* name = runtime.bufferName(allocation.buffer);
    return name ? fmt::format("buffer '{}' ({} bytes, {})", name->name, allocation.bytes, allocation.origin)
                : fmt::format("a buffer of {} bytes ({})", allocation.bytes, allocation.origin);
}

std::string bufferText(Runtime& runtime, const device::Allocation& allocation)
{
    const BufferName* name = runtime.bufferName(allocation.buffer);
    return name ? name->name : allocation.origin;
}

/// The finding's one access: the call.
void placeAt(Runtime& runtime, trace::Finding& finding, const HostCall& call)
{
    const simt::CodePlace place = call.place();
    if (place.line == 0)
        return;
    trace::FindingAccess access;
    access.where = {runtime.trace().sourceOf(place.file), place.line, place.column};
    access.expression = call.function == kLaunch ? "" : call.function;
    access.access = "call";
    finding.accesses = {access};
}

void note(trace::Finding finding)
{
    Runtime& runtime = Runtime::instance();
    const HostFrames frames = HostFrames::here();
    for (const Note& note : state().notes)
        if (note.finding.kind == finding.kind && sameFrames(note.frames, frames))
            return runtime.trace().addFindings({note.finding});
    if (!runtime.options().checks || state().notes.size() >= kMaxNotes)
        return;
    placeAt(runtime, finding, hostCallOf(frames, runtime.options().headers));
    state().notes.push_back({std::move(finding), frames});
    runtime.trace().addFindings({state().notes.back().finding});
}

/// Of a call that fails.
void add(trace::Finding finding)
{
    finding.severity = Severity::Error;
    state().reported = true;
    note(std::move(finding));
}

/// Whether the compiler saw that the result of this call goes nowhere (nodiscard), in any of its inlined frames.
bool isDiscarded(const Options& options, const HostCall& call)
{
    return std::any_of(call.places.begin(), call.places.end(), [&](const simt::CodePlace& place) {
        return options.discardedCalls.contains(fmt::format("{}:{}", place.file, place.line));
    });
}

void addFailures(Runtime& runtime)
{
    for (const Failure& failure : state().failures) {
        const HostCall call = hostCallOf(failure.frames, runtime.options().headers);
        const bool isLaunch = call.function == kLaunch;
        if (!isLaunch && !isDiscarded(runtime.options(), call))
            continue;
        trace::Finding finding;
        finding.kind = FindingKind::IgnoredError;
        finding.severity = Severity::Warning;
        finding.message = fmt::format("{} failed with {} ({}), and nobody looked at it",
                                      isLaunch ? "this kernel launch" : call.function, cudaGetErrorName(failure.error),
                                      failure.why.empty() ? cudaGetErrorString(failure.error) : failure.why);
        finding.count = failure.count;
        placeAt(runtime, finding, call);
        runtime.trace().addFindings({finding});
    }
}

/// Number N of an origin "cudaMalloc #N", "cudaHostAlloc #N"; 0 for variables.
uint64_t allocationNumber(const device::Allocation& allocation)
{
    const size_t sign = allocation.origin.find('#');
    return sign == std::string::npos ? 0 : std::strtoull(allocation.origin.c_str() + sign + 1, nullptr, 10);
}

/// The same; 0 for what is not cudaFree's to free.
uint64_t numberOf(const device::Allocation& allocation)
{
    return allocation.origin.rfind("cudaMalloc", 0) == 0 ? allocationNumber(allocation) : 0;
}

/// Whether copies to the host may be a library's: Mojo's map_to_host() copies a buffer first, whatever is in it.
bool isUnseen(const Runtime& runtime)
{
    return runtime.options().command != 0 && !runtime.hasObjects();
}

struct Leak {
    HostFrames frames;
    HostCall call;
    uint64_t bytes = 0;
    uint64_t count = 0;
    std::string first;
};

bool sameLine(const HostCall& a, const HostCall& b)
{
    return a.place().line != 0 && a.place().line == b.place().line && a.place().file == b.place().file;
}

/// One finding per line that allocates.
void addLeaks(Runtime& runtime)
{
    std::vector<Leak> leaks;
    for (const device::Allocation& allocation : runtime.memory().allocations()) {
        const auto known = state().allocations.find(numberOf(allocation));
        if (!allocation.live || known == state().allocations.end())
            continue;
        const HostFrames& frames = known->second;
        auto at = std::ranges::find_if(leaks, [&](const Leak& leak) { return sameFrames(leak.frames, frames); });
        if (at == leaks.end()) {
            HostCall call = hostCallOf(frames, runtime.options().headers);
            at = std::ranges::find_if(leaks, [&](const Leak& leak) { return sameLine(leak.call, call); });
            if (at == leaks.end())
                at = leaks.insert(leaks.end(), {frames, std::move(call), 0, 0, describe(runtime, allocation)});
        }
        at->bytes += allocation.bytes;
        ++at->count;
    }
    for (const Leak& leak : leaks) {
        trace::Finding finding;
        finding.kind = FindingKind::Leak;
        finding.severity = Severity::Advice;
        finding.message =
            leak.count == 1 ? fmt::format("{} is never freed", leak.first)
                            : fmt::format("{} allocations made here, {} bytes in all, are never freed; the first is {}",
                                          leak.count, leak.bytes, leak.first);
        finding.count = leak.count;
        finding.numbers = {{"bytes", static_cast<double>(leak.bytes)}};
        placeAt(runtime, finding, leak.call);
        runtime.trace().addFindings({finding});
    }
}

/// "it from x[896] on: square ran 896 threads for 1000 cells".
std::string leftOutText(const LeftOut& out, const std::string& buffer, uint64_t cells, const BufferUse& use)
{
    const std::string where = out.isOfEachRow ? fmt::format("columns {} to {} of its rows", out.first, out.row - 1)
                                              : fmt::format("it from {}[{}] on", buffer, out.first);
    const Dim3 threads = use.size.threads();
    const std::string ran = out.row == 0    ? fmt::format("{}", use.size.count())
                            : threads.z > 1 ? fmt::format("{} × {} × {}", threads.x, threads.y, threads.z)
                                            : fmt::format("{} × {}", threads.x, threads.y);
    const std::string of = out.row == 0    ? fmt::format("{} cells", cells)
                           : threads.z > 1 ? fmt::format("{} slices of {} cells", cells / out.row, out.row)
                                           : fmt::format("{} rows of {} cells", cells / out.row, out.row);
    return fmt::format("{}: {} ran {} threads for {}{}", where, use.kernel, ran, of,
                       out.cellsOfThread > 1 ? fmt::format(", {} each", out.cellsOfThread) : "");
}

}  // namespace

void noteAllocation(uint64_t number)
{
    state().allocations[number] = HostFrames::here();
}

void explainFailure(cudaError_t error, std::string why)
{
    state().why = {error, std::move(why)};
}

void noteFailure(const Runtime& runtime, cudaError_t error)
{
    const auto [explained, why] = std::exchange(state().why, {});
    const bool hasItsOwnFinding = std::exchange(state().reported, false);
    // Not ready is an answer; a sticky error has been found where it came from; what we cannot do is not their fault.
    if (hasItsOwnFinding || error == cudaErrorNotReady || error == runtime.stickyError() || runtime.stopped())
        return;
    state().failed = true;
    const HostFrames frames = callFrames();
    for (Failure& failure : state().failures)
        if (failure.error == error && sameFrames(failure.frames, frames)) {
            ++failure.count;
            return;
        }
    if (state().failures.size() < kMaxNotes)
        state().failures.push_back({error, 1, frames, explained == error ? why : std::string()});
}

HostFrames callFrames()
{
    return t_launchPlace ? *t_launchPlace : HostFrames::here();
}

void setLaunchPlace(const HostFrames& frames)
{
    t_launchPlace = frames;
}

CallPlaceScope::CallPlaceScope(const HostFrames& frames) : m_before(std::exchange(t_launchPlace, frames)) {}

CallPlaceScope::~CallPlaceScope()
{
    t_launchPlace = m_before;
}

LaunchPlaceScope::~LaunchPlaceScope()
{
    t_launchPlace.reset();
}

void forgetFailures()
{
    state().failures.clear();
}

void reportBadRange(Runtime& runtime, const void* pointer, uint64_t bytes, bool isWrite)
{
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const std::optional<device::Allocation> allocation = runtime.memory().find(address);
    if (!allocation)
        return;  // not ours to explain: the call's error says it
    trace::Finding finding;
    finding.buffer = bufferText(runtime, *allocation);
    const auto offset = static_cast<int64_t>(address - allocation->address);
    const char* verb = isWrite ? "writes" : "reads";
    if (!allocation->live) {
        finding.kind = FindingKind::UseAfterFree;
        finding.message = fmt::format("this call {} {}, which has been freed", verb, describe(runtime, *allocation));
    } else {
        finding.kind = FindingKind::OutOfBounds;
        finding.message = fmt::format("this call {} bytes {} to {} of {}", verb, offset,
                                      offset + static_cast<int64_t>(bytes) - 1, describe(runtime, *allocation));
    }
    finding.cell = {offset};
    add(std::move(finding));
}

void reportHostOverrun(const HostBlock& block, uint64_t offset, uint64_t bytes, bool isWrite)
{
    HostFrames taken;
    taken.address[0] = const_cast<void*>(block.caller);
    taken.count = 1;
    const simt::CodePlace place = hostCallOf(taken, Runtime::instance().options().headers).place();
    const bool isLibrary = place.file.starts_with("/usr/");  // a container's header, which says nothing
    const uint32_t line = isLibrary ? 0 : place.line;
    trace::Finding finding;
    finding.kind = FindingKind::OutOfBounds;
    finding.severity = Severity::Error;
    finding.message = fmt::format("this call {} bytes {} to {} of a block of {} bytes of the host's heap{}",
                                  isWrite ? "writes" : "reads", offset, offset + bytes - 1, block.bytes,
                                  line ? fmt::format(", allocated in line {}", line) : "");
    finding.help = "copy no more bytes than were allocated: count in elements once, in bytes once";
    note(std::move(finding));
}

void reportNeverWritten(Runtime& runtime, const void* pointer, uint64_t bytes)
{
    if (isUnseen(runtime))
        return;
    const std::optional<device::Allocation> allocation = runtime.memory().find(reinterpret_cast<uint64_t>(pointer));
    // What did not run could not write.
    if (!allocation || state().failed || runtime.stopped())
        return;
    trace::Finding finding;
    finding.kind = FindingKind::UninitialisedRead;
    finding.severity = Severity::Warning;
    finding.buffer = bufferText(runtime, *allocation);
    finding.message = fmt::format("this call copies {} bytes of {} to the host, and nobody has written any of them",
                                  bytes, describe(runtime, *allocation));
    note(std::move(finding));
}

void reportLeftOut(Runtime& runtime, const void* pointer, uint64_t bytes)
{
    if (isUnseen(runtime))
        return;
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const std::optional<device::Allocation> allocation = runtime.memory().find(address);
    if (!allocation || address != allocation->address || bytes != allocation->bytes || state().failed ||
        runtime.stopped() || !runtime.memory().isPartlyUndefined(address))
        return;
    const BufferName* const name = runtime.bufferName(allocation->buffer);
    if (!name || name->elementBytes == 0)
        return;
    const uint64_t cells = bytes / name->elementBytes;
    const auto found = [&](std::string message) {
        trace::Finding finding;
        finding.kind = FindingKind::UninitialisedRead;
        finding.severity = Severity::Warning;
        finding.buffer = bufferText(runtime, *allocation);
        finding.message = std::move(message);
        return finding;
    };
    // What is left over when a kernel takes the buffer in elements that do not divide it.
    const uint64_t rest = bytes - cells * name->elementBytes;
    const uint64_t whole = bytes - rest;
    if (cells > 0 && rest > 0 && runtime.memory().writtenPrefix(address, bytes) == whole &&
        runtime.memory().unwrittenPrefix(address + whole, rest) == rest)
        return note(found(fmt::format("this call copies {}, of which a kernel has written {} elements of {} bytes, and "
                                      "nobody the last {} bytes, which make no element",
                                      describe(runtime, *allocation), cells, name->elementBytes, rest)));
    for (const BufferUse& use : runtime.uses(allocation->buffer)) {
        const std::optional<LeftOut> out = leftOut(runtime.memory(), address, cells, name->elementBytes, use.size);
        if (!out)
            continue;
        trace::Finding finding =
            found(fmt::format("this call copies {}, and nobody has written {}; is its grid too small?",
                              describe(runtime, *allocation), leftOutText(*out, name->name, cells, use)));
        finding.cell = {static_cast<int64_t>(out->first)};
        return note(std::move(finding));
    }
}

void reportOverlap(Runtime& runtime, const CopyWork& work)
{
    const std::optional<device::Allocation> allocation = runtime.memory().find(reinterpret_cast<uint64_t>(work.from));
    if (!allocation || !runtime.options().checks)
        return;
    const auto offset = [&](const void* pointer) { return reinterpret_cast<uint64_t>(pointer) - allocation->address; };
    const uint64_t from = offset(work.from);
    const uint64_t to = offset(work.to);
    trace::Finding finding;
    finding.kind = FindingKind::GlobalRace;
    finding.severity = Severity::Error;
    finding.buffer = bufferText(runtime, *allocation);
    finding.cell = {static_cast<int64_t>(std::max(to, from))};
    finding.message =
        fmt::format("this call copies bytes {} to {} of {} to bytes {} to {}: the two overlap, and in which "
                    "order bytes are copied is not defined (copy by way of another buffer)",
                    from, from + work.fromExtent() - 1, describe(runtime, *allocation), to, to + work.toExtent() - 1);
    note(std::move(finding));
}

const HostFrames* framesOf(const device::Allocation& allocation)
{
    const auto frames = state().allocations.find(allocationNumber(allocation));
    return frames == state().allocations.end() ? nullptr : &frames->second;
}

void reportInvalidFree(Runtime& runtime, const void* pointer)
{
    const auto address = reinterpret_cast<uint64_t>(pointer);
    trace::Finding finding;
    finding.kind = FindingKind::InvalidFree;
    const std::optional<device::Allocation> allocation =
        device::DeviceMemory::isDeviceAddress(address) ? runtime.memory().find(address) : std::nullopt;
    if (!allocation)
        finding.message = "free of a pointer to what is no device memory";
    else if (address != allocation->address)
        finding.message = fmt::format("free of an address {} bytes into {}{}; only its start can be freed",
                                      address - allocation->address, describe(runtime, *allocation),
                                      allocation->live ? "" : ", which has been freed");
    else if (!allocation->live)
        finding.message = fmt::format("second free of {}", describe(runtime, *allocation));
    else
        finding.message = fmt::format("free of {}, which cudaFree does not free", describe(runtime, *allocation));
    if (allocation)
        finding.buffer = bufferText(runtime, *allocation);
    add(std::move(finding));
}

void addApiFindings(Runtime& runtime, const trace::ProgramEnd& end)
{
    if (!runtime.options().checks)
        return;
    // Without a launch there would be no trace to read that nothing was found.
    if (!runtime.options().reportFindings && !state().allocations.empty())
        runtime.trace().writer();
    addFailures(runtime);
    addHostTouches(runtime);
    // A program that gave up half-way, or whose device did, had no chance to free.
    if (end.status == 0 && !runtime.firstStop() && runtime.stickyError() == cudaSuccess && !state().allocations.empty())
        addLeaks(runtime);
}

}  // namespace lanescope::runtime
