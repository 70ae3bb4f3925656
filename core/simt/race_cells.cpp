// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/race_cells.h"

#include <sys/mman.h>

#include <algorithm>

#include "core/base/assert.h"

namespace lanescope::simt {
namespace {

constexpr unsigned kSharedPlanes = 5;
constexpr unsigned kGlobalPlanes = 8;

std::byte* mapZeros(uint64_t bytes)
{
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    LS_ASSERT(memory != MAP_FAILED);
    return static_cast<std::byte*>(memory);
}

uint64_t cellCount(uint64_t bytes, uint32_t shift)
{
    // Vectorised updates of 32 lanes may look at, but not change, cells past the end.
    return ((bytes >> shift) + 1 + 63) / 64 * 64;
}

}  // namespace

void RaceCells::setWriter(uint64_t cell, const Toucher& toucher, uint32_t launchStart) const
{
    if (packed)
        return packed->setWriter(cell, toucher, launchStart);
    writeTime[cell] = toucher.time;
    writer[cell] = toucher.info;
    if (writerBlock)
        writerBlock[cell] = toucher.block;
}

void RaceCells::setReader(uint64_t cell, const Toucher& toucher, uint32_t launchStart) const
{
    if (packed)
        return packed->setReader(cell, toucher, launchStart);
    readTime[cell] = toucher.time;
    reader[cell] = toucher.info;
    if (readerBlock)
        readerBlock[cell] = toucher.block;
}

void RaceCells::addReader(uint64_t cell, const Toucher& toucher, uint32_t flag, uint32_t launchStart) const
{
    if (packed)
        return packed->addReader(cell, toucher, flag, launchStart);
    reader[cell] |= flag;
    reader2[cell] = toucher.info;
    if (reader2Block)
        reader2Block[cell] = toucher.block;
}

RaceArena::RaceArena(uint64_t bytes, uint32_t shift, bool global) : m_bytes(bytes), m_global(global)
{
    m_cells.shift = shift;
    m_cells.lastWrite = &m_lastWrite;
    map();
}

RaceArena::~RaceArena()
{
    munmap(m_memory, m_mapped);
}

void RaceArena::map()
{
    const bool packed = m_global && m_cells.shift == 0;
    m_count = cellCount(m_bytes, m_cells.shift);
    m_cells.lockShift = packed ? PackedCells::kSectionShift : 6;
    const uint64_t cells =
        packed ? PackedCells::bytesFor(m_count) : m_count * 4 * (m_global ? kGlobalPlanes : kSharedPlanes);
    const uint64_t locks = m_global ? (m_count >> m_cells.lockShift) + 1 : 0;
    m_mapped = cells + locks;
    m_memory = mapZeros(m_mapped);
    m_cells.locks = m_global ? reinterpret_cast<uint8_t*>(m_memory + cells) : nullptr;
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
    m_cells.reader2Block = plane(7);
}

void RaceArena::refine()
{
    if (m_cells.shift == 0)
        return;
    const RaceCells old = m_cells;
    std::byte* memory = m_memory;
    const uint64_t count = m_count;
    const uint64_t mapped = m_mapped;
    m_cells = RaceCells{};
    m_cells.shift = 0;
    m_cells.lastWrite = &m_lastWrite;
    map();
    auto spread = [&](const uint32_t* from, uint32_t* to) {
        for (uint64_t i = 0; i < std::min(m_count, count * 4); ++i)
            if (from[i / 4])
                to[i] = from[i / 4];
    };
    if (!m_global) {
        spread(old.writeTime, m_cells.writeTime);
        spread(old.writer, m_cells.writer);
        spread(old.readTime, m_cells.readTime);
        spread(old.reader, m_cells.reader);
        spread(old.reader2, m_cells.reader2);
    }
    munmap(memory, mapped);
}

namespace {

/// Addresses have 47 bits: 15 of a slot, 32 in it.
uint64_t keyOf(uint64_t address, uint32_t thread)
{
    return address << 10 | thread;
}

}  // namespace

void SameValueWrites::add(uint64_t address, uint32_t thread, uint32_t epochStart)
{
    if (m_epochStart != epochStart) {
        for (uint64_t key : m_now)
            m_before.insert(key >> 10);
        m_now.clear();
        m_epochStart = epochStart;
    }
    m_now.insert(keyOf(address, thread));
}

bool SameValueWrites::contains(uint64_t address, uint32_t thread, uint32_t epochStart) const
{
    if (m_before.contains(address))
        return true;
    if (m_epochStart == epochStart)
        return m_now.contains(keyOf(address, thread));
    return std::any_of(m_now.begin(), m_now.end(), [&](uint64_t key) { return key >> 10 == address; });
}

}  // namespace lanescope::simt
