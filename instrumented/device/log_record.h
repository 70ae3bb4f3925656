// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing one record of a kernel's log, by the lanes of a warp that run together. For device code compiled as plain
// C++.
#pragma once

#include "core/cuda/device_log.h"
#include "core/cuda/page_pool.h"
#include "instrumented/device/warp.h"

namespace lanescope::cuda {

/// \p Source: a small object whose get() is the LogControl, in whatever memory it lies.
template <typename Source>
struct DeviceMachine {
    const auto& pool() const { return source.get().pool; }
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

    Source source;
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
template <typename Source>
LS_INLINE uint32_t recordedBlock(Source source)
{
    const auto& control = source.get();
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
template <typename Source>
class Record {
public:
    LS_INLINE Record(Source source, const Group& group, uint32_t recordedBlock, uint32_t units)
        : m_source(source), m_group(group), m_units(units), m_block(linearBlock()), m_warp(linearThread() / 32),
          m_slot((uint64_t*)source.get().openPages + (uint64_t)(recordedBlock * source.get().warpsPerBlock + m_warp))
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
    LS_INLINE PageWriter<DeviceMachine<Source>> writer() const
    {
        return {DeviceMachine<Source>{m_source}, m_block & (m_source.get().pool.queueCount - 1)};
    }

    Source m_source;
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

/// How the addresses of a group's lanes follow from one another.
struct Line {
    Form form;
    uint64_t base;  ///< Affine: the first lane's
    int32_t stride;
};

LS_INLINE Line lineOf(const Group& group, uint64_t address)
{
    const uint64_t base = shuffle64(group.mask, address, group.first);
    // The stride shows between the first lane and the next one; lanes further on must agree.
    const uint32_t others = group.mask & (group.mask - 1);
    const uint32_t second = others ? lowest(others) : group.first;
    auto stride = (int32_t)shuffle32(group.mask, (uint32_t)(address - base), second);
    if (second > group.first + 1)
        stride /= (int32_t)(second - group.first);
    const uint64_t expected = base + (uint64_t)((int64_t)stride * (int32_t)(group.lane - group.first));
    return {all(group.mask, address == expected) ? Form::Affine : Form::Each, base, stride};
}

/// One record with addresses, and with values of \p kBytes when that is not 0.
template <uint32_t kBytes, typename Source>
LS_INLINE void logLanes(Source source, RecordKind kind, uint32_t place, uint64_t address, uint64_t low, uint64_t high)
{
    const uint64_t clock = clock64();
    const uint32_t recorded = recordedBlock(source);
    if (recorded == kNotRecorded)
        return;
    const Group group(lanesWith(place));
    const Line line = lineOf(group, address);

    Form values = Form::None;
    uint32_t valueUnits = 0;
    if constexpr (kBytes != 0) {
        values = isUniform<kBytes>(group, low, high) ? Form::Uniform : Form::Each;
        valueUnits = values == Form::Uniform ? 1 : unitsOf(kBytes * group.count);
    }
    const uint32_t valuesAt = kHeaderUnits + addressUnits(line.form, group.count);

    Record record(source, group, recorded, valuesAt + valueUnits);
    char* at = record.at();
    if (line.form == Form::Each)
        global<uint64_t>(at + kHeaderUnits * kUnitBytes)[group.rank] = address;
    if (values == Form::Each)
        writeValue<kBytes>(at + valuesAt * kUnitBytes + group.rank * kBytes, low, high);
    if (group.leads()) {
        if (line.form == Form::Affine)
            *global<Pair>(at + kHeaderUnits * kUnitBytes) = Pair{line.base, (uint64_t)(int64_t)line.stride};
        if (values == Form::Uniform)
            writeValue<kBytes>(at + valuesAt * kUnitBytes, low, high);
        record.writeHeader(kind, formsOf(line.form, values), kBytes, place, clock);
    }
    record.end(false);
}

/// A record without lanes' data; \p taken only for a branch.
template <typename Source>
LS_INLINE void logMask(Source source, RecordKind kind, uint32_t place, bool taken, bool isLast)
{
    const uint64_t clock = clock64();
    const uint32_t recorded = recordedBlock(source);
    if (recorded == kNotRecorded)
        return;
    const Group group(lanesWith(place));
    const uint32_t lanes = ballot(group.mask, taken);
    Record record(source, group, recorded, kHeaderUnits + (kind == RecordKind::Branch ? 1 : 0));
    if (group.leads()) {
        if (kind == RecordKind::Branch)
            *global<uint32_t>(record.at() + kHeaderUnits * kUnitBytes) = lanes;
        record.writeHeader(kind, 0, 0, place, clock);
    }
    record.end(isLast);
}

}  // namespace lanescope::cuda
