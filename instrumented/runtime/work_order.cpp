// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrumented/runtime/work_order.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/dependent_launches.h"
#include "instrumented/runtime/fault_handler.h"
#include "instrumented/runtime/graph.h"
#include "instrumented/runtime/memory.h"
#include "instrumented/runtime/streams.h"
#include "instrumented/runtime/under_way.h"

namespace lanescope::runtime {

namespace {

constexpr uint64_t kPage = 4096;
/// Older work is taken for done, and a launch that touched more pieces of a buffer than this for one that touched none.
constexpr size_t kMaxPending = 256;
constexpr size_t kMaxRanges = 4096;
constexpr size_t kMaxHostTouches = 32;

void merge(Covers& into, const Covers& other)
{
    for (const auto& [stream, number] : other)
        into[stream] = std::max(into[stream], number);
}

/// Device addresses, half-open.
struct Range {
    uint64_t begin;
    uint64_t end;
};
using Ranges = std::vector<Range>;  ///< ascending, apart

struct Pending {
    uint64_t stream = 0;
    uint64_t number = 0;
    std::string what;  ///< "the kernel w", "a copy"
    HostFrames frames;
    bool frees = false;  ///< its writes are memory that it gives back
    bool isKernel = false;
    uint64_t beside = 0;  ///< the group of work that was under way side by side; 0: it was alone
    Ranges reads;
    Ranges writes;
    Ranges flagsSet;     ///< of a kernel: places that it wrote last by atomics or volatile stores
    Ranges flagsPolled;  ///< … read by volatile loads, or by atomics whose results it looked at
    Ranges hostReads;    ///< whole pages of them that the host can reach, and must not write
    Ranges hostWrites;   ///< … must not touch
};

/// The latest work of a stream.
struct LatestKernel {
    uint64_t number = 0;
    device::Overlap times;
};

struct StreamState {
    Covers covers;
    LatestKernel latest;   ///< without times where it is no kernel
    bool blocking = true;  ///< waits for the legacy stream's work, and that for its
    bool legacy = false;
    uint32_t device = 0;
};

struct HostTouch {
    uint64_t address = 0;  ///< the device's
    bool isWrite = false;
    HostFrames frames;
    std::string what;
};

struct State {
    std::map<uint64_t, StreamState> streams;
    std::map<cudaEvent_t, Covers> events;
    Covers done;
    uint64_t count = 0;
    std::deque<Pending> pending;
    Ranges closed;  ///< pages that are protected now
    std::vector<HostTouch> touches;
    int inside = 0;  ///< how often control has entered the runtime
};

State& state()
{
    static auto* const all = new State;
    return *all;
}

constexpr uint64_t kFirstNodeStream = uint64_t{1} << 32;  ///< more than streams have ids

bool covers(const Covers& known, const Pending& work)
{
    const auto found = known.find(work.stream);
    return found != known.end() && found->second >= work.number;
}

void forgetDone()
{
    std::erase_if(state().pending, [](const Pending& work) { return covers(state().done, work); });
}

StreamState& streamState(cudaStream_t stream)
{
    const CUstream_st& from = streamOf(stream);
    StreamState& found = state().streams[from.id];
    found.blocking = !(from.flags & cudaStreamNonBlocking);
    found.legacy = isLegacyStream(stream);
    found.device = from.device;
    return found;
}

/// What comes before the next work of \p stream.
Covers& before(cudaStream_t stream)
{
    StreamState& own = streamState(stream);
    merge(own.covers, state().done);
    if (!own.blocking)
        return own.covers;
    for (const auto& [id, other] : state().streams)
        if (other.blocking && other.device == own.device && (own.legacy || other.legacy))
            merge(own.covers, other.covers);
    return own.covers;
}

// ---- What work touches ----

void append(Ranges& ranges, uint64_t begin, uint64_t end)
{
    if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
    else if (begin < end)
        ranges.push_back({begin, end});
}

/// The host's pages of \p buffer, which it has at \p place, whose every byte in the buffer is in \p ranges: others the
/// program may touch.
void addPages(const device::Allocation& buffer, const HostPlace& place, const Ranges& ranges, Ranges& pages)
{
    for (const Range& range : ranges) {
        const uint64_t begin = range.begin - buffer.address + place.address;
        const uint64_t end = range.end - buffer.address + place.address;
        const bool toTheEnd = range.end == buffer.address + buffer.bytes && place.pages == Pages::Own;
        append(pages, (begin + kPage - 1) / kPage * kPage, (end + (toTheEnd ? kPage - 1 : 0)) / kPage * kPage);
    }
}

/// Blocks of launches that were under way beside others; empty: whoever touched memory since is meant.
using Blocks = std::vector<simt::BlockRange>;

bool isOf(const Blocks& blocks, const simt::Toucher& toucher)
{
    return blocks.empty() ||
           std::ranges::any_of(blocks, [&](const simt::BlockRange& range) { return range.contains(toucher.block); });
}

/// Of one buffer: what the launch since \p raceTime touched. \p talks: some of it by writes that are for the host to
/// see, or by volatile reads of what it may change.
void findTouched(simt::RaceMemory& races, const device::Allocation& buffer, uint32_t raceTime, const Blocks& blocks,
                 bool withReads, Pending& touched, bool& talks)
{
    Ranges &reads = touched.reads, &writes = touched.writes;
    const bool narrow = buffer.element.bytes < 4;
    const simt::RaceCells* cells = races.cellsOf(buffer.address, narrow ? 0 : 2);
    if (!cells || (!withReads && cells->unwrittenSince(raceTime + 1)))
        return;
    const uint64_t unit = uint64_t{1} << cells->shift;
    const uint64_t end = (buffer.bytes + unit - 1) / unit;
    const auto next = [&](uint64_t cell) { return cells->nextTouched(cell, end, raceTime); };
    for (uint64_t i = next(0); i < end && reads.size() + writes.size() <= kMaxRanges; i = next(i + 1)) {
        const uint64_t begin = buffer.address + i * unit;
        const uint64_t behind = std::min(begin + unit, buffer.address + buffer.bytes);
        if (const simt::Toucher reader = cells->readerOf(i, 0);
            withReads && reader.time > raceTime && isOf(blocks, reader)) {
            append(reads, begin, behind);
            talks |= (reader.info & kTouchVolatile) != 0;
            if (reader.info & kTouchVolatile)
                append(touched.flagsPolled, begin, behind);
        }
        if (const simt::Toucher writer = cells->writerOf(i, 0); writer.time > raceTime && isOf(blocks, writer)) {
            append(writes, begin, behind);
            talks |= (writer.info & kTouchForHost) != 0;
            if (writer.info & (kTouchAtomic | kTouchVolatile))
                append(touched.flagsSet, begin, behind);
            if ((writer.info & kTouchAtomic) && (writer.info & kTouchVolatile))
                append(touched.flagsPolled, begin, behind);
        }
    }
    if (reads.size() + writes.size() > kMaxRanges) {
        reads.clear();
        writes.clear();
        touched.flagsSet.clear();
        touched.flagsPolled.clear();
    }
}

void describe(Runtime& runtime, const KernelWork& kernel, uint32_t raceTime, Pending& work)
{
    work.what = "the kernel " + runtime.kernelInfo(*runtime.kernel(kernel.function))->displayName;
    if (runtime.options().devices > 1)
        work.what += fmt::format(" on device {}", kernel.device);
    std::vector<device::Allocation> buffers = runtime.memory().allocations();
    std::erase_if(buffers, [](const device::Allocation& buffer) { return !buffer.live; });
    std::sort(buffers.begin(), buffers.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
    work.isKernel = true;
    const Blocks blocks = runtime.races().takeEnded();
    work.beside = blocks.empty() ? 0 : runtime.races().groupNumber();
    bool talks = false;
    for (const device::Allocation& buffer : buffers) {
        const std::optional<HostPlace> visible = hostPlaceOf(runtime, buffer);
        const bool withReads = watchesReads(runtime, buffer);
        if (!visible && !withReads)
            continue;
        Pending touched;
        bool isForHost = false;
        findTouched(runtime.races(), buffer, raceTime, blocks, withReads, touched, isForHost);
        for (Ranges Pending::* const ranges :
             {&Pending::reads, &Pending::writes, &Pending::flagsSet, &Pending::flagsPolled})
            std::ranges::copy(touched.*ranges, std::back_inserter(work.*ranges));
        if (visible) {
            addPages(buffer, *visible, touched.writes, work.hostWrites);
            addPages(buffer, *visible, touched.reads, work.hostReads);
            talks |= isForHost;
        }
    }
    // A kernel that tells the host how far it is by a flag, or asks it: the host may touch what that is about.
    if (talks) {
        work.hostWrites.clear();
        work.hostReads.clear();
    }
}

void addRows(Runtime& runtime, Ranges& ranges, Ranges& host, const void* pointer, size_t pitch, size_t slice,
             size_t width, size_t height, size_t depth)
{
    if (!device::DeviceMemory::isDeviceAddress(reinterpret_cast<uint64_t>(pointer)) || width == 0)
        return;
    for (size_t z = 0; z < depth; ++z)
        for (size_t y = 0; y < height; ++y) {
            const uint64_t begin = reinterpret_cast<uint64_t>(pointer) + z * slice + y * pitch;
            append(ranges, begin, begin + width);
        }
    const std::optional<device::Allocation> buffer = runtime.memory().find(ranges.front().begin);
    const std::optional<HostPlace> place = buffer ? hostPlaceOf(runtime, *buffer) : std::nullopt;
    if (place)
        addPages(*buffer, *place, ranges, host);
}

// ---- Races between works ----

/// An address in both; 0: none.
uint64_t meeting(const Ranges& a, const Ranges& b)
{
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].begin < b[j].end && b[j].begin < a[i].end)
            return std::max(a[i].begin, b[j].begin);
        (a[i].end <= b[j].end ? i : j) += 1;
    }
    return 0;
}

trace::FindingAccess accessAt(Runtime& runtime, const HostFrames& frames, const char* access)
{
    const simt::CodePlace place = hostCallOf(frames, runtime.options().headers).place();
    trace::FindingAccess result;
    if (place.line > 0)
        result.where = {runtime.trace().sourceOf(place.file), place.line, place.column};
    result.access = access;
    return result;
}

/// "a[5]", "byte 20 of cudaMalloc #1"
std::string cellText(Runtime& runtime, uint64_t address, trace::Finding& finding)
{
    const std::optional<device::Allocation> allocation = runtime.memory().find(address);
    if (!allocation)
        return "memory";
    const uint64_t offset = address - allocation->address;
    const BufferName variable{allocation->name, allocation->element.totalBytes()};
    const BufferName* given = runtime.bufferName(allocation->buffer);
    const BufferName& name = given ? *given : variable;
    finding.buffer = name.name.empty() ? allocation->origin : name.name;
    if (name.name.empty() || name.elementBytes == 0)
        return fmt::format("byte {} of {}", offset, finding.buffer);
    finding.cell = {static_cast<int64_t>(offset / name.elementBytes)};
    return allocation->bytes == name.elementBytes ? name.name
                                                  : fmt::format("{}[{}]", name.name, offset / name.elementBytes);
}

/// \p second frees what \p first may still use.
void reportFree(Runtime& runtime, const Pending& first, const Pending& second, uint64_t address)
{
    trace::Finding finding;
    finding.kind = FindingKind::UseAfterFree;
    finding.severity = Severity::Error;
    (void)cellText(runtime, address, finding);
    finding.message =
        fmt::format("{} frees {} in one stream while {}, in another, may still use it: nothing orders the "
                    "two (cudaStreamWaitEvent, or wait for the first)",
                    second.what, finding.buffer, first.what);
    finding.accesses = {accessAt(runtime, second.frames, "call"), accessAt(runtime, first.frames, "call")};
    runtime.trace().addFindings({finding});
}

void report(Runtime& runtime, const Pending& first, const Pending& second, uint64_t address, bool firstWrites,
            bool secondWrites)
{
    trace::Finding finding;
    finding.kind = FindingKind::GlobalRace;
    finding.severity = Severity::Error;
    const bool inGraph = first.stream >= kFirstNodeStream && second.stream >= kFirstNodeStream;
    finding.message =
        fmt::format("race on {}: {} {} it in one {}, {} {} it in another, and nothing orders the two ({})",
                    cellText(runtime, address, finding), first.what, firstWrites ? "writes" : "reads",
                    inGraph ? "node of a graph" : "stream", second.what, secondWrites ? "writes" : "reads",
                    inGraph ? "let the second depend on the first" : "cudaStreamWaitEvent, or wait for the first");
    finding.accesses = {accessAt(runtime, first.frames, firstWrites ? "write" : "read"),
                        accessAt(runtime, second.frames, secondWrites ? "write" : "read")};
    runtime.trace().addFindings({finding});
}

void checkAgainst(Runtime& runtime, const Pending& first, const Pending& second)
{
    if (second.frees) {
        const uint64_t written = meeting(first.writes, second.writes);
        if (const uint64_t at = written ? written : meeting(first.reads, second.writes))
            reportFree(runtime, first, second, at);
        return;
    }
    if (const uint64_t at = meeting(first.writes, second.reads))
        report(runtime, first, second, at, true, false);
    else if (const uint64_t both = meeting(first.writes, second.writes))
        report(runtime, first, second, both, true, true);
    else if (const uint64_t over = meeting(first.reads, second.writes))
        report(runtime, first, second, over, false, true);
}

// ---- Races with the host ----

void protect(const Range& pages, int protection)
{
    mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, protection);
}

void openPages()
{
    for (const Range& range : state().closed)
        protect(range, PROT_READ | PROT_WRITE);
    state().closed.clear();
}

void closePages()
{
    for (const Pending& work : state().pending)
        for (const Range& range : work.hostReads) {
            protect(range, PROT_READ);
            state().closed.push_back(range);
        }
    for (const Pending& work : state().pending)
        for (const Range& range : work.hostWrites) {
            protect(range, PROT_NONE);
            state().closed.push_back(range);
        }
}

bool contains(const Ranges& ranges, uint64_t address)
{
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const Range& range) { return address >= range.begin && address < range.end; });
}

}  // namespace

RuntimeAccess::RuntimeAccess()
{
    if (state().inside++ == 0)
        openPages();
}

OutsideRuntime::OutsideRuntime() : m_calls(std::exchange(state().inside, 0))
{
    closePages();
    for (int i = 0; i < m_calls; ++i)
        Runtime::instance().mutex().unlock();
}

OutsideRuntime::~OutsideRuntime()
{
    for (int i = 0; i < m_calls; ++i)
        Runtime::instance().mutex().lock();
    openPages();
    state().inside = m_calls;
}

RuntimeAccess::~RuntimeAccess()
{
    if (--state().inside == 0)
        closePages();
}

bool watchesReads(Runtime& runtime, const device::Allocation& buffer)
{
    if (!runtime.options().checks || runtime.options().useGpu)
        return false;
    if (runtime.options().devices > 1 || handles<CUstream_st>().any() || handles<CUgraphExec_st>().any())
        return true;
    const std::optional<HostPlace> place = hostPlaceOf(runtime, buffer);
    return place && place->pages == Pages::Own;
}

bool asksForWrites(Runtime& runtime, const device::Allocation& buffer)
{
    return watchesReads(runtime, buffer) || hostPlaceOf(runtime, buffer) || mayLaunchDependents();
}

namespace {

/// What \p work, which has just been performed, touched; \p raceTime: of the race check, before it was.
Pending touchedBy(Runtime& runtime, const Work& work, uint32_t raceTime)
{
    Pending now;
    now.frames = callFrames();
    now.beside = runtime.races().group() ? runtime.races().groupNumber() : 0;
    if (const auto* kernel = std::get_if<KernelWork>(&work)) {
        describe(runtime, *kernel, raceTime, now);
    } else if (const auto* copy = std::get_if<CopyWork>(&work)) {
        now.what = "a copy";
        addRows(runtime, now.reads, now.hostReads, copy->from, copy->fromPitch, copy->fromSlice, copy->width,
                copy->height, copy->depth);
        addRows(runtime, now.writes, now.hostWrites, copy->to, copy->toPitch, copy->toSlice, copy->width, copy->height,
                copy->depth);
    } else if (const auto* fill = std::get_if<FillWork>(&work)) {
        now.what = "a memset";
        addRows(runtime, now.writes, now.hostWrites, fill->to, fill->pitch, fill->slice, fill->width, fill->height,
                fill->depth);
    } else if (const auto* release = std::get_if<ReleaseWork>(&work)) {
        now.what = "cudaFreeAsync";
        now.frees = true;
        const auto begin = reinterpret_cast<uint64_t>(release->pointer);
        if (const std::optional<device::Allocation> freed = runtime.memory().find(begin))
            append(now.writes, freed->address, freed->address + freed->bytes);
    }
    return now;
}

/// Kernels that were under way side by side are held against each other by the race check, which knows of flags; copies
/// and fills beside them may be what they waited for.
bool wereBeside(const Pending& a, const Pending& b)
{
    return a.beside != 0 && a.beside == b.beside && (a.isKernel || b.isKernel);
}

/// Whether \p second polls a flag that \p first has set: what orders the two then, streams do not say.
bool handsOver(const Pending& first, const Pending& second)
{
    return meeting(first.flagsSet, second.flagsPolled) != 0;
}

/// Holds \p now against all work that is not in \p known, and keeps it.
void judge(Runtime& runtime, Pending now, const Covers& known)
{
    for (const Pending& earlier : state().pending)
        if (!covers(known, earlier) && !wereBeside(earlier, now) && !handsOver(earlier, now))
            checkAgainst(runtime, earlier, now);
    if (!now.reads.empty() || !now.writes.empty())
        state().pending.push_back(std::move(now));
    while (state().pending.size() > kMaxPending)
        state().pending.pop_front();
}

/// A function of the host's comes after what is \p known, and may touch what that touched.
void openToHost(const Covers& known)
{
    for (Pending& earlier : state().pending)
        if (covers(known, earlier)) {
            earlier.hostReads.clear();
            earlier.hostWrites.clear();
        }
}

bool isHostFunction(const Work& work)
{
    return std::holds_alternative<HostWork>(work) || std::holds_alternative<CallbackWork>(work);
}

bool isGraphOfNodes(const Work& work)
{
    return std::holds_alternative<GraphWork>(work) || std::holds_alternative<ConditionalWork>(work);
}

bool isFollowed(Runtime& runtime)
{
    return runtime.options().checks && !runtime.device();
}

}  // namespace

WorkPlace takePlace(cudaStream_t stream, const Work& work)
{
    Covers& known = before(stream);
    if (const auto* record = std::get_if<EventRecordWork>(&work))
        state().events[record->event] = known;
    if (const auto* wait = std::get_if<EventWaitWork>(&work))
        merge(known, state().events[wait->event]);
    WorkPlace place{streamOf(stream).id, ++state().count, known};
    known[place.stream] = place.number;
    return place;
}

void addBehind(const WorkPlace& work, const Covers& more)
{
    const auto add = [&](Covers& known) {
        if (WorkPlace::isIn(work, known))
            merge(known, more);
    };
    for (auto& [id, stream] : state().streams)
        add(stream.covers);
    for (auto& [event, known] : state().events)
        add(known);
    add(state().done);
}

Covers coveredBy(cudaStream_t stream)
{
    return before(stream);
}

Covers coveredBy(cudaEvent_t event)
{
    const auto found = state().events.find(event);
    return found == state().events.end() ? Covers() : found->second;
}

namespace {

/// As noteWork, of work that took its place when it was submitted.
void noteAtPlace(Runtime& runtime, const Work& work, uint32_t raceTime, const WorkPlace& place)
{
    if (isGraphOfNodes(work) || std::holds_alternative<EventRecordWork>(work) ||
        std::holds_alternative<EventWaitWork>(work))
        return;
    if (isHostFunction(work))
        return openToHost(place.known);
    Pending now = touchedBy(runtime, work, raceTime);
    now.stream = place.stream;
    now.number = place.number;
    judge(runtime, std::move(now), place.known);
    forgetDone();
}

}  // namespace

void noteWork(Runtime& runtime, cudaStream_t stream, const Work& work, uint32_t raceTime, const WorkPlace* place)
{
    if (!isFollowed(runtime))
        return;
    if (place)
        return noteAtPlace(runtime, work, raceTime, *place);
    LatestKernel& latest = streamState(stream).latest;
    latest = {};
    // Of a graph its nodes have been noted.
    if (isGraphOfNodes(work))
        return;
    Covers& known = before(stream);
    if (const auto* record = std::get_if<EventRecordWork>(&work)) {
        state().events[record->event] = known;
        return;
    }
    if (const auto* wait = std::get_if<EventWaitWork>(&work)) {
        merge(known, state().events[wait->event]);
        return;
    }
    if (isHostFunction(work))
        return openToHost(known);
    Pending now = touchedBy(runtime, work, raceTime);
    now.stream = streamOf(stream).id;
    now.number = ++state().count;
    judge(runtime, std::move(now), known);
    known[streamOf(stream).id] = state().count;
    if (std::holds_alternative<KernelWork>(work))
        latest = {state().count, {raceTime, runtime.races().time()}};
    if (const auto* copy = std::get_if<CopyWork>(&work); copy && holdsHostUp(runtime, *copy))
        waitedForStream(stream);
}

device::Overlap overlapOfNext(Runtime& runtime, cudaStream_t stream)
{
    if (!isFollowed(runtime))
        return {};
    const LatestKernel& latest = streamState(stream).latest;
    const uint64_t done = state().done[streamOf(stream).id];
    return latest.times.begin < latest.times.end && latest.number > done ? latest.times : device::Overlap{};
}

/// A node's work counts as work of a stream of its own until the launch is over.
struct GraphOrder::Impl {
    Runtime& runtime;
    cudaStream_t stream;
    Impl* outer;   ///< launches this graph as one of its nodes
    Covers start;  ///< what came before the launch
    std::map<const CUgraphNode_st*, Covers> after;
    const CUgraphNode_st* current = nullptr;
};

namespace {

GraphOrder::Impl*& graphUnderWay()
{
    static GraphOrder::Impl* innermost = nullptr;
    return innermost;
}

}  // namespace

GraphOrder::GraphOrder(Runtime& runtime, cudaStream_t stream)
{
    if (!isFollowed(runtime))
        return;
    Impl* outer = graphUnderWay();
    m_impl.reset(new Impl{runtime, stream, outer, outer ? outer->after[outer->current] : before(stream), {}});
    graphUnderWay() = m_impl.get();
}

GraphOrder::~GraphOrder()
{
    if (!m_impl)
        return;
    graphUnderWay() = m_impl->outer;
    Covers all = m_impl->start;
    for (const auto& [node, known] : m_impl->after)
        merge(all, known);
    if (m_impl->outer) {
        merge(m_impl->outer->after[m_impl->outer->current], all);
        return;
    }
    // From now on it is work of the stream, of which the last comes after all that came before.
    const uint64_t id = streamOf(m_impl->stream).id;
    const uint64_t number = ++state().count;
    for (Pending& work : state().pending)
        if (work.stream >= kFirstNodeStream) {
            work.stream = id;
            work.number = number;
        }
    before(m_impl->stream)[id] = number;
}

void GraphOrder::begin(const CUgraphNode_st& node)
{
    if (!m_impl)
        return;
    m_impl->current = &node;
    Covers& known = m_impl->after[&node] = m_impl->start;
    for (const CUgraphNode_st* dependency : node.dependencies)
        merge(known, m_impl->after[dependency]);
}

void GraphOrder::end(const CUgraphNode_st& node, uint32_t raceTime)
{
    if (!m_impl || isGraphOfNodes(node.work))
        return;
    Covers& known = m_impl->after[&node];
    if (isHostFunction(node.work))
        return openToHost(known);
    Pending now = touchedBy(m_impl->runtime, node.work, raceTime);
    now.stream = kFirstNodeStream + state().count;
    if (node.madeAt.count > 0)
        now.frames = node.madeAt;
    now.number = ++state().count;
    const uint64_t id = now.stream;
    judge(m_impl->runtime, std::move(now), known);
    known[id] = state().count;
}

void waitedForAll()
{
    waitForAllUnderWay();
    for (const auto& [id, stream] : state().streams)
        merge(state().done, stream.covers);
    forgetDone();
}

void waitedForDevice(uint32_t device)
{
    waitForUnderWay([device](const auto& work) { return work.device == device; });
    for (const auto& [id, stream] : state().streams)
        if (stream.device == device)
            merge(state().done, stream.covers);
    forgetDone();
}

void waitedForStream(cudaStream_t stream)
{
    if (isAnyUnderWay())
        waitForUnderWay(coveredBy(stream));
    merge(state().done, before(stream));
    forgetDone();
}

void waitedForEvent(cudaEvent_t event)
{
    if (isAnyUnderWay())
        waitForUnderWay(coveredBy(event));
    if (const auto found = state().events.find(event); found != state().events.end())
        merge(state().done, found->second);
    forgetDone();
}

bool hostTouched(uint64_t address, bool isWrite, const HostFrames& frames)
{
    if (!contains(state().closed, address))
        return false;
    openPages();
    if (state().inside > 0)
        return true;
    for (Pending& work : state().pending) {
        if (!contains(work.hostWrites, address) && !(isWrite && contains(work.hostReads, address)))
            continue;
        if (state().touches.size() < kMaxHostTouches)
            state().touches.push_back({deviceAliasOf(address), isWrite, frames, work.what});
        // Told once.
        work.hostReads.clear();
        work.hostWrites.clear();
    }
    return true;
}

void addHostTouches(Runtime& runtime)
{
    for (const HostTouch& touch : state().touches) {
        trace::Finding finding;
        finding.kind = FindingKind::HostAccessOfDeviceMemory;
        finding.severity = Severity::Error;
        finding.message =
            fmt::format("host code {} {} while {} may still be under way: wait for it first (cudaDeviceSynchronize)",
                        touch.isWrite ? "writes" : "reads", cellText(runtime, touch.address, finding), touch.what);
        finding.accesses = {accessAt(runtime, touch.frames, touch.isWrite ? "write" : "read")};
        runtime.trace().addFindings({finding});
    }
    state().touches.clear();
}

}  // namespace lanescope::runtime
