// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that count call: inlined, with place, size and space known when the program is compiled. Each warp works
// out what its access costs and adds that to the sums of its multiprocessor; nothing is stored per access.
#include "core/cuda/device_counts.h"
#include "instrumented/device/warp.h"

using namespace lanescope::cuda;

/// Filled in by the host before the kernel runs.
extern "C" {
LS_CONSTANT CountControl __lanescope_counters = {};
}

namespace {

using Sum = LS_GLOBAL uint64_t;

LS_INLINE Sum* counterOf(uint32_t entry)
{
    const auto& control = __lanescope_counters;
    // The table has one part per multiprocessor of the GPU.
    const uint64_t part = (uint64_t)(uint32_t)__nvvm_read_ptx_sreg_smid() * control.entries * sizeof(SiteCounter);
    return (Sum*)(control.table + part + (uint64_t)entry * sizeof(SiteCounter));
}

LS_INLINE void add(Sum* sum, uint64_t value)
{
    __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

struct Cost {
    uint32_t cost;
    uint32_t ideal;
};

LS_APART void addByFew(uint32_t mask, Sum* counter, uint32_t cost, uint32_t ideal)
{
    if (laneId() == lowest(mask)) {
        add(counter, 1);
        add(counter + 1, countOf(mask));
        add(counter + 2, cost);
        add(counter + 3, ideal);
    }
    meet(mask);
}

LS_INLINE void addRequest(uint32_t mask, uint32_t entry, Cost cost)
{
    if (mask != 0xffffffffu)
        return addByFew(mask, counterOf(entry), cost.cost, cost.ideal);
    const uint32_t lane = laneId();
    const uint32_t value = lane == 0 ? 1 : lane == 1 ? 32 : lane == 2 ? cost.cost : cost.ideal;
    if (lane < 4)
        add(counterOf(0) + lane + (uint64_t)entry * (sizeof(SiteCounter) / sizeof(uint64_t)), value);
    meet(0xffffffffu);
}

/// Distinct keys among the lanes of \p mask.
LS_APART uint32_t distinct(uint32_t mask, uint64_t key)
{
    uint32_t count = 0;
    for (uint32_t rest = mask; rest; ++count)
        rest &= ~ballot(mask, key == shuffle64(mask, key, lowest(rest)));
    return count;
}

/// The footprint grows: seldom.
LS_APART void widen(uint32_t mask, Sum* counter, uint64_t address, uint32_t bytes)
{
    uint64_t notLowest = 0, end = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const uint64_t other = shuffle64(mask, address, lowest(rest));
        notLowest = notLowest > ~other ? notLowest : ~other;
        end = end > other + bytes ? end : other + bytes;
    }
    if (laneId() == lowest(mask)) {
        atomicMax(counter + 4, notLowest);
        atomicMax(counter + 5, end);
        if (notLowest > counter[6])
            counter[6] = notLowest;
        if (end > counter[7])
            counter[7] = end;
    }
    meet(mask);
}

LS_INLINE void noteFootprint(uint32_t mask, uint32_t entry, uint64_t address, uint32_t bytes)
{
    Sum* counter = counterOf(entry);
    if (!all(mask, ~address <= counter[6] && address + bytes <= counter[7]))
        widen(mask, counter, address, bytes);
}

/// Distinct sectors, and how few could hold the distinct bytes. Lanes in ascending or descending order, as they mostly
/// are, need only look at the lane before. An access is aligned to its size: it lies in one sector.
LS_INLINE Cost sectorsOf(uint32_t mask, uint64_t address, uint32_t bytes)
{
    const uint32_t before = mask & (uint32_t)__nvvm_read_ptx_sreg_lanemask_lt();
    const uint32_t neighbour = before ? 31u - (uint32_t)__builtin_clz(before) : laneId();
    const uint64_t other = shuffle64(mask, address, neighbour);
    uint32_t sectors = countOf(ballot(mask, (address ^ other) >> 5 != 0)) + 1;
    uint32_t cells = countOf(ballot(mask, address != other)) + 1;
    if (!all(mask, address >= other) && !all(mask, address <= other)) {
        sectors = distinct(mask, address >> 5);
        cells = distinct(mask, address);
    }
    return {sectors, (cells * bytes + 31) / 32};
}

LS_INLINE void countGlobal(uint64_t address, uint32_t entry, uint32_t bytes)
{
    const uint32_t mask = activeLanes();
    addRequest(mask, entry, sectorsOf(mask, address, bytes));
    noteFootprint(mask, entry, address, bytes);
}

/// Lanes that are served in one pass with this one: all, a half or a quarter of the warp.
LS_INLINE uint32_t passOf(uint32_t lane, uint32_t passes)
{
    const uint32_t lanes = 32 / passes;
    return passes == 1 ? 0xffffffffu : ((1u << lanes) - 1) << (lane & ~(lanes - 1));
}

LS_INLINE uint32_t passesWith(uint32_t lanes, uint32_t passes)
{
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < passes; ++pass)
        count += (lanes & passOf(pass * 32 / passes, passes)) != 0;
    return count;
}

/// Each round serves one word of every bank in every pass; a pass that needs n rounds needs n wavefronts.
LS_INLINE void countShared(uint64_t address, uint32_t entry, uint32_t bytes)
{
    const uint32_t mask = activeLanes();
    const uint32_t passes = bytes <= 4 ? 1 : bytes <= 8 ? 2 : 4;
    const uint32_t bankBits = passes == 1 ? 5 : passes == 2 ? 4 : 3;
    const uint32_t word = (uint32_t)address >> (7 - bankBits);
    const uint32_t lane = laneId();
    uint32_t sameBank = mask & passOf(lane, passes);
    for (uint32_t bit = 0; bit < bankBits; ++bit) {
        const bool mine = word >> bit & 1;
        const uint32_t lanes = ballot(mask, mine);
        sameBank &= mine ? lanes : ~lanes;
    }
    uint32_t waiting = mask, degree = 0, wavefronts = 0;
    do {
        ++degree;
        wavefronts += passesWith(waiting, passes);
        const uint32_t rest = sameBank & waiting;
        const uint32_t served = ballot(mask, word == shuffle32(mask, word, rest ? lowest(rest) : lane));
        waiting &= ~served;
    } while (waiting);
    addRequest(mask, entry, {wavefronts, passesWith(mask, passes)});
    if (degree == 1)
        return;
    if (lane == lowest(mask))
        add(counterOf(entry) + sizeof(SiteCounter) / sizeof(uint64_t) - kDegrees + degree - 1, 1);
    meet(mask);
}

LS_INLINE void countOther(uint32_t entry, bool taken)
{
    const uint32_t mask = activeLanes();
    const uint32_t lanes = ballot(mask, taken);
    addRequest(mask, entry, {lanes != 0 && lanes != mask, 0});
}

/// Of a size that is not known beforehand: one set of entries for each, from 1 byte on.
LS_APART void countPiece(uint64_t address, uint32_t firstEntry, uint32_t bytes)
{
    const uint32_t entry = firstEntry + 3 * (uint32_t)__builtin_ctz(bytes);
    if (__nvvm_isspacep_shared((const void*)address))
        countShared(address, entry + 1, bytes);
    else if (__nvvm_isspacep_local((const void*)address))
        countOther(entry + 2, false);
    else
        countGlobal(address, entry, bytes);
}

}  // namespace

LS_EXPORT LS_INLINE void __lanescope_count_access(uint64_t address, uint32_t entry, uint32_t bytes, uint32_t space)
{
    if (space == (uint32_t)CountSpace::Global)
        return countGlobal(address, entry, bytes);
    if (space == (uint32_t)CountSpace::Shared)
        return countShared(address, entry, bytes);
    if (space == (uint32_t)CountSpace::Other)
        return countOther(entry, false);
    if (__nvvm_isspacep_shared((const void*)address))
        countShared(address, entry + 1, bytes);
    else if (__nvvm_isspacep_local((const void*)address))
        countOther(entry + 2, false);
    else
        countGlobal(address, entry, bytes);
}

LS_EXPORT LS_INLINE void __lanescope_count_branch(uint32_t entry, uint32_t taken)
{
    countOther(entry, taken != 0);
}

LS_EXPORT LS_INLINE void __lanescope_count_mark(uint32_t entry)
{
    countOther(entry, false);
}

/// Entries: of the load, each size's three spaces, then of the store.
LS_EXPORT LS_APART void __lanescope_count_copy(uint32_t entry, unsigned char* to, const unsigned char* from,
                                               uint64_t length)
{
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        countPiece((uint64_t)(from + done), entry, bytes);
        countPiece((uint64_t)(to + done), entry + 15, bytes);
        const uint64_t low = readBytes(from + done, bytes);
        const uint64_t high = bytes == 16 ? readBytes(from + done + 8, 8) : 0;
        writeBytes(to + done, low, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, high, 8);
    });
}

LS_EXPORT LS_APART void __lanescope_count_set(uint32_t entry, unsigned char* to, uint32_t byte, uint64_t length)
{
    const uint64_t word = (byte & 0xff) * 0x0101010101010101u;
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        countPiece((uint64_t)(to + done), entry, bytes);
        writeBytes(to + done, word, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, word, 8);
    });
}
