// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instrumented kernels call. Compiled for nvptx64 as plain C++ and linked into each program's device code.
#include "core/cuda/device_log.h"
#include "core/cuda/page_pool.h"
#include "instrumented/device/warp.h"

using namespace lanescope::cuda;

/// Filled in by the host before the kernel runs. In constant memory: read on every call.
extern "C" {
LS_CONSTANT LogControl __lanescope_control = {};
}

namespace {

struct DeviceMachine {
    const auto& pool() const { return __lanescope_control.pool; }
    uint64_t fetchAdd(uint64_t* at, uint64_t value) { return __atomic_fetch_add(at, value, __ATOMIC_RELAXED); }
    /// Both order what this warp has written to the page against those of its lanes who take the page next.
    uint64_t exchange(uint64_t* at, uint64_t value)
    {
        const uint64_t before = __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
        fenceBlock();
        return before;
    }
    bool compareExchange(uint64_t* at, uint64_t expected, uint64_t value)
    {
        fenceBlock();
        return __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    uint64_t loadHost(const uint64_t* at) { return *(const volatile uint64_t*)at; }
    void storeHost(uint64_t* at, uint64_t value) { *(volatile uint64_t*)at = value; }
    void fenceHost() { fenceSystem(); }
    void pause() { sleepNanoseconds(1000); }
};

/// What is known to lie in global memory is read and written faster.
template <typename Type>
LS_INLINE LS_GLOBAL Type* global(void* at)
{
    return (LS_GLOBAL Type*)(Type*)at;
}

/// Written with one instruction.
using Pair = uint64_t __attribute__((vector_size(16)));

constexpr uint32_t kNotRecorded = ~0u;

/// Number of this thread's block among those that are recorded.
LS_INLINE uint32_t recordedBlock()
{
    const auto& control = __lanescope_control;
    const auto x = (uint32_t)__nvvm_read_ptx_sreg_ctaid_x() - control.firstBlock[0];
    const auto y = (uint32_t)__nvvm_read_ptx_sreg_ctaid_y() - control.firstBlock[1];
    const auto z = (uint32_t)__nvvm_read_ptx_sreg_ctaid_z() - control.firstBlock[2];
    const uint32_t wide = control.lastBlock[0] - control.firstBlock[0];
    const uint32_t high = control.lastBlock[1] - control.firstBlock[1];
    const uint32_t deep = control.lastBlock[2] - control.firstBlock[2];
    const bool recorded = (control.enabled != 0) & (x < wide) & (y < high) & (z < deep);
    return recorded ? x + wide * (y + high * z) : kNotRecorded;
}

/// Lanes of one warp that log one record together: those that run together and mean the same place. Compilers may
/// make one call of several, so that lanes come with different places.
class Group {
public:
    explicit LS_INLINE Group(uint32_t lanes)
        : mask(lanes), lane(laneId()), first(lowest(mask)), rank(countOf(mask & ((1u << lane) - 1))),
          count(countOf(mask))
    {
    }
    LS_INLINE bool leads() const { return lane == first; }
    LS_INLINE bool isWholeWarp() const { return mask == ~0u; }

    const uint32_t mask;
    const uint32_t lane;
    const uint32_t first;
    const uint32_t rank;  ///< among the active lanes
    const uint32_t count;
};

/// The active lanes whose \p what is this lane's.
LS_INLINE uint32_t lanesWith(uint32_t what)
{
    for (uint32_t rest = activeLanes();;) {
        const uint32_t firstWhat = shuffle32(rest, what, lowest(rest));
        const uint32_t same = ballot(rest, what == firstWhat);
        if (what == firstWhat)
            return same;
        rest &= ~same;
    }
}

/// One record of a group: takes the warp's page in hand, says where to write, and puts it down.
class Record {
public:
    LS_INLINE Record(const Group& group, uint32_t recordedBlock, uint32_t units)
        : m_group(group), m_units(units), m_block(linearBlock()), m_warp(linearThread() / 32),
          m_slot((uint64_t*)__lanescope_control.openPages +
                 (uint64_t)(recordedBlock * __lanescope_control.warpsPerBlock + m_warp))
    {
        if (group.isWholeWarp()) {
            // Nobody else can have the page in hand. What lanes that had parted put down shows after they have met.
            meet(group.mask);
            m_page.word = *global<uint64_t>(m_slot);
        } else {
            if (group.leads())
                m_page = writer().takeFrom(m_slot);
            m_page.word = shuffle64(group.mask, m_page.word, group.first);
        }
        if (writer().hasRoomFor(units, m_page))
            return;
        meet(group.mask);
        if (group.leads())
            m_page = writer().withRoomFor(units, m_page);
        m_page.word = shuffle64(group.mask, m_page.word, group.first);
    }

    LS_INLINE char* at() const { return writer().at(m_page); }

    LS_INLINE void writeHeader(RecordKind kind, uint8_t forms, uint32_t valueBytes, uint32_t place,
                               uint64_t clock) const
    {
        RecordHeader header = {};
        header.tag = tagOf(m_page.use(), m_page.units());
        header.units = (uint8_t)m_units;
        header.kind = kind;
        header.forms = forms;
        header.valueBytes = (uint8_t)valueBytes;
        header.place = place;
        header.mask = m_group.mask;
        header.clock = clock;
        header.block = m_block;
        header.warp = (uint16_t)m_warp;
        const HeaderWords words(header);
        auto* to = global<Pair>(at());
        to[0] = Pair{words.word[0], words.word[1]};
        to[1] = Pair{words.word[2], words.word[3]};
    }

    /// All lanes have written their part. \p isLast: they write no more.
    LS_INLINE void end(bool isLast)
    {
        meet(m_group.mask);
        if (m_group.leads()) {
            const OpenPage next{m_page.word + m_units};
            if (m_group.isWholeWarp())
                *global<uint64_t>(m_slot) = isLast ? 0 : next.word;
            else if (!isLast)
                writer().putBack(m_slot, next);
            if (isLast)
                writer().handOver(next);
        }
        meet(m_group.mask);
    }

private:
    LS_INLINE PageWriter<DeviceMachine> writer() const
    {
        return {DeviceMachine(), m_block & (__lanescope_control.pool.queueCount - 1)};
    }

    const Group m_group;
    uint32_t m_units;
    uint32_t m_block;
    uint32_t m_warp;
    uint64_t* m_slot;
    OpenPage m_page;
};

/// Bytes that the lanes' addresses take in that form.
LS_INLINE uint32_t addressUnits(Form form, uint32_t lanes)
{
    return form == Form::Affine ? 1 : unitsOf(8 * lanes);
}

template <uint32_t kBytes>
LS_INLINE void writeValue(char* at, uint64_t low, uint64_t high)
{
    if constexpr (kBytes == 16)
        *global<Pair>(at) = Pair{low, high};
    else if constexpr (kBytes == 8)
        *global<uint64_t>(at) = low;
    else if constexpr (kBytes == 4)
        *global<uint32_t>(at) = (uint32_t)low;
    else if constexpr (kBytes == 2)
        *global<uint16_t>(at) = (uint16_t)low;
    else if constexpr (kBytes == 1)
        *global<char>(at) = (char)low;
}

/// Whether all lanes of \p group have one value.
template <uint32_t kBytes>
LS_INLINE bool isUniform(const Group& group, uint64_t low, uint64_t high)
{
    // All shuffles are for all lanes: none may depend on what another gave.
    bool same = (uint32_t)low == shuffle32(group.mask, (uint32_t)low, group.first);
    if constexpr (kBytes >= 8)
        same &= (uint32_t)(low >> 32) == shuffle32(group.mask, (uint32_t)(low >> 32), group.first);
    if constexpr (kBytes == 16)
        same &= high == shuffle64(group.mask, high, group.first);
    return all(group.mask, same);
}

/// One record with addresses, and with values of \p kBytes when that is not 0.
template <uint32_t kBytes>
LS_INLINE void logLanes(RecordKind kind, uint32_t place, uint64_t address, uint64_t low, uint64_t high)
{
    const uint64_t clock = clock64();
    const uint32_t recorded = recordedBlock();
    if (recorded == kNotRecorded)
        return;
    const Group group(lanesWith(place));
    const uint64_t base = shuffle64(group.mask, address, group.first);
    // The stride shows between the first lane and the next one; lanes further on must agree.
    const uint32_t others = group.mask & (group.mask - 1);
    const uint32_t second = others ? lowest(others) : group.first;
    auto stride = (int32_t)shuffle32(group.mask, (uint32_t)(address - base), second);
    if (second > group.first + 1)
        stride /= (int32_t)(second - group.first);
    const uint64_t expected = base + (uint64_t)((int64_t)stride * (int32_t)(group.lane - group.first));
    const Form addresses = all(group.mask, address == expected) ? Form::Affine : Form::Each;

    Form values = Form::None;
    uint32_t valueUnits = 0;
    if constexpr (kBytes != 0) {
        values = isUniform<kBytes>(group, low, high) ? Form::Uniform : Form::Each;
        valueUnits = values == Form::Uniform ? 1 : unitsOf(kBytes * group.count);
    }
    const uint32_t valuesAt = kHeaderUnits + addressUnits(addresses, group.count);

    Record record(group, recorded, valuesAt + valueUnits);
    char* at = record.at();
    if (addresses == Form::Each)
        global<uint64_t>(at + kHeaderUnits * kUnitBytes)[group.rank] = address;
    if (values == Form::Each)
        writeValue<kBytes>(at + valuesAt * kUnitBytes + group.rank * kBytes, low, high);
    if (group.leads()) {
        if (addresses == Form::Affine)
            *global<Pair>(at + kHeaderUnits * kUnitBytes) = Pair{base, (uint64_t)(int64_t)stride};
        if (values == Form::Uniform)
            writeValue<kBytes>(at + valuesAt * kUnitBytes, low, high);
        record.writeHeader(kind, formsOf(addresses, values), kBytes, place, clock);
    }
    record.end(false);
}

/// A record without lanes' data; \p taken only for a branch.
LS_INLINE void logMask(RecordKind kind, uint32_t place, bool taken, bool isLast)
{
    const uint64_t clock = clock64();
    const uint32_t recorded = recordedBlock();
    if (recorded == kNotRecorded)
        return;
    const Group group(lanesWith(place));
    const uint32_t lanes = ballot(group.mask, taken);
    Record record(group, recorded, kHeaderUnits + (kind == RecordKind::Branch ? 1 : 0));
    if (group.leads()) {
        if (kind == RecordKind::Branch)
            *global<uint32_t>(record.at() + kHeaderUnits * kUnitBytes) = lanes;
        record.writeHeader(kind, 0, 0, place, clock);
    }
    record.end(isLast);
}

}  // namespace

#define LOGGER extern "C" __attribute__((LS_CONVERGENT noinline, used, visibility("default")))

/// Whether this thread's block is one of those that are recorded; the others run the program's own code.
LOGGER bool __lanescope_records()
{
    return recordedBlock() != kNotRecorded;
}

/// An access of so many bytes that has been made, or is about to be.
LOGGER void __lanescope_access_1(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<1>(RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_2(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<2>(RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_4(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<4>(RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_8(uint32_t place, uint64_t address, uint64_t value)
{
    logLanes<8>(RecordKind::Access, place, address, value, 0);
}
LOGGER void __lanescope_access_16(uint32_t place, uint64_t address, uint64_t low, uint64_t high)
{
    logLanes<16>(RecordKind::Access, place, address, low, high);
}

LOGGER void __lanescope_branch(uint32_t place, uint32_t taken)
{
    logMask(RecordKind::Branch, place, taken != 0, false);
}

LOGGER void __lanescope_mark(uint32_t place)
{
    logMask(RecordKind::Mark, place, false, false);
}

/// The calling lanes return from the kernel: what they have logged goes to the host at once.
LOGGER void __lanescope_return(uint32_t place)
{
    logMask(RecordKind::Mark, place, false, true);
}

LOGGER void __lanescope_object(uint32_t key, uint64_t address)
{
    logLanes<0>(RecordKind::Object, key, address, 0, 0);
}

namespace {

LS_INLINE void logPiece(uint32_t place, uint64_t address, uint64_t low, uint64_t high, uint32_t bytes)
{
    switch (bytes) {
    case 16:
        return __lanescope_access_16(place, address, low, high);
    case 8:
        return __lanescope_access_8(place, address, low);
    case 4:
        return __lanescope_access_4(place, address, low);
    case 2:
        return __lanescope_access_2(place, address, low);
    default:
        return __lanescope_access_1(place, address, low);
    }
}

}  // namespace

/// memcpy and memmove as the simulator makes them, piece by piece: `place` is the load's, the next one the store's.
LOGGER void __lanescope_copy(uint32_t place, unsigned char* to, const unsigned char* from, uint64_t length)
{
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        const uint64_t low = readBytes(from + done, bytes);
        const uint64_t high = bytes == 16 ? readBytes(from + done + 8, 8) : 0;
        logPiece(place, (uint64_t)(from + done), low, high, bytes);
        logPiece(place + 1, (uint64_t)(to + done), low, high, bytes);
        writeBytes(to + done, low, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, high, 8);
    });
}

LOGGER void __lanescope_set(uint32_t place, unsigned char* to, uint32_t byte, uint64_t length)
{
    const uint64_t word = (byte & 0xff) * 0x0101010101010101u;
    forPieces(length, [&](uint64_t done, uint32_t bytes) {
        logPiece(place, (uint64_t)(to + done), word, word, bytes);
        writeBytes(to + done, word, bytes);
        if (bytes == 16)
            writeBytes(to + done + 8, word, 8);
    });
}

/// The grid's barrier. All blocks are resident: the host sees to it.
LOGGER void __ls_grid_sync()
{
    blockBarrier();
    const bool first =
        __nvvm_read_ptx_sreg_tid_x() == 0 && __nvvm_read_ptx_sreg_tid_y() == 0 && __nvvm_read_ptx_sreg_tid_z() == 0;
    if (first) {
        auto* arrived = (uint32_t*)__lanescope_control.gridBarrier;
        uint32_t* generation = arrived + 1;
        const auto blocks = (uint32_t)(__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_nctaid_y() *
                                       __nvvm_read_ptx_sreg_nctaid_z());
        const uint32_t before = *(volatile uint32_t*)generation;
        fenceDevice();
        if (__atomic_fetch_add(arrived, 1u, __ATOMIC_RELAXED) + 1 == blocks) {
            __atomic_exchange_n(arrived, 0u, __ATOMIC_RELAXED);
            fenceDevice();
            __atomic_fetch_add(generation, 1u, __ATOMIC_RELAXED);
        } else {
            while (*(volatile uint32_t*)generation == before) {
            }
        }
        fenceDevice();
    }
    blockBarrier();
}
