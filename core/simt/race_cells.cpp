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

RaceArena::RaceArena(uint64_t bytes, uint32_t shift, bool global)
    : m_bytes(bytes), m_count(cellCount(bytes, shift)), m_global(global)
{
    m_cells.shift = shift;
    m_cells.lastWrite = &m_lastWrite;
    m_mapped = m_count * 4 * (global ? kGlobalPlanes : kSharedPlanes) + m_count / RaceCells::kCellsPerLock + 1;
    place(mapZeros(m_mapped));
}

RaceArena::~RaceArena()
{
    munmap(m_memory, m_mapped);
}

void RaceArena::place(std::byte* memory)
{
    m_memory = memory;
    auto plane = [&](unsigned index) { return reinterpret_cast<uint32_t*>(memory) + index * m_count; };
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
    m_cells.locks = reinterpret_cast<uint8_t*>(plane(8));
}

void RaceArena::refine()
{
    if (m_cells.shift == 0)
        return;
    RaceCells old = m_cells;
    std::byte* memory = m_memory;
    uint64_t count = m_count;
    uint64_t mapped = m_mapped;
    m_cells.shift = 0;
    m_count = cellCount(m_bytes, 0);
    m_mapped = m_count * 4 * (m_global ? kGlobalPlanes : kSharedPlanes) + m_count / RaceCells::kCellsPerLock + 1;
    place(mapZeros(m_mapped));
    auto spread = [&](const uint32_t* from, uint32_t* to) {
        for (uint64_t i = 0; i < std::min(m_count, count * 4); ++i)
            if (from[i / 4])
                to[i] = from[i / 4];
    };
    spread(old.writeTime, m_cells.writeTime);
    spread(old.writer, m_cells.writer);
    spread(old.readTime, m_cells.readTime);
    spread(old.reader, m_cells.reader);
    spread(old.reader2, m_cells.reader2);
    if (m_global) {
        spread(old.writerBlock, m_cells.writerBlock);
        spread(old.readerBlock, m_cells.readerBlock);
        spread(old.reader2Block, m_cells.reader2Block);
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
