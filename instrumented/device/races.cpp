// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels that look for races call: each access is held against what the cells that it touches remember.
// Which two sides are unordered does not depend on which of them came first in this run.
//
// Nobody waits for anybody, since lanes of one warp may be anywhere in here: each toucher of a cell is replaced whole,
// with one compare-and-swap. A write puts itself down, then looks for readers; a read puts itself down, then looks for
// the writer; a fence between the two makes that at least one of two at the same time sees the other.
#include "core/cuda/device_races.h"
#include "instrumented/device/warp.h"

using namespace lanescope;
using namespace lanescope::cuda;

/// Filled in by the host before the kernel runs.
extern "C" {
LS_CONSTANT RaceControl __lanescope_races = {};
/// Of the block; 0: no slot was free, so it is not checked.
LS_SHARED uint64_t __lanescope_race_slot;
}

namespace {

/// The active lanes whose \p what is this lane's.
uint32_t lanesWith(uint32_t what)
{
    for (uint32_t rest = activeLanes();;) {
        const uint32_t firstWhat = shuffle32(rest, what, lowest(rest));
        const uint32_t same = ballot(rest, what == firstWhat);
        if (what == firstWhat)
            return same;
        rest &= ~same;
    }
}

enum Hazard : uint32_t { ReadAfterWrite = 1, WriteAfterRead = 2, WriteAfterWrite = 4 };

struct Self {
    uint32_t info;
    uint32_t block;
    uint32_t time;
    bool blocksOrdered;  ///< fences may order blocks: nothing is claimed about them
    bool shared;
    uint32_t thread() const { return info & kTouchThread; }
    uint32_t entry() const { return touchSite(info); }
    uint64_t address;
};

bool isCurrent(const Self& self, const RaceToucher& other)
{
    if (other.time == 0 || (self.shared && other.block != self.block))
        return false;
    return other.block != self.block || other.info & kTouchManyBlocks ||
           other.time >> kEpochShift == self.time >> kEpochShift;
}

bool ordered(const Self& self, const RaceToucher& other)
{
    if (other.time == 0)
        return true;
    if (other.block != self.block)
        return self.shared || self.blocksOrdered;
    if (other.time >> kEpochShift < self.time >> kEpochShift || (other.info & kTouchThread) == self.thread())
        return true;
    return (other.info & kTouchThread) / 32 == self.thread() / 32 && other.time < self.time;
}

bool isStrong(uint32_t info)
{
    return info & (kTouchAtomic | kTouchVolatile);
}

/// Atomics do not race with each other; nor do volatile accesses to global memory, which is how flags are polled.
bool synchronise(const Self& self, const RaceToucher& other)
{
    return isStrong(self.info) && isStrong(other.info) &&
           (!self.shared || ((self.info | other.info) & kTouchAtomic) != 0);
}

bool sameWarp(const Self& self, const RaceToucher& other)
{
    return other.block == self.block && (other.info & kTouchThread) / 32 == self.thread() / 32;
}

LS_APART void report(const Self& self, const RaceToucher& first, bool firstWrites, bool secondWrites, Hazard hazard,
                     bool harmful)
{
    const auto& control = __lanescope_races;
    const uint64_t key = raceKey(touchSite(first.info), self.entry(), firstWrites, secondWrites);
    auto* entries = (RaceEntry*)control.entries;
    for (uint32_t tries = 0; tries < control.entryCount; ++tries) {
        RaceEntry& entry = entries[((uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40) + tries) & (control.entryCount - 1)];
        uint64_t known = *(volatile uint64_t*)&entry.key;
        if (known == 0) {
            __atomic_compare_exchange_n(&entry.key, &known, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            if (known == 0) {
                entry.address = self.address;
                entry.threads[0] = first.info & kTouchThread;
                entry.threads[1] = self.thread();
                entry.blocks[0] = first.block;
                entry.blocks[1] = self.block;
                entry.epoch = (self.time >> kEpochShift) - 1;
                entry.atomicSide = ((first.info | self.info) & kTouchAtomic) != 0;
                entry.isShared = self.shared;
                known = key;
            }
        }
        if (known != key)
            continue;
        __atomic_fetch_add(&entry.count, (uint64_t)1, __ATOMIC_RELAXED);
        if (harmful)
            __atomic_fetch_add(&entry.harmful, (uint64_t)1, __ATOMIC_RELAXED);
        __atomic_fetch_or(&entry.hazards, (uint32_t)hazard, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&((RaceLosses*)control.losses)->races, (uint64_t)1, __ATOMIC_RELAXED);
}

#ifdef __NVPTX__
struct Wide {
    uint64_t low, high;
};

Wide wide(const RaceToucher& toucher)
{
    return {(uint64_t)toucher.info << 32 | toucher.time, (uint64_t)toucher.value << 32 | toucher.block};
}

RaceToucher narrow(const Wide& words)
{
    return {(uint32_t)words.low, (uint32_t)(words.low >> 32), (uint32_t)words.high, (uint32_t)(words.high >> 32)};
}

RaceToucher load(const Self& self, const RaceToucher& from)
{
    Wide words{};
    // Cells of global memory are written by other multiprocessors, too: not through this one's cache.
    if (self.shared)
        asm volatile("ld.relaxed.cta.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(words.low), "=l"(words.high)
                     : "l"(&from)
                     : "memory");
    else
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(words.low), "=l"(words.high)
                     : "l"(&from)
                     : "memory");
    return narrow(words);
}

/// False, and what is there in \p known, when that is not \p known.
bool swap(RaceToucher& at, RaceToucher& known, const RaceToucher& next)
{
    const Wide expected = wide(known), given = wide(next);
    Wide found{};
    asm volatile("{\n\t"
                 ".reg .b128 expected, given, found;\n\t"
                 "mov.b128 expected, {%2, %3};\n\t"
                 "mov.b128 given, {%4, %5};\n\t"
                 "atom.relaxed.gpu.global.cas.b128 found, [%6], expected, given;\n\t"
                 "mov.b128 {%0, %1}, found;\n\t"
                 "}"
                 : "=l"(found.low), "=l"(found.high)
                 : "l"(expected.low), "l"(expected.high), "l"(given.low), "l"(given.high), "l"(&at)
                 : "memory");
    const bool same = found.low == expected.low && found.high == expected.high;
    known = narrow(found);
    return same;
}
#else
RaceToucher load(const Self&, const RaceToucher& from)
{
    return from;
}

bool swap(RaceToucher& at, RaceToucher& known, const RaceToucher& next)
{
    if (at == known) {
        at = next;
        return true;
    }
    known = at;
    return false;
}
#endif

/// Between putting oneself down and looking for others. Nobody else uses the cells of a block's shared memory.
void fenceFor(const Self& self)
{
    if (self.shared)
        fenceBlock();
    else
        fenceDevice();
}

/// Whether the cell already stands for a read by this thread: a later write finds a reader that it conflicts with.
bool isRegistered(const Self& self, const RaceToucher& reader)
{
    if (!isCurrent(self, reader))
        return false;
    if (reader.info & kTouchManyBlocks)
        return true;
    if (reader.block != self.block)
        return false;
    if (reader.info & kTouchManyWarps)
        return true;
    if (!sameWarp(self, reader) || reader.time < self.time)
        return false;
    return (reader.info & kTouchManyLanes) != 0 || (reader.info & kTouchThread) == self.thread();
}

/// In what this read differs from \p reader: 0 in nothing that matters (it is older), else a flag, the larger the more.
uint32_t differenceFrom(const Self& self, const RaceToucher& reader)
{
    if (!isCurrent(self, reader))
        return 0;
    if (reader.block != self.block)
        return kTouchManyBlocks;
    if (!sameWarp(self, reader))
        return kTouchManyWarps;
    return reader.time == self.time ? kTouchManyLanes : 0;
}

/// The second reader is only ever replaced by one that is newer or differs more from the first.
void registerSecond(const Self& self, RaceCell& cell, const RaceToucher& reader, uint32_t difference)
{
    const RaceToucher own = {self.time, self.info, self.block, 0};
    const Self first = {reader.info, reader.block, reader.time, self.blocksOrdered, self.shared, self.address};
    for (RaceToucher second = load(self, cell.reader2);;) {
        if (isCurrent(self, second) && differenceFrom(first, second) >= difference)
            return;
        if (swap(cell.reader2, second, own))
            return;
    }
}

/// False when the cell stands for such a read as it is.
bool registerRead(const Self& self, RaceCell& cell)
{
    const RaceToucher own = {self.time, self.info, self.block, 0};
    for (RaceToucher reader = load(self, cell.reader);;) {
        if (isRegistered(self, reader))
            return false;
        const uint32_t difference = differenceFrom(self, reader);
        RaceToucher next = difference == 0 ? own : reader;
        next.info |= difference;
        if (!swap(cell.reader, reader, next))
            continue;
        if (difference != 0)
            registerSecond(self, cell, reader, difference);
        return true;
    }
}

bool writerConflicts(const Self& self, const RaceToucher& writer)
{
    return !ordered(self, writer) && !synchronise(self, writer);
}

bool againstReader(const Self& self, const RaceToucher& reader, bool harmful)
{
    if (ordered(self, reader) || synchronise(self, reader))
        return false;
    report(self, reader, false, true, WriteAfterRead, harmful);
    return true;
}

void read(const Self& self, RaceCell& cell)
{
    if (registerRead(self, cell))
        fenceFor(self);
    const RaceToucher writer = load(self, cell.writer);
    if (writerConflicts(self, writer))
        report(self, writer, true, false, ReadAfterWrite, !(writer.info & kTouchSameValue));
}

void write(const Self& self, RaceCell& cell, uint32_t value)
{
    RaceToucher writer = load(self, cell.writer);
    bool unordered = false, changes = false, sameValue = false;
    RaceToucher own{};
    do {
        unordered = !ordered(self, writer);
        changes = (self.info & kTouchAtomic) || writer.value != value;
        sameValue = !changes && (unordered || (isCurrent(self, writer) && (writer.info & kTouchSameValue) != 0));
        own = {self.time, self.info | (sameValue ? kTouchSameValue : 0), self.block, value};
    } while (!swap(cell.writer, writer, own));
    if (unordered && !synchronise(self, writer))
        report(self, writer, true, true, WriteAfterWrite, changes);
    fenceFor(self);
    const RaceToucher reader = load(self, cell.reader);
    if (!isCurrent(self, reader))
        return;
    const bool many = reader.info & (kTouchManyLanes | kTouchManyWarps | kTouchManyBlocks);
    if (!againstReader(self, reader, !sameValue) && many)
        againstReader(self, load(self, cell.reader2), !sameValue);
}

RaceSlot* ownSlot()
{
    return (RaceSlot*)*(volatile LS_SHARED uint64_t*)&__lanescope_race_slot;
}

/// The first cell of the access; null: nobody is interested.
RaceCell* cellsAt(RaceSlot* slot, uint64_t address, uint32_t shift, bool& shared)
{
    const auto& control = __lanescope_races;
    shared = __nvvm_isspacep_shared((const void*)address);
    if (shared) {
        const uint64_t cell = ((uint32_t)address & 0xffffffu) >> shift;
        return cell < control.sharedCells ? (RaceCell*)(slot + 1) + cell : nullptr;
    }
    const uint64_t part = (address - control.firstAddress) >> 32;
    if (address < control.firstAddress || part >= control.addressSlots)
        return nullptr;
    const uint64_t cells = ((const uint64_t*)control.cellsOf)[part];
    return cells ? (RaceCell*)cells + ((uint32_t)address >> shift) : nullptr;
}

}  // namespace

/// \p info: entry, shifted, and flags. \p low, \p high: what is written. \p shift: log2 of a cell's bytes.
LS_EXPORT LS_APART void __lanescope_race_access(uint64_t address, uint32_t info, uint64_t low, uint64_t high,
                                                uint32_t bytes, uint32_t shift, uint32_t writes, uint32_t blocksOrdered)
{
    RaceSlot* slot = ownSlot();
    // Compilers may make one call of several: lanes come with different entries, some to read and some to write.
    const uint32_t mask = lanesWith(info);
    bool shared = false;
    RaceCell* cells = slot ? cellsAt(slot, address, shift, shared) : nullptr;
    bool interested = cells != nullptr;
    // Of lanes that read one cell, two stand for all.
    const uint32_t rank = countOf(mask & (uint32_t)__nvvm_read_ptx_sreg_lanemask_lt());
    const uint64_t first = shuffle64(mask, address, lowest(mask));
    if (!writes && all(mask, address == first) && rank > 1)
        interested = false;
    if (interested) {
        const uint32_t thread = linearThread();
        const Self self = {info | thread, linearBlock(), slot->time[thread], blocksOrdered != 0, shared, address};
        const uint32_t count = bytes >> shift ? bytes >> shift : 1;
        for (uint32_t i = 0; i < count; ++i) {
            RaceCell& cell = cells[i];
            if (writes) {
                const uint32_t bit = (i << shift) * 8;
                uint32_t value = (uint32_t)(bit < 64 ? low >> bit : high >> (bit - 64));
                if (shift == 0)
                    value &= 0xff;
                write(self, cell, value);
            } else {
                read(self, cell);
            }
        }
    }
    meet(mask);
}

/// A thread has passed (is about to wait at) a barrier of the whole block.
LS_EXPORT LS_APART void __lanescope_race_barrier()
{
    if (RaceSlot* slot = ownSlot()) {
        uint32_t& time = slot->time[linearThread()];
        time = ((time >> kEpochShift) + 1) << kEpochShift;
    }
}

/// The lanes of \p lanes meet: what they all did before is ordered.
LS_EXPORT LS_APART void __lanescope_race_warp_sync(uint32_t lanes)
{
    RaceSlot* slot = ownSlot();
    if (!slot)
        return;
    uint32_t& time = slot->time[linearThread()];
    const uint32_t own = time;
    uint32_t latest = own;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t other = shuffle32(lanes, own, lowest(rest));
        latest = latest > other ? latest : other;
    }
    time = latest + 1;
}

LS_EXPORT LS_APART void __lanescope_race_begin()
{
    const auto& control = __lanescope_races;
    const uint32_t mask = activeLanes();
    if (linearThread() == 0) {
        uint64_t own = 0;
        const uint64_t part = control.firstSlot + (uint64_t)((uint32_t)__nvvm_read_ptx_sreg_smid() % control.parts) *
                                                      control.slotsPerPart * control.slotBytes;
        for (uint32_t tries = 0; tries < 16 * control.slotsPerPart && own == 0; ++tries) {
            const uint64_t slot = part + tries % control.slotsPerPart * control.slotBytes;
            if (__atomic_exchange_n(&((RaceSlot*)slot)->used, 1u, __ATOMIC_RELAXED) == 0)
                own = slot;
        }
        fenceDevice();
        if (own == 0)
            __atomic_fetch_add(&((RaceLosses*)control.losses)->blocks, (uint64_t)1, __ATOMIC_RELAXED);
        *(volatile LS_SHARED uint64_t*)&__lanescope_race_slot = own;
    }
    meet(mask);
    blockBarrier();
    if (RaceSlot* slot = ownSlot())
        slot->time[linearThread()] = kFirstTime;
}

LS_EXPORT LS_APART void __lanescope_race_end()
{
    RaceSlot* slot = ownSlot();
    if (!slot)
        return;
    const uint32_t threads =
        (uint32_t)(__nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z());
    fenceDevice();
    if (__atomic_fetch_add(&slot->returned, 1u, __ATOMIC_RELAXED) + 1 != threads)
        return;
    __atomic_exchange_n(&slot->returned, 0u, __ATOMIC_RELAXED);
    fenceDevice();
    __atomic_exchange_n(&slot->used, 0u, __ATOMIC_RELAXED);
}

LS_EXPORT LS_APART void __lanescope_race_object(uint32_t index, uint32_t key, uint64_t address)
{
    if (linearThread() == 0)
        ((RaceObject*)__lanescope_races.objects)[index] = {key, address};
}

/// memcpy, in cells.
LS_EXPORT LS_APART void __lanescope_race_copy(uint64_t to, uint64_t from, uint64_t length, uint32_t loadInfo,
                                              uint32_t storeInfo, uint32_t shift, uint32_t blocksOrdered)
{
    const uint32_t bytes = 1u << shift;
    for (uint64_t done = 0; done < length; done += bytes) {
        const uint64_t value = readBytes((const unsigned char*)(from + done), bytes);
        __lanescope_race_access(from + done, loadInfo, 0, 0, bytes, shift, 0, blocksOrdered);
        __lanescope_race_access(to + done, storeInfo, value, 0, bytes, shift, 1, blocksOrdered);
    }
}
