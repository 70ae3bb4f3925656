// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/checks/definedness.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/undefined_bits.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/memory/initialised_bits.h"
#include "core/simt/state/lane_memory.h"
#include "core/simt/state/lane_values.h"
#include "core/trace/writer.h"

namespace lanescope::simt {
namespace {

constexpr size_t kMaxCopies = 4096;  ///< of undefined values that a block is blamed for

constexpr size_t kRegisterBytes = kWarpSize * 4;  ///< of a narrow register; a wide one takes two

/// Of which no bit is known: only so much is kept of global memory.
std::optional<unsigned> firstUnknownByte(uint64_t undefined)
{
    for (unsigned byte = 0; byte < 8; ++byte)
        if ((undefined >> (byte * 8) & 0xff) == 0xff)
            return byte;
    return std::nullopt;
}

uint8_t loadedBits(const MemoryInfo& info)
{
    return info.wide || info.bytes == 8 ? 64 : 32;
}

uint8_t storedBits(const MemoryInfo& info)
{
    return static_cast<uint8_t>(info.bytes * 8);
}

/// Whether some of what the active lanes load from memory is undefined.
bool loadsUndefined(const Warp& warp, const MemoryInfo& info)
{
    // Lanes mostly find what they load in one object, of which mostly all is defined.
    uint64_t slot = 0;
    bool isDefined = true;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const uint64_t address = laneAddress(warp, info, lane);
        if (address >> 32 != slot || namedRank(address) != 0) {
            const ObjectEntry* object = objectOf(warp, address);
            isDefined = !object || !(object->defined || object->partlyUndefined);
            slot = address >> 32;
        }
        for (unsigned c = 0; c < info.components && !isDefined; ++c)
            if (undefinedBits(warp, lane, address + c * info.bytes, info.bytes))
                return true;
    }
    return false;
}

/// Of BlockChecks::endedLocals.
uint64_t endedKey(const Warp& warp, uint64_t slot)
{
    return slot << 16 | warp.id;
}

}  // namespace

void forgetLocal(Warp& warp, uint64_t slot)
{
    const ObjectEntry& object = warp.objects[slot - kSlotBase];
    if (!object.defined)
        return;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
        std::memset(object.defined + laneOffset(warp, object, std::countr_zero(rest)), 0, object.bytes);
    warp.block->checks->endedLocals[endedKey(warp, slot)] |= warp.mask;
}

void beginLocal(Warp& warp, uint64_t slot)
{
    auto& ended = warp.block->checks->endedLocals;
    if (ended.empty())
        return;
    if (const auto found = ended.find(endedKey(warp, slot)); found != ended.end())
        found->second &= ~warp.mask;
}

bool isLocalEnded(const Warp& warp, int lane, uint64_t address)
{
    const auto& ended = warp.block->checks->endedLocals;
    const auto found = ended.find(endedKey(warp, address >> 32));
    return found != ended.end() && found->second >> lane & 1;
}

uint64_t undefinedBits(const Warp& warp, int lane, uint64_t address, unsigned bytes)
{
    const ObjectEntry* object = objectOf(warp, address);
    uint64_t offset = offsetIn(warp, address);
    if (!object || !holds(*object, offset, bytes))
        return 0;
    uint64_t undefined = 0;
    if (object->defined) {
        uint64_t known = 0;
        std::memcpy(&known, object->defined + offset + laneOffset(warp, *object, lane), bytes);
        undefined = ~known & maskOf(bytes * 8);
    } else if (object->partlyUndefined) {
        for (unsigned i = 0; i < bytes; ++i) {
            uint8_t known = __atomic_load_n(object->initialised + (offset + i) / 8, __ATOMIC_RELAXED);
            if (!(known >> ((offset + i) % 8) & 1u))
                undefined |= uint64_t{0xff} << (i * 8);
        }
    }
    return undefined;
}

void setDefinedBits(Warp& warp, int lane, uint64_t address, unsigned bytes, uint64_t undefined)
{
    const ObjectEntry* object = objectOf(warp, address);
    uint64_t offset = offsetIn(warp, address);
    if (!object || !holds(*object, offset, bytes))
        return;
    if (undefined)
        for (SharedDefinedness& shared : ownerOf(warp, address).checks->sharedDefined)
            if (shared.object == object)
                shared.doubt(offset);
    if (object->defined) {
        uint64_t known = ~undefined;
        std::memcpy(object->defined + offset + laneOffset(warp, *object, lane), &known, bytes);
    } else if (object->initialised && !undefined) {
        setInitialised(object->initialised, offset, bytes);
    } else if (object->initialised) {
        for (unsigned i = 0; i < bytes; ++i) {
            auto bit = static_cast<uint8_t>(1u << ((offset + i) % 8));
            // A byte of which some bits are known counts as known: no false alarm from bit fields.
            bool isUndefined = (undefined >> (i * 8) & 0xff) == 0xff;
            warp.block->checks->copiedUndefined |= isUndefined;
            if (isUndefined)
                __atomic_fetch_and(object->initialised + (offset + i) / 8, static_cast<uint8_t>(~bit),
                                   __ATOMIC_RELAXED);
            else
                __atomic_fetch_or(object->initialised + (offset + i) / 8, bit, __ATOMIC_RELAXED);
        }
    }
}

void SharedDefinedness::settle()
{
    if (!object->defined)
        return;
    for (uint64_t word; known + sizeof word <= bytes; known += sizeof word) {
        std::memcpy(&word, bits + known, sizeof word);
        if (~word)
            return;
    }
    for (; known < bytes; ++known)
        if (bits[known] != std::byte{0xff})
            return;
    object->defined = nullptr;
}

void SharedDefinedness::doubt(uint64_t offset)
{
    object->defined = bits;
    known = std::min(known, offset / sizeof(uint64_t) * sizeof(uint64_t));
}

Tracker::Tracker(const Program& program)
    : m_program(program), m_marks(program.registerBytes / kRegisterBytes),
      m_bits(std::make_unique_for_overwrite<std::byte[]>(program.registerBytes)),
      m_origins(std::make_unique_for_overwrite<uint32_t[]>(program.registerBytes / 4))
{
}

void Tracker::adopt(Warp& warp) const
{
    size_t count = m_program.scalars.size();
    for (Split& split : warp.splits)
        split.scalars.resize(3 * count);
    for (Join& join : warp.joins)
        if (!join.scalars.empty())
            join.scalars.resize(3 * count);
    if (warp.current != Warp::kNoSplit)
        warp.scalars = warp.splits[warp.current].scalars.data();
}

bool Tracker::isIdle(const Warp& warp) const
{
    if (m_marked || m_outer.end || m_inner.end || !m_undefinedLocals.empty())
        return false;
    const size_t count = m_program.scalars.size();
    const auto areDefined = [&](const auto& scalars) {
        return scalars.size() <= count || std::all_of(scalars.begin() + static_cast<ptrdiff_t>(count),
                                                      scalars.begin() + static_cast<ptrdiff_t>(2 * count),
                                                      [](uint64_t undefined) { return undefined == 0; });
    };
    return std::ranges::all_of(warp.splits, [&](const Split& split) { return areDefined(split.scalars); }) &&
           std::ranges::all_of(warp.joins, [&](const Join& join) { return areDefined(join.scalars); });
}

bool Tracker::isUndefined(const Warp& warp, const FlowOperand& operand) const
{
    if (operand.at.form == Form::Scalar)
        return (warp.scalars[m_program.scalars.size() + operand.at.reg] & maskOf(operand.bits)) != 0;
    return m_marks[operand.at.reg / kRegisterBytes] != 0;
}

bool Tracker::isAddressUndefined(const Warp& warp, const MemoryInfo& info) const
{
    if (isUndefined(warp, {info.base, 64}))
        return true;
    for (unsigned i = 0; i < info.scalarTermCount; ++i)
        if (isUndefined(warp, {info.scalarTerms[i].operand, 64}))
            return true;
    for (unsigned i = 0; i < info.vectorTermCount; ++i)
        if (isUndefined(warp, {info.vectorTerms[i].operand, 64}))
            return true;
    return false;
}

bool Tracker::readsUndefined(const Warp& warp, const Flow& flow, const MemoryInfo* info) const
{
    const auto anyOf = [&](const std::vector<FlowOperand>& operands) {
        return std::any_of(operands.begin(), operands.end(),
                           [&](const FlowOperand& operand) { return isUndefined(warp, operand); });
    };
    for (const FlowAssign& assign : flow.assigns)
        switch (assign.kind) {
        case FlowKind::Undefined:
        case FlowKind::Define:
            break;
        case FlowKind::Load:
            if (isAddressUndefined(warp, *info) || loadsUndefined(warp, *info))
                return true;
            break;
        case FlowKind::Store:
            if (isAddressUndefined(warp, *info))
                return true;
            for (unsigned c = 0; c < info->components; ++c)
                if (isUndefined(warp, {info->values[c], storedBits(*info)}))
                    return true;
            break;
        default:
            if (anyOf(assign.operands))
                return true;
        }
    return false;
}

UndefinedBits Tracker::read(const Warp& warp, const FlowOperand& operand) const
{
    UndefinedBits out;
    if (!isUndefined(warp, operand))
        return out;
    uint64_t mask = maskOf(operand.bits);
    size_t count = m_program.scalars.size();
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
        if (operand.at.form == Form::Scalar) {
            out.bits[lane] = warp.scalars[count + operand.at.reg] & mask;
            out.origin[lane] = static_cast<uint32_t>(warp.scalars[2 * count + operand.at.reg]);
            continue;
        }
        size_t width = isWide(operand.bits) ? 8 : 4;
        size_t at = operand.at.reg + lane * width;
        std::memcpy(&out.bits[lane], m_bits.get() + at, width);
        out.bits[lane] &= mask;
        out.origin[lane] = m_origins[at / 4];
    }
    return out;
}

void Tracker::write(Warp& warp, const FlowOperand& operand, LaneMask mask, const UndefinedBits& undefined)
{
    if (operand.at.form == Form::Scalar) {
        size_t count = m_program.scalars.size();
        forActive(mask, [&](size_t lane) {
            warp.scalars[count + operand.at.reg] = undefined.bits[lane];
            warp.scalars[2 * count + operand.at.reg] = undefined.origin[lane];
        });
        return;
    }
    const size_t width = isWide(operand.bits) ? 8 : 4;
    std::byte* bits = m_bits.get() + operand.at.reg;
    uint8_t& mark = m_marks[operand.at.reg / kRegisterBytes];
    if (!mark)
        std::memset(bits, 0, kWarpSize * width);
    forActive(mask, [&](size_t lane) {
        std::memcpy(bits + lane * width, &undefined.bits[lane], width);
        m_origins[(operand.at.reg + lane * width) / 4] = undefined.origin[lane];
    });
    m_marked -= mark;
    mark = std::any_of(bits, bits + kWarpSize * width, [](std::byte each) { return each != std::byte{0}; });
    m_marked += mark;
}

void Tracker::setDefined(Warp& warp, const FlowOperand& operand, LaneMask mask)
{
    if (operand.at.form == Form::Scalar)
        warp.scalars[m_program.scalars.size() + operand.at.reg] = 0;
    else if (m_marks[operand.at.reg / kRegisterBytes])
        write(warp, operand, mask, {});
}

uint32_t Tracker::originOf(Warp& warp, const MemoryInfo& info, int lane, uint64_t address)
{
    uint64_t key = uint64_t{info.staticSite} * kWarpSize + static_cast<unsigned>(lane);
    auto [known, isNew] = m_known.try_emplace(key, 0);
    if (isNew) {
        m_table.push_back({});
        known->second = static_cast<uint32_t>(m_table.size());
    }
    // Buffers are called by where they lie in their own block.
    const uint64_t own = addressInBlock(warp, address);
    m_table[known->second - 1] = {info.staticSite,
                                  nullptr,
                                  {},
                                  own,
                                  warp.block->epoch,
                                  warp.recorder ? warp.recorder->steps() : 0,
                                  true,
                                  std::nullopt,
                                  isLocalEnded(warp, lane, address)};
    const auto [computed, at] = resultsAt(warp, static_cast<size_t>(lane), address);
    if (!computed || computed->empty())
        return known->second;
    const auto earlier = computed->find(at);
    if (earlier == computed->end())
        return known->second;
    m_table[known->second - 1].earlier = earlier->second;
    return known->second | kComputed;
}

std::pair<Tracker::Results*, uint64_t> Tracker::resultsAt(Warp& warp, size_t lane, uint64_t address)
{
    if (address >= slotAddress(kSharedSlot) && address < slotAddress(kParameterSlot))
        return {&warp.block->checks->undefinedShared, address};
    const ObjectEntry* object = objectOf(warp, address);
    constexpr unsigned kAddressBits = 48;
    if (object && object->laneStride && object->defined)
        return {&m_undefinedLocals, address | lane << kAddressBits};
    return {nullptr, 0};
}

void Tracker::setLoaded(Warp& warp, const MemoryInfo& info, const std::array<uint64_t, kWarpSize>& addresses)
{
    for (unsigned c = 0; c < info.components; ++c) {
        UndefinedBits loaded;
        forActive(warp.mask, [&](size_t lane) {
            int index = static_cast<int>(lane);
            loaded.bits[lane] = undefinedBits(warp, index, addresses[lane] + c * info.bytes, info.bytes);
            if (loaded.bits[lane])
                loaded.origin[lane] = originOf(warp, info, index, addresses[lane] + c * info.bytes);
        });
        write(warp, {info.values[c], loadedBits(info)}, warp.mask, loaded);
    }
}

void Tracker::checkAddress(Warp& warp, const MemoryInfo& info)
{
    auto check = [&](const Operand& operand, bool wide) {
        use(warp, read(warp, {operand, static_cast<uint8_t>(wide ? 64 : 32)}), warp.mask,
            device::UninitialisedUse::Address, info.staticSite, m_program.sites[info.staticSite].where);
    };
    check(info.base, true);
    for (unsigned i = 0; i < info.scalarTermCount; ++i)
        check(info.scalarTerms[i].operand, info.scalarTerms[i].wide);
    for (unsigned i = 0; i < info.vectorTermCount; ++i)
        check(info.vectorTerms[i].operand, info.vectorTerms[i].wide);
}

void Tracker::beginLoad(Warp& warp, const MemoryInfo& info, Pending& pending)
{
    checkAddress(warp, info);
    for (unsigned c = 0; c < info.components; ++c) {
        Result result;
        result.to = {info.values[c], loadedBits(info)};
        forActive(warp.mask, [&](size_t lane) {
            int index = static_cast<int>(lane);
            uint64_t address = laneAddress(warp, info, index) + c * info.bytes;
            result.undefined.bits[lane] = undefinedBits(warp, index, address, info.bytes);
            if (result.undefined.bits[lane])
                result.undefined.origin[lane] = originOf(warp, info, index, address);
        });
        pending.results.push_back(result);
    }
}

void Tracker::beginStore(Warp& warp, const MemoryInfo& info, const Flow& flow)
{
    checkAddress(warp, info);
    forActive(warp.mask, [&](size_t lane) { m_storedAt[lane] = laneAddress(warp, info, static_cast<int>(lane)); });
    for (unsigned c = 0; c < info.components; ++c) {
        UndefinedBits& stored = m_stored[c];
        stored = read(warp, {info.values[c], storedBits(info)});
        LaneMask computed = 0;
        forActive(warp.mask, [&](size_t lane) {
            if (!stored.bits[lane])
                return;
            consume(stored.origin[lane], flow);
            const auto [kept, key] = resultsAt(warp, lane, m_storedAt[lane] + c * info.bytes);
            if (!(stored.origin[lane] & kComputed)) {
                if (kept)
                    kept->erase(key);
            } else if (kept) {
                kept->insert_or_assign(key, describe(warp, stored.origin[lane], lane, device::UninitialisedUse::Stored,
                                                     info.staticSite, m_program.sites[info.staticSite].where));
            } else {
                computed |= LaneMask{1} << lane;
            }
        });
        use(warp, stored, computed, device::UninitialisedUse::Stored, info.staticSite,
            m_program.sites[info.staticSite].where);
        // Said once: what follows from it is not said again.
        forActive(computed, [&](size_t lane) { stored.bits[lane] = 0; });
    }
}

void Tracker::finishStore(Warp& warp, const MemoryInfo& info)
{
    for (unsigned c = 0; c < info.components; ++c)
        forActive(m_inner.mask, [&](size_t lane) {
            uint64_t undefined = m_stored[c].bits[lane];
            if (!undefined)
                return;
            uint64_t address = m_storedAt[lane] + c * info.bytes;
            setDefinedBits(warp, static_cast<int>(lane), address, info.bytes, undefined);
            const ObjectEntry* object = objectOf(warp, address);
            auto& copies = warp.block->checks->undefinedCopies;
            const std::optional<unsigned> first = firstUnknownByte(undefined);
            if (object && object->initialised && first && copies.size() < kMaxCopies)
                copies.emplace_back(address + *first,
                                    describe(warp, m_stored[c].origin[lane], lane, device::UninitialisedUse::CopiedOut,
                                             info.staticSite, m_program.sites[info.staticSite].where));
        });
}

device::UninitialisedUse Tracker::describe(const Warp& warp, uint32_t originId, size_t lane,
                                           device::UninitialisedUse::How how, uint32_t staticSite,
                                           const trace::SourceLocation& where) const
{
    const Origin& origin = m_table[(originId & kOriginMask) - 1];
    if (origin.earlier)
        return *origin.earlier;
    device::UninitialisedUse found;
    found.how = how;
    found.site = origin.staticSite;
    found.variable = origin.variable;
    found.readAt =
        origin.variable ? (origin.where.line ? origin.where : where) : m_program.sites[origin.staticSite].where;
    found.useSite = staticSite;
    found.usedAt = where;
    found.address = origin.address;
    found.thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
    found.epoch = origin.epoch;
    found.step = origin.step;
    found.named = origin.named;
    found.ended = origin.ended;
    found.instances.add({{warp.block->index, 0}, {found.thread, 0}, found.address, found.epoch, found.step}, false);
    return found;
}

void Tracker::use(Warp& warp, const UndefinedBits& undefined, LaneMask mask, device::UninitialisedUse::How how,
                  uint32_t staticSite, const trace::SourceLocation& where)
{
    Block& block = *warp.block;
    forActive(mask, [&](size_t lane) {
        if (!undefined.bits[lane])
            return;
        device::UninitialisedUse found = describe(warp, undefined.origin[lane], lane, how, staticSite, where);
        auto known = std::find_if(block.checks->uninitialised.begin(), block.checks->uninitialised.end(),
                                  [&](const device::UninitialisedUse& other) {
                                      return (other.site == found.site && other.variable == found.variable) ||
                                             (other.usedAt.line == found.usedAt.line &&
                                              other.usedAt.source == found.usedAt.source);
                                  });
        if (known != block.checks->uninitialised.end()) {
            ++known->count;
            known->instances.merge(found.instances, false);
            return;
        }
        block.checks->uninitialised.push_back(found);
    });
}

void Tracker::begin(const Flow& flow, const Instr* instr, Warp& warp, Pending& pending)
{
    const auto* info = reinterpret_cast<const MemoryInfo*>(instr->imm);
    pending.end = instr + flow.length;
    pending.mask = warp.mask;
    pending.flow = &flow;
    pending.loaded = !flow.assigns.empty() && flow.assigns[0].kind == FlowKind::Load ? info : nullptr;
    pending.results.clear();
    pending.isDefined = !readsUndefined(warp, flow, info);
    if (pending.isDefined)
        return;
    for (const FlowAssign& assign : flow.assigns) {
        switch (assign.kind) {
        case FlowKind::Undefined:
            continue;
        case FlowKind::Load:
            beginLoad(warp, *info, pending);
            continue;
        case FlowKind::Store:
            beginStore(warp, *info, flow);
            continue;
        case FlowKind::Branch:
            use(warp, evaluate(warp, assign, flow), warp.mask, device::UninitialisedUse::Branch, UINT32_MAX,
                flow.where);
            continue;
        case FlowKind::Atomic:
            for (const FlowOperand& operand : assign.operands)
                use(warp, read(warp, operand), warp.mask, device::UninitialisedUse::Stored, UINT32_MAX, flow.where);
            break;
        default:
            break;
        }
        if (assign.hasResult)
            pending.results.push_back({assign.result, evaluate(warp, assign, flow)});
    }
}

void Tracker::commit(Warp& warp, Pending& pending)
{
    pending.end = nullptr;
    for (const Result& result : pending.results)
        write(warp, result.to, pending.mask, result.undefined);
    pending.results.clear();
    if (!pending.isDefined)
        return;
    for (const FlowAssign& assign : pending.flow->assigns)
        if (assign.hasResult && assign.kind != FlowKind::Undefined)
            setDefined(warp, assign.result, pending.mask);
    for (unsigned c = 0; pending.loaded && c < pending.loaded->components; ++c)
        setDefined(warp, {pending.loaded->values[c], loadedBits(*pending.loaded)}, pending.mask);
}

const Instr* Tracker::step(const Instr* instr, Warp& warp)
{
    if (!m_span.holds(instr))
        m_span = m_program.spanOf(instr);
    const FlowSlots slots = m_span.slotsOf(instr);
    if (slots.outer)
        begin(m_program.flows[slots.outer - 1], instr, warp, m_outer);
    const Flow* inner = slots.inner ? &m_program.flows[slots.inner - 1] : nullptr;
    if (inner)
        begin(*inner, instr, warp, m_inner);
    const Instr* next = instr->run(instr, warp);
    if (inner) {
        if (!m_inner.isDefined && !inner->assigns.empty() && inner->assigns[0].kind == FlowKind::Store)
            finishStore(warp, *reinterpret_cast<const MemoryInfo*>(instr->imm));
        commit(warp, m_inner);
    }
    if (m_outer.end == instr + 1)
        commit(warp, m_outer);
    return next;
}

namespace {

/// True when the warp was not tracked before.
bool track(Warp& warp)
{
    if (warp.tracked)
        return false;
    const Program& program = *warp.block->program;
    warp.tracker = std::make_shared<Tracker>(program);
    warp.tracker->adopt(warp);
    warp.tracked = true;
    return true;
}

}  // namespace

void rest(Warp& warp)
{
    // Who records a warp sees each of its steps in any case.
    if (!warp.tracked || warp.recorder || !warp.tracker->isIdle(warp))
        return;
    warp.tracked = false;
    warp.tracker.reset();
}

bool noteUndefinedLoad(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, const Instr* next)
{
    if (!track(warp))
        return false;  // the tracker looks at the load itself
    std::array<uint64_t, kWarpSize> where;
    std::copy(addresses, addresses + kWarpSize, where.begin());
    warp.tracker->setLoaded(warp, info, where);
    warp.resumeAt = next;
    return true;
}

void noteShuffle(Warp& warp, const WarpCall& call, LaneMask lanes, const uint32_t* sources)
{
    if (!warp.tracked) {
        LaneMask read = 0;
        forActive(lanes, [&](size_t lane) { read |= LaneMask{1} << sources[lane]; });
        if ((read & ~lanes) == 0 || !warp.block->checks->tracksDefinedness)
            return;
        track(warp);
    }
    warp.tracker->setShuffled(warp, call, lanes, sources);
}

LaneMask undefinedInputs(const Warp& warp, const WarpCall& call, LaneMask lanes)
{
    return warp.tracked ? warp.tracker->undefinedInputs(warp, call, lanes) : 0;
}

void noteGathered(Warp& warp, const WarpCall& call, LaneMask lanes, LaneMask from, uint32_t bits)
{
    if (warp.tracked)
        warp.tracker->setGathered(warp, call, lanes, from, bits);
}

std::vector<UndefinedBits> undefinedOperands(const Warp& warp, const WarpCall& call, unsigned count)
{
    return warp.tracked ? warp.tracker->undefinedOperands(warp, call, count) : std::vector<UndefinedBits>();
}

void noteResults(Warp& warp, const WarpCall& call, LaneMask lanes, std::span<const UndefinedBits> results)
{
    if (warp.tracked)
        warp.tracker->setResults(warp, call, lanes, results);
}

const Instr* runBeginVariable(const Instr* instr, Warp& warp)
{
    if (!warp.block->checks->tracksDefinedness)
        return instr + 1;
    bool isNew = track(warp);
    warp.tracker->setUndefined(warp, *reinterpret_cast<const Flow*>(instr->imm));
    if (!isNew)
        return instr + 1;
    warp.resumeAt = instr + 1;
    return nullptr;
}

void reportUndefinedAtomic(Warp& warp, const MemoryInfo& info, int lane, uint64_t address)
{
    Block& block = *warp.block;
    for (device::UninitialisedUse& known : block.checks->uninitialised)
        if (known.site == info.staticSite) {
            ++known.count;
            return;
        }
    device::UninitialisedUse found;
    found.how = device::UninitialisedUse::Atomic;
    found.site = info.staticSite;
    found.readAt = block.program->sites[info.staticSite].where;
    found.useSite = info.staticSite;
    found.usedAt = found.readAt;
    found.address = addressInBlock(warp, address);
    found.thread = uint32_t{warp.id} * kWarpSize + static_cast<uint32_t>(lane);
    found.epoch = block.epoch;
    found.step = warp.recorder ? warp.recorder->steps() : 0;
    found.ended = isLocalEnded(warp, lane, address);
    block.checks->uninitialised.push_back(found);
}

}  // namespace lanescope::simt
