// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/race_cells.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/assert.h"

namespace lanescope::simt {
namespace {

constexpr uint64_t kSharedCellBytes = 5 * sizeof(uint32_t);
constexpr uint64_t kGlobalCellBytes = 7 * sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint8_t);
/// Of kRunCells cells.
constexpr uint64_t kRunBytes = sizeof(CellRuns);
constexpr uint64_t kLockBytes = sizeof(uint32_t);
static_assert(kGlobalCellBytes * kRunCells + kRunBytes + kLockBytes <= 8 * sizeof(uint32_t) * kRunCells);
/// Below, large pages gain nothing; above, few accesses here and there would take much memory.
constexpr uint64_t kFewestForLargePages = 4 << 20, kMostForLargePages = 32 << 20;

std::byte* mapZeros(uint64_t bytes)
{
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    LS_ASSERT(memory != MAP_FAILED);
    // Cells are read before they are written: with small pages two faults each, the second of which stops all threads.
    if (bytes >= kFewestForLargePages && bytes <= kMostForLargePages)
        (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
}

uint64_t cellCount(uint64_t bytes, uint32_t shift)
{
    if (shift == 0)
        return bytes;
    // Vectorised updates of 32 lanes may look at, but not change, cells past the end.
    return ((bytes >> shift) + 1 + 63) / 64 * 64;
}

}  // namespace

uint32_t newMark()
{
    // Threads take many at a time, so that they do not wait for each other. When all are used up, those that come again
    // are of locks long since held by others.
    constexpr uint32_t kAtATime = 1 << 12;
    static std::atomic<uint32_t> next = kAtATime;
    thread_local uint32_t mark = 0;
    if (mark % kAtATime == 0)
        while ((mark = next.fetch_add(kAtATime, std::memory_order_relaxed)) == 0) {
        }
    return mark++;
}

Toucher RaceCells::secondReaderOf(uint64_t cell, uint32_t block, uint32_t since) const
{
    if (packed)
        return packed->secondReader(cell);
    settleReaders(cell);
    const uint32_t info = reader2[cell];
    if (!reader2Block)
        return {info, block, readTime[cell]};
    constexpr unsigned kBits = kLowBlockBits + 4;
    const uint32_t low = (info & kHighBlockMask) >> kHighBlockShift << kLowBlockBits | reader2Block[cell];
    const uint32_t first = readerBlock[cell];
    // Of a million blocks it is known which; of more, that it is another one than the first.
    uint32_t whole = first >> kBits << kBits | low;
    if (whole == first && (reader[cell] & kTouchManyBlocks))
        whole = first >> kBits ? low : low | 1u << kBits;
    return {info & ~kHighBlockMask, whole, since + timeOfCoarse(reader2Time[cell])};
}

uint64_t RaceCells::nextTouched(uint64_t cell, uint64_t end, uint32_t time) const
{
    if (packed)
        return packed->nextTouched(cell, end, time);
    const auto isTouched = [&](uint64_t at) {
        return writeTime[at] > time || readTime[at] > time || runTime(at, CellRuns::Writers) > time ||
               runTime(at, CellRuns::Readers) > time;
    };
    while (cell < end && !isTouched(cell))
        ++cell;
    return cell;
}

void RaceCells::setWriter(uint64_t cell, const Toucher& toucher, uint32_t since) const
{
    if (packed)
        return packed->setWriter(cell, toucher, since);
    settleWriters(cell);
    notePlanes(CellRuns::Writers, toucher.time);
    writeTime[cell] = toucher.time;
    writer[cell] = toucher.info;
    if (writerBlock)
        writerBlock[cell] = toucher.block;
}

void RaceCells::setReader(uint64_t cell, const Toucher& toucher, uint32_t since) const
{
    if (packed)
        return packed->setReader(cell, toucher, since);
    settleReaders(cell);
    notePlanes(CellRuns::Readers, toucher.time);
    readTime[cell] = toucher.time;
    reader[cell] = toucher.info;
    if (readerBlock)
        readerBlock[cell] = toucher.block;
}

void RaceCells::addReader(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t since) const
{
    if (packed)
        return packed->addReader(cell, toucher, flag, since);
    settleReaders(cell);
    addReaderToPlanes(cell, toucher, flag, since);
}

void RaceCells::setRow(CellRuns::Side side, uint64_t first, unsigned count, const Toucher& toucher) const
{
    const bool writes = side == CellRuns::Writers;
    uint32_t* const times = (writes ? writeTime : readTime) + first;
    uint32_t* const touchers = (writes ? writer : reader) + first;
    uint32_t* const blocks = writes ? writerBlock : readerBlock;
    notePlanes(side, toucher.time);
    std::fill_n(times, count, toucher.time);
    for (unsigned i = 0; i < count; ++i)
        touchers[i] = toucher.info + i;
    if (blocks)
        std::fill_n(blocks + first, count, toucher.block);
}

void RaceCells::settle(CellRuns& place, CellRuns::Side side) const
{
    if (isForgotten(place, side))
        return place.clear(side);
    if (stepNow() != 1)
        return settleColumns(static_cast<uint64_t>(&place - runs), 1, side);
    const CellRun run = place.get(side);
    const auto index = static_cast<uint64_t>(&place - runs);
    setRow(side, (index << kRunShift) + run.first, run.cells, {run.info, run.block, run.time});
    place.clear(side);
}

/// The same of \p count places, at most kColumns, where runs go down columns: cells that lie side by side are entered
/// together, since those of one column mostly fall on the same few lines of a cache.
void RaceCells::settleColumns(uint64_t index, unsigned count, CellRuns::Side side) const
{
    const bool writes = side == CellRuns::Writers;
    const uint32_t step = stepNow();
    std::array<CellRun, kColumns> columns{};
    std::array<uint64_t, kColumns> cellOf{};  ///< each one's cell in the first of its rows
    unsigned first = kRunCells, end = 0;
    for (unsigned i = 0; i < count; ++i) {
        cellOf[i] = ((index + i) / step << kRunShift) * step + (index + i) % step;
        if (!runs[index + i].has(side))
            continue;
        if (isForgotten(runs[index + i], side)) {
            runs[index + i].clear(side);
            continue;
        }
        columns[i] = runs[index + i].get(side);
        first = std::min<unsigned>(first, columns[i].first);
        end = std::max<unsigned>(end, columns[i].first + columns[i].cells);
        notePlanes(side, columns[i].time);
        runs[index + i].clear(side);
    }
    uint32_t* const times = writes ? writeTime : readTime;
    uint32_t* const touchers = writes ? writer : reader;
    uint32_t* const blocks = writes ? writerBlock : readerBlock;
    for (unsigned row = first; row < end; ++row)
        for (unsigned i = 0; i < count; ++i) {
            const unsigned inRun = row - columns[i].first;  // wraps around before the first
            if (inRun >= columns[i].cells)
                continue;
            const uint64_t cell = cellOf[i] + uint64_t{row} * step;
            times[cell] = columns[i].time;
            touchers[cell] = columns[i].info + inRun;
            blocks[cell] = columns[i].block;
        }
}

void RaceCells::settleEach(uint64_t first, unsigned count, CellRuns::Side side) const
{
    for (uint64_t cell = first; cell < first + count; ++cell) {
        const auto [index, inRun] = placeOf(cell, stepNow());
        if (index < runCount && runs[index].meets(side, inRun, 1))
            settle(runs[index], side);
    }
}

void RaceCells::settleOfLock(uint64_t lock) const
{
    const unsigned placesShift = lockShift - kRunShift;
    const uint64_t begin = lock << placesShift, end = std::min(begin + (uint64_t{1} << placesShift), runCount);
    for (const CellRuns::Side side : {CellRuns::Writers, CellRuns::Readers}) {
        if (stepNow() != 1) {
            for (uint64_t at = begin; at < end; at += kColumns)
                settleColumns(at, static_cast<unsigned>(std::min<uint64_t>(kColumns, end - at)), side);
            continue;
        }
        for (uint64_t at = begin; at < end; ++at)
            if (runs[at].has(side))
                settle(runs[at], side);
    }
}

/// Who keeps a run has seen that nobody touches cells far apart, with the lock of the run's cells held: behind this
/// none is left.
void RaceCells::settleAll() const
{
    for (uint64_t i = 0; i < lockCount; ++i) {
        takeLock(i);
        settleOfLock(i);
        leaveLock(i);
    }
    __atomic_store_n(hasRuns, false, __ATOMIC_RELEASE);
}

bool RaceCells::layOut(uint32_t wanted, uint32_t since, uint32_t now) const
{
    if (!runs)
        return false;
    for (uint64_t i = 0; i < lockCount; ++i)
        takeLock(i);
    if (isUnusedSince(since)) {
        for (uint64_t i = 0; i < lockCount && mayHaveRuns(); ++i)
            settleOfLock(i);
        __atomic_store_n(hasRuns, false, __ATOMIC_RELAXED);
        __atomic_store_n(stepOfRuns, wanted, __ATOMIC_RELAXED);
        __atomic_store_n(lastOfStep, now, __ATOMIC_RELAXED);
        __atomic_store_n(refusals, 0, __ATOMIC_RELAXED);
    }
    for (uint64_t i = 0; i < lockCount; ++i)
        leaveLock(i);
    return stepNow() == wanted;
}

RaceArena::RaceArena(uint64_t bytes, uint32_t shift, bool global, bool ofCluster)
    : m_bytes(bytes), m_global(global), m_ofCluster(ofCluster)
{
    m_cells.shift = shift;
    watch();
    map();
}

void RaceArena::watch()
{
    m_cells.lastWrite = &m_lastWrite;
    m_cells.lastRead = &m_lastRead;
    m_cells.lastApart = &m_lastApart;
    m_cells.hasRuns = &m_hasRuns;
    m_cells.stepOfRuns = &m_step;
    m_cells.lastOfStep = &m_lastOfStep;
    m_cells.refusals = &m_refusals;
    m_cells.lastInPlanes = m_lastInPlanes.data();
    m_cells.hidden = &m_hidden;
    m_cells.spans = m_global ? nullptr : &m_spans;
    m_cells.global = m_global;
    m_cells.ofCluster = m_ofCluster;
}

RaceArena::~RaceArena()
{
    munmap(m_memory, m_mapped);
}

void RaceArena::map()
{
    const bool packed = m_cells.shift == 0;
    m_count = cellCount(m_bytes, m_cells.shift);
    m_cells.lockShift = packed ? PackedCells::kSectionShift : RaceCells{}.lockShift;
    const uint64_t cells =
        packed ? PackedCells::bytesFor(m_count) : m_count * (m_global ? kGlobalCellBytes : kSharedCellBytes);
    const uint64_t runBytes = packed || !m_global || m_ofCluster ? 0 : (m_count >> kRunShift) * kRunBytes;
    const uint64_t runs = (runBytes + kLockBytes - 1) / kLockBytes * kLockBytes;
    const uint64_t locks = m_global ? (m_count >> m_cells.lockShift) + 1 : 0;
    m_mapped = cells + runs + locks * sizeof(uint32_t);
    m_memory = mapZeros(m_mapped);
    m_cells.locks = m_global ? reinterpret_cast<uint32_t*>(m_memory + cells + runs) : nullptr;
    m_cells.lockCount = locks;
    m_cells.runCount = runs ? m_count >> kRunShift : 0;
    m_cells.runs = runs ? reinterpret_cast<CellRuns*>(m_memory + cells) : nullptr;
    m_hasRuns = false;
    m_step = 1;
    if (!packed)
        return placePlanes();
    m_packed.place(m_memory);
    m_cells.packed = &m_packed;
}

void RaceArena::placePlanes()
{
    auto plane = [&](unsigned index) { return reinterpret_cast<uint32_t*>(m_memory) + index * m_count; };
    m_cells.writeTime = plane(0);
    m_cells.writer = plane(1);
    m_cells.readTime = plane(2);
    m_cells.reader = plane(3);
    m_cells.reader2 = plane(4);
    if (!m_global)
        return;
    m_cells.writerBlock = plane(5);
    m_cells.readerBlock = plane(6);
    m_cells.reader2Block = reinterpret_cast<uint16_t*>(plane(7));
    m_cells.reader2Time = reinterpret_cast<uint8_t*>(m_cells.reader2Block + m_count);
}

void RaceArena::refine(uint32_t since)
{
    if (m_cells.shift == 0)
        return;
    const RaceCells old = m_cells;
    std::byte* memory = m_memory;
    const uint64_t count = m_count;
    const uint64_t mapped = m_mapped;
    m_cells = RaceCells{};
    m_cells.shift = 0;
    m_hidden.clear();
    watch();
    map();
    if (!m_global)
        spread(old, count, since);
    munmap(memory, mapped);
}

void RaceArena::spread(const RaceCells& words, uint64_t count, uint32_t since)
{
    constexpr uint32_t kFlags = kTouchManyLanes | kTouchManyWarps;
    for (uint64_t byte = 0; byte < std::min(m_bytes, count * 4); ++byte) {
        const uint64_t word = byte / 4;
        if (words.writeTime[word] >= since)
            m_cells.setWriter(byte, words.writerOf(word, 0), since);
        if (words.readTime[word] < since)
            continue;
        const Toucher reader = words.readerOf(word, 0);
        m_cells.setReader(byte, reader, since);
        if (reader.info & kFlags)
            m_cells.addReader(byte, words.secondReaderOf(word, 0, since), reader.info & kFlags, since);
    }
}

namespace {

/// Addresses have 47 bits: 15 of a slot, 32 in it.
uint64_t keyOf(uint64_t address, uint32_t thread)
{
    return address << 10 | thread;
}

}  // namespace

void SameValueWrites::goOnTo(uint32_t epochStart)
{
    if (m_epochStart == epochStart)
        return;
    m_now.forEach([&](uint64_t key) { m_before.insert(key >> 10); });
    m_now.clear();
    m_epochStart = epochStart;
}

void SameValueWrites::add(uint64_t address, uint32_t thread, uint32_t epochStart)
{
    goOnTo(epochStart);
    if (!isFull())
        m_now.insert(keyOf(address, thread));
}

bool SameValueWrites::contains(uint64_t address, uint32_t thread, uint32_t epochStart)
{
    goOnTo(epochStart);
    return isFull() || m_before.contains(address) || m_now.contains(keyOf(address, thread));
}

}  // namespace lanescope::simt
