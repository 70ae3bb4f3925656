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
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/lane_functions.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/memory/address_slots.h"
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

template <typename Float, typename Bits>
Bits addFloat(Bits a, Bits b)
{
    return std::bit_cast<Bits>(std::bit_cast<Float>(a) + std::bit_cast<Float>(b));
}

template <typename Bits>
Bits addFloating(Bits a, Bits b)
{
    if constexpr (sizeof(Bits) == 8)
        return addFloat<double>(a, b);
    else if constexpr (sizeof(Bits) == 4)
        return addFloat<float>(a, b);
    else
        return a;  // narrower floats have sums of their own
}

double narrowValue(uint64_t bits, NarrowFloat kind)
{
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(widened(bits & 0xffff, kind))));
}

/// The sum of each half or bfloat16 of a word. As doubles the sums are exact, or one summand is too small to matter.
template <typename Bits>
Bits addNarrow(Bits a, Bits b, NarrowFloat kind)
{
    uint64_t sum = 0;
    for (size_t shift = 0; shift < 8 * sizeof(Bits); shift += 16)
        sum |= narrowed(narrowValue(uint64_t{a} >> shift, kind) + narrowValue(uint64_t{b} >> shift, kind), kind,
                        RoundMode::Nearest)
               << shift;
    return static_cast<Bits>(sum);
}

/// Of one half or bfloat16; a number where one of them is none.
template <typename Bits>
Bits extremeNarrow(Bits a, Bits b, NarrowFloat kind, bool larger)
{
    const double x = narrowValue(a, kind), y = narrowValue(b, kind);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) ? b : a;
    return (larger ? x < y : y < x) ? b : a;
}

template <typename Float, typename Bits>
Bits extremeOf(Bits a, Bits b, bool larger)
{
    Float x = std::bit_cast<Float>(a), y = std::bit_cast<Float>(b);
    return larger ? (x < y ? b : a) : (y < x ? b : a);
}

template <typename Bits>
Bits extremeFloating(Bits a, Bits b, bool larger)
{
    if constexpr (sizeof(Bits) == 8)
        return extremeOf<double>(a, b, larger);
    else if constexpr (sizeof(Bits) == 4)
        return extremeOf<float>(a, b, larger);
    else
        return a;
}

template <typename Bits>
Bits combine(const AtomicInfo& info, Bits old, Bits value, Bits compare)
{
    using Signed = std::make_signed_t<Bits>;
    auto less = [](Bits a, Bits b) { return static_cast<Signed>(a) < static_cast<Signed>(b); };
    switch (info.op) {
    case AtomicOp::Exchange:
        return value;
    case AtomicOp::Add:
        return static_cast<Bits>(old + value);
    case AtomicOp::Sub:
        return static_cast<Bits>(old - value);
    case AtomicOp::And:
        return old & value;
    case AtomicOp::Or:
        return old | value;
    case AtomicOp::Xor:
        return old ^ value;
    case AtomicOp::Max:
        return info.isFloat ? extremeFloating(old, value, true) : less(old, value) ? value : old;
    case AtomicOp::Min:
        return info.isFloat ? extremeFloating(old, value, false) : less(value, old) ? value : old;
    case AtomicOp::UMax:
        return old < value ? value : old;
    case AtomicOp::UMin:
        return value < old ? value : old;
    case AtomicOp::Inc:
        return old >= value ? Bits{0} : static_cast<Bits>(old + 1);
    case AtomicOp::Dec:
        return old == 0 || old > value ? value : static_cast<Bits>(old - 1);
    case AtomicOp::FAdd:
        return addFloating(old, value);
    case AtomicOp::HalfAdd:
        return addNarrow(old, value, NarrowFloat::Half);
    case AtomicOp::BFloatAdd:
        return addNarrow(old, value, NarrowFloat::BFloat);
    case AtomicOp::HalfMax:
    case AtomicOp::HalfMin:
        return extremeNarrow(old, value, NarrowFloat::Half, info.op == AtomicOp::HalfMax);
    case AtomicOp::BFloatMax:
    case AtomicOp::BFloatMin:
        return extremeNarrow(old, value, NarrowFloat::BFloat, info.op == AtomicOp::BFloatMax);
    case AtomicOp::CompareExchange:
        return old == compare ? value : old;
    }
    return old;
}

/// Blocks run on several host threads, so global atomics are host atomics.
template <typename Bits>
std::pair<Bits, Bits> update(const AtomicInfo& info, std::byte* host, Bits value, Bits compare)
{
    auto* at = reinterpret_cast<Bits*>(host);
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

/// Whether the active lanes' updates are of words of one shared array, in bounds, of defined values, which in this
/// epoch nothing but atomics has touched: what histograms and counters do.
const ObjectEntry* usualSharedObject(const AtomicInfo& info, const Warp& warp, const uint64_t* where)
{
    const uint64_t slot = where[std::countr_zero(warp.mask)] >> 32;
    if (slot < kSharedSlot || slot >= kParameterSlot || info.memory.bytes != 4 || warp.block->checks->order)
        return nullptr;
    const ObjectEntry& object = warp.objects[slot - kSlotBase];
    const RaceCells* cells = object.races;
    if (!object.host ||
        (cells && (cells->isGlobal() || cells->shift != kWordCells || info.memory.raceSite > kTouchMaxSite)))
        return nullptr;
    const uint64_t first = where[std::countr_zero(warp.mask)];
    uint64_t strays = 0;
    uint32_t highest = 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const uint64_t address = where[std::countr_zero(rest)];
        strays |= (address ^ first) >> 32 | (address & 3);
        highest = std::max(highest, static_cast<uint32_t>(address));
    }
    if (strays || uint64_t{highest} + 4 > object.bytes)
        return nullptr;
    if (!object.defined && !cells)
        return &object;
    if (cells)
        enterReads(*warp.block);
    const uint32_t since = warp.block->checks->epochStart;
    if (cells && cells->hidden->mayHold(since))
        return nullptr;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const uint64_t offset = static_cast<uint32_t>(where[std::countr_zero(rest)]);
        if (object.defined) {
            uint32_t known = 0;
            std::memcpy(&known, object.defined + offset, 4);
            if (~known != 0)
                return nullptr;
        }
        const uint64_t cell = offset >> 2;
        if (cells && (cells->readTime[cell] >= since ||
                      (cells->writeTime[cell] >= since && !(cells->writer[cell] & kTouchAtomic))))
            return nullptr;
    }
    return &object;
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
    if (const ObjectEntry* shared = usualSharedObject(info, warp, where.data())) {
        const bool changed = updateShared(info, warp, *shared, where.data(), warp.recorder ? &after : nullptr);
        if (warp.recorder)
            recordAccess(warp, info.memory, where.data(), after.data(), 16);
        return afterUpdate(instr, warp, info, where[static_cast<size_t>(std::countr_zero(warp.mask))], changed);
    }
    bool changed = false;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto index = static_cast<size_t>(lane);
        uint64_t compare = info.op == AtomicOp::CompareExchange ? operandBits(warp, info.compare, wide, lane) : 0;
        const std::optional<uint64_t> found = updateAt(
            warp, info, lane, where[index], operandBits(warp, info.operand, wide, lane), compare, after[index][0]);
        const uint64_t old = found.value_or(0);
        changed |= found && old != after[index][0];
        if (info.dst != UINT32_MAX)
            setLane(warp, info.dst, wide, lane, old);
        if (info.successDst != UINT32_MAX)
            setLane(warp, info.successDst, false, lane, old == compare);
    }
    if (warp.recorder)
        recordAccess(warp, info.memory, where.data(), after.data(), 16);
    return afterUpdate(instr, warp, info, where[static_cast<size_t>(std::countr_zero(warp.mask))], changed);
}

const Instr* runRecordVariable(const Instr* instr, Warp& warp)
{
    if (warp.recorder)
        warp.recorder->variableWrite(SiteId{instr->c}, warp.id, warp.mask, warp.regs + instr->a,
                                     static_cast<uint8_t>(instr->b), instr->imm ? 8 : 4);
    return instr + 1;
}

namespace {

/// \p Signed: an integer as wide as the floats. Without its sign a NaN's is above infinity's.
template <typename Signed>
bool anyNan(const std::byte* lanes, LaneMask mask)
{
    constexpr Signed kInfinity = sizeof(Signed) == 4 ? Signed(0x7f800000) : Signed(0x7ff0000000000000);
    const auto* bits = reinterpret_cast<const Signed*>(lanes);
    /// Below 0 for a NaN.
    const auto room = [&](int lane) { return kInfinity - (bits[lane] & std::numeric_limits<Signed>::max()); };
    Signed signs = 0;
    for (int i = 0; i < kWarpSize; ++i)
        signs |= room(i);
    if (signs >= 0) [[likely]]
        return false;
    for (LaneMask rest = mask; rest; rest &= rest - 1)
        if (room(std::countr_zero(rest)) < 0)
            return true;
    return false;
}

}  // namespace

const Instr* runRecordDerived(const Instr* instr, Warp& warp)
{
    if (!warp.recorder)
        return instr + 1;
    // Which of two NaNs an operation keeps is the compiler's choice; everything else has one right answer.
    const std::byte* lanes = warp.regs + instr->a;
    if (instr->imm ? anyNan<int64_t>(lanes, warp.mask) : anyNan<int32_t>(lanes, warp.mask))
        return runRecordVariable(instr, warp);
    warp.recorder->variableWrite(SiteId{instr->c}, warp.id, warp.mask, nullptr, 0, 0);
    return instr + 1;
}

const Instr* runRecordVariableScalar(const Instr* instr, Warp& warp)
{
    if (warp.recorder)
        warp.recorder->variableWriteUniform(SiteId{instr->c}, warp.id, warp.mask, warp.scalars + instr->a,
                                            static_cast<uint8_t>(instr->b));
    return instr + 1;
}

const Instr* runRecordConstant(const Instr* instr, Warp& warp)
{
    if (warp.recorder)
        warp.recorder->variableWriteUniform(SiteId{instr->c}, warp.id, warp.mask, &instr->imm,
                                            static_cast<uint8_t>(instr->b));
    return instr + 1;
}

}  // namespace lanescope::simt
