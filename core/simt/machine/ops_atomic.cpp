// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics and the recording of variables: handlers that work lane by lane.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/machine/atomic_values.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/memory/initialised_bits.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

uint64_t operandBits(Warp& warp, const Operand& operand, bool wide, int lane)
{
    if (operand.form == Form::Scalar)
        return wide ? warp.scalars[operand.reg] : static_cast<uint32_t>(warp.scalars[operand.reg]);
    return wide ? warp.vector<uint64_t>(operand.reg)[lane] : warp.vector<uint32_t>(operand.reg)[lane];
}

void setLane(Warp& warp, uint32_t reg, bool wide, int lane, uint64_t bits)
{
    if (wide)
        warp.vector<uint64_t>(reg)[lane] = bits;
    else
        warp.vector<uint32_t>(reg)[lane] = static_cast<uint32_t>(bits);
}

/// Blocks run on several host threads, so global atomics are host atomics.
template <typename Bits>
std::pair<Bits, Bits> update(const AtomicInfo& info, std::byte* host, Bits value, Bits compare)
{
    auto* at = reinterpret_cast<Bits*>(host);
    if (info.op == AtomicOp::Add) {  // what most do
        const Bits before = __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
        return {before, static_cast<Bits>(before + value)};
    }
    Bits old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    Bits next = combine(info, old, value, compare);
    while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        next = combine(info, old, value, compare);
    return {old, next};
}

template <typename Bits>
uint64_t updateLane(const AtomicInfo& info, std::byte* host, uint64_t value, uint64_t compare, uint64_t& after)
{
    auto [old, next] = update<Bits>(info, host, static_cast<Bits>(value), static_cast<Bits>(compare));
    after = next;
    return old;
}

uint64_t updateSized(const AtomicInfo& info, std::byte* host, uint64_t value, uint64_t compare, uint64_t& after)
{
    switch (info.memory.bytes) {
    case 1:
        return updateLane<uint8_t>(info, host, value, compare, after);
    case 2:
        return updateLane<uint16_t>(info, host, value, compare, after);
    case 4:
        return updateLane<uint32_t>(info, host, value, compare, after);
    default:
        return updateLane<uint64_t>(info, host, value, compare, after);
    }
}

using UpdatedLanes = std::array<std::array<uint64_t, 2>, kWarpSize>;

/// The object in which the active lanes' places lie, all of them whole and aligned; null: there is none.
const ObjectEntry* objectOfAll(const AtomicInfo& info, const Warp& warp, const uint64_t* where)
{
    const uint64_t first = where[std::countr_zero(warp.mask)];
    const uint64_t slot = first >> 32;
    if (slot < kSlotBase || slot >= kEndSlot)
        return nullptr;
    uint64_t strays = 0;
    uint32_t highest = 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const uint64_t address = where[std::countr_zero(rest)];
        strays |= (address ^ first) >> 32 | (address & (info.memory.bytes - 1u));
        highest = std::max(highest, static_cast<uint32_t>(address));
    }
    const ObjectEntry& object = warp.objects[slot - kSlotBase];
    return strays == 0 && object.host && uint64_t{highest} + info.memory.bytes <= object.bytes ? &object : nullptr;
}

/// Whether the active lanes' updates are of words of \p object, a shared array, of defined values, which in this epoch
/// nothing but atomics has touched: what histograms and counters do.
bool isUsualShared(const AtomicInfo& info, const Warp& warp, const ObjectEntry& object, const uint64_t* where)
{
    const RaceCells* cells = object.races;
    if (info.memory.bytes != 4 || warp.block->checks->order ||
        (cells && (cells->isGlobal() || cells->shift != kWordCells || info.memory.raceSite > kTouchMaxSite)))
        return false;
    if (!object.defined && !cells)
        return true;
    if (cells)
        enterReads(*warp.block);
    const uint32_t since = warp.block->checks->epochStart;
    if (cells && cells->hidden->mayHold(since))
        return false;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const uint64_t offset = static_cast<uint32_t>(where[std::countr_zero(rest)]);
        if (object.defined) {
            uint32_t known = 0;
            std::memcpy(&known, object.defined + offset, 4);
            if (~known != 0)
                return false;
        }
        const uint64_t cell = offset >> 2;
        if (cells && (cells->readTime[cell] >= since ||
                      (cells->writeTime[cell] >= since && !(cells->writer[cell] & kTouchAtomic))))
            return false;
    }
    return true;
}

/// Behind an atomic. Lanes that twice in a row left the same word as it was try to take a lock that others hold: their
/// turn is over, and they sleep.
const Instr* afterUpdate(const Instr* instr, Warp& warp, const AtomicInfo& info, uint64_t address, bool changed)
{
    const bool takesLocks = info.op == AtomicOp::CompareExchange || info.op == AtomicOp::Exchange;
    if (!takesLocks)
        return instr + 1;
    Split& split = warp.splits[warp.current];
    if (changed || split.polledBy != instr || split.polled != address) {
        split.polledBy = changed ? nullptr : instr;
        split.polled = address;
        return instr + 1;
    }
    split.ip = instr + 1;
    warp.quantum = kQuantumOfSleep;
    return nullptr;
}

void noteShared(const AtomicInfo& info, const Warp& warp, const RaceCells& cells, const uint64_t* where)
{
    const uint32_t writer = writerInfo(warp, info.memory, 0, true);
    cells.noteWrite(warp.block->checks->time);
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint32_t cell = static_cast<uint32_t>(where[lane]) >> 2;
        cells.writeTime[cell] = warp.block->checks->time;
        cells.writer[cell] = writer | static_cast<uint32_t>(lane);
    }
}

/// \p next: what becomes of (old, operand, compared with). True when any word changed.
template <typename Next>
bool updateWords(const AtomicInfo& info, Warp& warp, std::byte* host, const uint64_t* where, UpdatedLanes* after,
                 Next next)
{
    const auto valuesOf = [&](const Operand& operand, std::array<uint32_t, kWarpSize>& splat) {
        if (operand.form == Form::Vector)
            return static_cast<const uint32_t*>(warp.vector<uint32_t>(operand.reg));
        splat.fill(static_cast<uint32_t>(warp.scalars[operand.reg]));
        return static_cast<const uint32_t*>(splat.data());
    };
    std::array<uint32_t, kWarpSize> splats[2];
    const uint32_t* values = valuesOf(info.operand, splats[0]);
    const uint32_t* compares = info.op == AtomicOp::CompareExchange ? valuesOf(info.compare, splats[1]) : values;
    bool changed = false;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        std::byte* at = host + static_cast<uint32_t>(where[lane]);
        uint32_t old = 0;
        std::memcpy(&old, at, 4);
        const uint32_t compare = compares[lane];
        const uint32_t result = next(old, values[lane], compare);
        std::memcpy(at, &result, 4);
        changed |= result != old;
        if (after)
            (*after)[static_cast<size_t>(lane)][0] = result;
        if (info.dst != UINT32_MAX)
            warp.vector<uint32_t>(info.dst)[lane] = old;
        if (info.successDst != UINT32_MAX)
            warp.vector<uint32_t>(info.successDst)[lane] = old == compare;
    }
    return changed;
}

/// Shared memory belongs to one host thread: no host atomics. True when any word changed.
bool updateShared(const AtomicInfo& info, Warp& warp, const ObjectEntry& object, const uint64_t* where,
                  UpdatedLanes* after)
{
    if (object.races)
        noteShared(info, warp, *object.races, where);
    // Counting, which is what most do, without asking in every lane what is to be done.
    if (info.op == AtomicOp::Add)
        return updateWords(info, warp, object.host, where, after,
                           [](uint32_t old, uint32_t value, uint32_t) { return old + value; });
    return updateWords(info, warp, object.host, where, after, [&](uint32_t old, uint32_t value, uint32_t compare) {
        return combine(info, old, value, compare);
    });
}

}  // namespace

std::optional<uint64_t> updateAt(Warp& warp, const AtomicInfo& info, int lane, uint64_t address, uint64_t operand,
                                 uint64_t compare, uint64_t& after)
{
    std::byte* host = checkedAddress(warp, info.memory, lane, address, true);
    if (!host || (address & (info.memory.bytes - 1u)) != 0)
        return std::nullopt;
    checkLaneAt(warp, info.memory, lane, address, info.memory.bytes, nullptr, true);
    if (info.op != AtomicOp::Exchange && undefinedBits(warp, lane, address, info.memory.bytes))
        reportUndefinedAtomic(warp, info.memory, lane, address);
    const uint64_t old = updateSized(info, host, operand, compare, after);
    setDefinedBits(warp, lane, address, info.memory.bytes, 0);
    const bool compares = info.op == AtomicOp::CompareExchange;
    const bool fails = compares && old != compare;
    synchronise(warp, info.memory, lane, address, fails ? FlagUse::Read : FlagUse::Update);
    noteLock(warp, lane, address, old, after, info.memory.isVolatile && (compares || info.op == AtomicOp::Exchange),
             compares);
    return old;
}

void updateMemory(const AtomicInfo& info, std::byte* at, uint64_t operand)
{
    uint64_t after = 0;
    updateSized(info, at, operand, 0, after);
}

namespace {

/// Whether the active lanes' updates are of words of \p object, which is global memory, and may be held against its
/// cells one by one (enterAtomic), or need not be.
bool isUsualGlobal(const AtomicInfo& info, const Warp& warp, const ObjectEntry& object)
{
    const BlockChecks& checks = *warp.block->checks;
    const RaceCells* cells = object.races;
    if (info.memory.bytes < 4 || object.readOnly || object.freed || object.laneStride || object.defined || checks.order)
        return false;
    return !cells || (cells->isGlobal() && !cells->isShared() && cells->shift == kWordCells &&
                      info.memory.raceSite <= kTouchMaxSite && checks.overlap.end == 0);
}

/// Of words far apart each is waited for; of all lanes' at once that is one wait.
void prefetch(const Warp& warp, const ObjectEntry& object, const uint64_t* where)
{
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const uint64_t offset = static_cast<uint32_t>(where[std::countr_zero(rest)]);
        __builtin_prefetch(object.host + offset, 1);
        if (object.races)
            object.races->prefetchWriter(offset >> kWordCells);
    }
}

/// One lane's update of a word of \p object (isUsualGlobal), when there is nothing to find; as updateAt. None, and
/// nothing has happened, when there may be.
std::optional<uint64_t> updateGlobal(Warp& warp, const AtomicInfo& info, const ObjectEntry& object, int lane,
                                     uint32_t offset, uint64_t operand, uint64_t compare, uint64_t& after)
{
    const bool isKnown = !object.partlyUndefined || areInitialised(object.initialised, offset, info.memory.bytes);
    if (!isKnown || (object.races && !enterAtomic(warp, info.memory, *object.races, lane, offset)))
        return std::nullopt;
    return updateSized(info, object.host + offset, operand, compare, after);
}

/// The active lanes' updates of words of \p object (isUsualGlobal) where nobody can race and all is known: in one go,
/// without asking in every lane what is to be done. True when any word changed.
template <typename Bits>
bool updateAll(const AtomicInfo& info, Warp& warp, const ObjectEntry& object, const uint64_t* where,
               UpdatedLanes* after)
{
    constexpr bool kWide = sizeof(Bits) == 8;
    bool changed = false;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto compare = info.op == AtomicOp::CompareExchange
                                 ? static_cast<Bits>(operandBits(warp, info.compare, kWide, lane))
                                 : Bits{0};
        const auto operand = static_cast<Bits>(operandBits(warp, info.operand, kWide, lane));
        const auto [old, next] = update<Bits>(info, object.host + static_cast<uint32_t>(where[lane]), operand, compare);
        changed |= old != next;
        if (after)
            (*after)[static_cast<size_t>(lane)][0] = next;
        if (info.dst != UINT32_MAX)
            setLane(warp, info.dst, kWide, lane, old);
        if (info.successDst != UINT32_MAX)
            setLane(warp, info.successDst, false, lane, old == compare);
    }
    return changed;
}

}  // namespace

const Instr* runAtomic(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const AtomicInfo*>(instr->imm);
    const uint64_t* addresses = warp.vector<uint64_t>(instr->a);  // lowering puts the address in a register
    bool wide = info.memory.bytes == 8;
    UpdatedLanes after;
    if (warp.recorder)
        after = {};
    std::array<uint64_t, kWarpSize> where;  // results may go to the register of the addresses
    std::memcpy(where.data(), addresses, sizeof where);
    const uint64_t first = where[static_cast<size_t>(std::countr_zero(warp.mask))];
    const auto finish = [&](bool changed) {
        if (warp.recorder)
            recordAccess(warp, info.memory, where.data(), after.data(), 16);
        return afterUpdate(instr, warp, info, first, changed);
    };
    const ObjectEntry* object = objectOfAll(info, warp, where.data());
    if (object && isSharedAddress(first)) {
        if (isUsualShared(info, warp, *object, where.data()))
            return finish(updateShared(info, warp, *object, where.data(), warp.recorder ? &after : nullptr));
        object = nullptr;
    }
    if (object && !isUsualGlobal(info, warp, *object))
        object = nullptr;
    if (object)
        prefetch(warp, *object, where.data());
    if (object && !object->races && !object->partlyUndefined) {
        UpdatedLanes* const told = warp.recorder ? &after : nullptr;
        return finish(wide ? updateAll<uint64_t>(info, warp, *object, where.data(), told)
                           : updateAll<uint32_t>(info, warp, *object, where.data(), told));
    }
    bool changed = false;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto index = static_cast<size_t>(lane);
        const uint64_t compare = info.op == AtomicOp::CompareExchange ? operandBits(warp, info.compare, wide, lane) : 0;
        const uint64_t operand = operandBits(warp, info.operand, wide, lane);
        std::optional<uint64_t> found;
        if (object)
            found = updateGlobal(warp, info, *object, lane, static_cast<uint32_t>(where[index]), operand, compare,
                                 after[index][0]);
        if (!found)
            found = updateAt(warp, info, lane, where[index], operand, compare, after[index][0]);
        const uint64_t old = found.value_or(0);
        changed |= found && old != after[index][0];
        if (info.dst != UINT32_MAX)
            setLane(warp, info.dst, wide, lane, old);
        if (info.successDst != UINT32_MAX)
            setLane(warp, info.successDst, false, lane, old == compare);
    }
    return finish(changed);
}

}  // namespace lanescope::simt
