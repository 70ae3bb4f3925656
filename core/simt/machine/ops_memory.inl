// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores. The fast way needs all active lanes inside one object; anything else (several objects, a lane
// out of bounds, misaligned) takes the slow way, lane by lane, in memory_access.cpp.

template <typename T>
[[gnu::always_inline]] inline T termValue(Warp& warp, const AddressTerm& term)
{
    return term.wide ? static_cast<T>(warp.scalar<int64_t>(term.operand.reg))
                     : static_cast<T>(warp.scalar<int32_t>(term.operand.reg));
}

[[gnu::always_inline]] inline uint64_t scalarAddress(Warp& warp, const MemoryInfo& info)
{
    uint64_t address = static_cast<uint64_t>(info.offset);
    if (info.base.form == Form::Scalar)
        address += warp.scalar<uint64_t>(info.base.reg);
    for (unsigned i = 0; i < info.scalarTermCount; ++i)
        address += static_cast<uint64_t>(termValue<int64_t>(warp, info.scalarTerms[i]) * info.scalarTerms[i].scale);
    return address;
}

[[gnu::always_inline]] inline void addTerm(Warp& warp, const AddressTerm& term, uint64_t* addresses)
{
    if (term.wide) {
        const int64_t* value = warp.vector<int64_t>(term.operand.reg);
        for (int i = 0; i < kWarpSize; ++i)
            addresses[i] += static_cast<uint64_t>(value[i]) * static_cast<uint64_t>(term.scale);
    } else {
        const int32_t* value = warp.vector<int32_t>(term.operand.reg);
        for (int i = 0; i < kWarpSize; ++i)
            addresses[i] += static_cast<uint64_t>(int64_t{value[i]}) * static_cast<uint64_t>(term.scale);
    }
}

[[gnu::always_inline]] inline void laneAddresses(Warp& warp, const MemoryInfo& info, uint64_t* addresses)
{
    uint64_t base = scalarAddress(warp, info);
    if (info.base.form == Form::Vector) {
        const uint64_t* lanes = warp.vector<uint64_t>(info.base.reg);
        for (int i = 0; i < kWarpSize; ++i)
            addresses[i] = lanes[i] + base;
    } else {
        for (int i = 0; i < kWarpSize; ++i)
            addresses[i] = base;
    }
    for (unsigned i = 0; i < info.vectorTermCount; ++i)
        addTerm(warp, info.vectorTerms[i], addresses);
}

/// Where an access of the whole warp lies when it is inside one object.
struct Target {
    const ObjectEntry* object = nullptr;  ///< null: take the slow way
    alignas(64) uint32_t offsets[kWarpSize];
};

[[gnu::always_inline]] inline const ObjectEntry* objectAt(Warp& warp, uint64_t slot)
{
    return slot - kSlotBase < kEndSlot - kSlotBase ? warp.objects + (slot - kSlotBase) : nullptr;
}

/// One narrow index per lane over a scalar base: offsets stay in 32 bits, and one maximum checks them all.
[[gnu::always_inline]] inline void locateIndexed(Warp& warp, const MemoryInfo& info, unsigned bytes, Target& target)
{
    uint64_t base = scalarAddress(warp, info);
    const ObjectEntry* object = objectAt(warp, base >> 32);
    const AddressTerm& term = info.vectorTerms[0];
    const uint32_t* index = warp.vector<uint32_t>(term.operand.reg);
    uint32_t scale = static_cast<uint32_t>(term.scale);
    uint32_t start = static_cast<uint32_t>(base);
    uint32_t highest = 0;
    if (warp.mask == ~LaneMask{0}) {
        if (object && uint64_t{start} + bytes <= object->bytes && ((start | scale) & (info.alignment - 1)) == 0) {
            // No product may be larger than what is left of the object, nor wrap around.
            const uint64_t left = object->bytes - bytes - start;
            const uint32_t room = left > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(left);
            const uint32_t wraps = ~uint32_t{0} << __builtin_clz(scale);
            LaneVector outside{};
            for (int i = 0; i < kWarpSize; i += kVectorLanes) {
                const LaneVector at = loadVector(index + i);
                const LaneVector product = at * scale;
                outside |= (at & wraps) | reinterpret_cast<LaneVector>(product > room);
                const LaneVector offsets = product + start;
                __builtin_memcpy(target.offsets + i, &offsets, sizeof offsets);
            }
            if (!anySet(outside)) {
                target.object = object;
                return;
            }
        }
        for (int i = 0; i < kWarpSize; ++i)
            highest = highest > index[i] ? highest : index[i];
        for (int i = 0; i < kWarpSize; ++i)
            target.offsets[i] = start + index[i] * scale;
    } else {
        for (int i = 0; i < kWarpSize; ++i) {
            uint32_t value = index[i] & static_cast<uint32_t>(warp.lanes[i]);
            highest = highest > value ? highest : value;
            target.offsets[i] = start + value * scale;
        }
    }
    bool fits = object && uint64_t{start} + uint64_t{highest} * scale + bytes <= object->bytes &&
                ((start | scale) & (info.alignment - 1)) == 0;
    target.object = fits ? object : nullptr;
}

/// As locate, where all lanes are active: none has to be hidden, and a comparison with the object's end takes the place
/// of the largest offset.
[[gnu::always_inline]] inline void locateAll(Warp& warp, const uint64_t* addresses, unsigned bytes, unsigned alignment,
                                             Target& target)
{
    target.object = nullptr;
    const uint64_t first = addresses[0];
    const ObjectEntry* object = objectAt(warp, first >> 32);
    if (!object || object->bytes < bytes)
        return;
    const uint64_t left = object->bytes - bytes;
    const uint32_t room = left > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(left);
    LaneVector outside{};
    LongVector differs{};
    for (int i = 0; i < kWarpSize; i += kVectorLanes) {
        const LongVector low = loadVector(addresses + i);
        const LongVector high = loadVector(addresses + i + kVectorLanes / 2);
        differs |= (low ^ first) | (high ^ first);
        const LaneVector offsets = lowWords(low, high);
        outside |= reinterpret_cast<LaneVector>(offsets > room) | (offsets & (alignment - 1));
        __builtin_memcpy(target.offsets + i, &offsets, sizeof offsets);
    }
    if (!anySet(outside | reinterpret_cast<LaneVector>(differs >> 32)))
        target.object = object;
}

/// Any addresses; they are needed by the slow way too.
[[gnu::always_inline]] inline void locate(Warp& warp, const uint64_t* addresses, unsigned bytes, unsigned alignment,
                                          Target& target)
{
    uint64_t first = addresses[__builtin_ctz(warp.mask)];
    uint64_t differs = 0;
    uint32_t highest = 0;
    uint32_t low = 0;
    for (int i = 0; i < kWarpSize; ++i) {
        uint64_t address = warp.lanes[i] ? addresses[i] : first;
        differs |= address ^ first;
        uint32_t offset = static_cast<uint32_t>(address);
        highest = highest > offset ? highest : offset;
        low |= offset;
        target.offsets[i] = offset;
    }
    const ObjectEntry* object = objectAt(warp, first >> 32);
    bool fits =
        (differs >> 32) == 0 && object && uint64_t{highest} + bytes <= object->bytes && (low & (alignment - 1)) == 0;
    target.object = fits ? object : nullptr;
}

template <typename Memory>
struct [[gnu::may_alias, gnu::packed]] Aliased {
    Memory value;
};

template <typename Memory>
[[gnu::always_inline]] inline Memory peek(const std::byte* at)
{
    return reinterpret_cast<const Aliased<Memory>*>(at)->value;
}

/// Of all lanes. Rows and columns of tiles come as half warps that read neighbours, or all the same: two vector
/// instructions instead of sixteen loads.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void gatherAll(const std::byte* host, const uint32_t* offsets, Lane* out)
{
    constexpr int kHalf = kWarpSize / 2;
    for (int first = 0; first < kWarpSize; first += kHalf) {
        const uint32_t* at = offsets + first;
        LaneVector differs{};
        LaneVector apart{};
        for (int i = 0; i < kHalf; i += kVectorLanes) {
            const LaneVector distance = loadVector(at + i) - at[0];
            differs |= distance;
            apart |= distance ^ ((countingVector() + static_cast<uint32_t>(i)) * uint32_t{sizeof(Memory)});
        }
        const std::byte* from = host + at[0];
        if (!anySet(apart)) {
            LS_EACH_LANE
            for (int i = 0; i < kHalf; ++i)
                out[first + i] = static_cast<Lane>(peek<Memory>(from + sizeof(Memory) * static_cast<unsigned>(i)));
        } else if (!anySet(differs)) {
            const auto value = static_cast<Lane>(peek<Memory>(from));
            for (int i = 0; i < kHalf; ++i)
                out[first + i] = value;
        } else {
            for (int i = 0; i < kHalf; ++i)
                out[first + i] = static_cast<Lane>(peek<Memory>(host + at[i]));
        }
    }
}

template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void gather(Warp& warp, const Target& target, unsigned shift, Lane* out)
{
    const std::byte* host = target.object->host + shift;
    if (laneCount(warp.mask) <= kWarpSize / 4) {
        const uint64_t stride = target.object->laneStride;
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
            const auto i = static_cast<unsigned>(__builtin_ctz(rest));
            out[i] = static_cast<Lane>(peek<Memory>(host + target.offsets[i] + stride * (warp.id * kWarpSize + i)));
        }
        return;
    }
    if (target.object->laneStride) {
        uint64_t stride = target.object->laneStride;
        const std::byte* own = host + stride * warp.id * kWarpSize;
        forLanes(warp, out, [&](int i) {
            return static_cast<Lane>(peek<Memory>(own + target.offsets[i] + stride * static_cast<unsigned>(i)));
        });
        return;
    }
    if (warp.mask == ~LaneMask{0})
        return gatherAll<Memory>(host, target.offsets, out);
    forLanes(warp, out, [&](int i) { return static_cast<Lane>(peek<Memory>(host + target.offsets[i])); });
}

/// Of active lanes side by side that touch neighbours: how many there are, \p first gets their first; 0: not so.
[[gnu::always_inline]] inline unsigned activeRun(const Warp& warp, const Target& target, unsigned bytes,
                                                 unsigned& first)
{
    first = static_cast<unsigned>(__builtin_ctz(warp.mask));
    const LaneMask low = warp.mask >> first;
    const auto lanes = static_cast<unsigned>(__builtin_popcount(low));
    // Most that are none are told apart by two lanes.
    const uint32_t* offsets = target.offsets + first;
    if ((low & (low + 1)) != 0 || target.object->laneStride || (lanes > 1 && offsets[1] - offsets[0] != bytes))
        return 0;
    return isConsecutive(offsets, lanes, bytes) ? lanes : 0;
}

template <typename Memory, typename Arg>
[[gnu::always_inline]] inline void scatter(Warp& warp, const Target& target, unsigned shift, const Arg& values)
{
    std::byte* host = target.object->host + shift;
    uint64_t stride = target.object->laneStride;
    host += stride * warp.id * kWarpSize;
    if (warp.mask == ~LaneMask{0} && stride == 0 && isConsecutive(target.offsets, kWarpSize, sizeof(Memory))) {
        auto* out = reinterpret_cast<Aliased<Memory>*>(host + target.offsets[0]);
        for (int i = 0; i < kWarpSize; ++i)
            out[i].value = static_cast<Memory>(values[i]);
        return;
    }
    unsigned first;
    if (const unsigned lanes = activeRun(warp, target, sizeof(Memory), first); lanes >= kWarpSize / 4) {
        auto* out = reinterpret_cast<Aliased<Memory>*>(host + target.offsets[first]);
        for (unsigned i = 0; i < lanes; ++i)
            out[i].value = static_cast<Memory>(values[static_cast<int>(first + i)]);
        return;
    }
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        reinterpret_cast<Aliased<Memory>*>(host + target.offsets[i] + stride * static_cast<unsigned>(i))->value =
            static_cast<Memory>(values[i]);
    }
}

/// Whether memory holds a defined value for every active lane.
template <typename Memory>
[[gnu::always_inline]] inline bool loadsDefined(Warp& warp, const MemoryInfo& info, const Target& target)
{
    if (!target.object->defined) {
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
            if (!areInitialised(target.object->initialised, target.offsets[__builtin_ctz(rest)],
                                info.bytes * info.components))
                return false;
        return true;
    }
    uint64_t stride = target.object->laneStride;
    auto known = static_cast<Memory>(~Memory{0});
    for (unsigned c = 0; c < info.components; ++c) {
        const std::byte* at = target.object->defined + c * info.bytes + stride * warp.id * kWarpSize;
        if (stride) {
            for (int i = 0; i < kWarpSize; ++i)
                known &= static_cast<Memory>(peek<Memory>(at + target.offsets[i] + stride * static_cast<unsigned>(i)) |
                                             static_cast<Memory>(~int64_t{warp.lanes[i]}));
        } else {
            for (int i = 0; i < kWarpSize; ++i)
                known &= static_cast<Memory>(peek<Memory>(at + target.offsets[i]) |
                                             static_cast<Memory>(~int64_t{warp.lanes[i]}));
        }
    }
    return known == static_cast<Memory>(~Memory{0});
}

template <typename Memory>
[[gnu::always_inline]] inline void markDefined(Warp& warp, const MemoryInfo& info, const Target& target)
{
    uint64_t stride = target.object->laneStride;
    std::byte* known = target.object->defined + stride * warp.id * kWarpSize;
    unsigned bytes = info.bytes * info.components;
    if (warp.mask == ~LaneMask{0} && stride == 0 && isConsecutive(target.offsets, kWarpSize, bytes)) {
        __builtin_memset(known + target.offsets[0], 0xff, size_t{bytes} * kWarpSize);
        return;
    }
    for (unsigned c = 0; c < info.components; ++c)
        for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
            int i = __builtin_ctz(rest);
            reinterpret_cast<Aliased<Memory>*>(known + target.offsets[i] + stride * static_cast<unsigned>(i) +
                                               c * info.bytes)
                ->value = static_cast<Memory>(~Memory{0});
        }
}

/// Packs the components of a record's values: [lane][component], for the recorder.
struct Packed {
    alignas(64) std::byte bytes[kWarpSize * 16];
};

/// The values of a load as the recorder takes them: null when replay can tell them.
template <typename Lane>
[[gnu::always_inline]] inline const void* loadedValues(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                                       Packed& packed)
{
    if (object.valuesDerivable)
        return nullptr;
    if (info.components == 1)
        return warp.vector<Lane>(info.values[0].reg);
    for (unsigned c = 0; c < info.components; ++c)
        for (int i = 0; i < kWarpSize; ++i)
            __builtin_memcpy(packed.bytes + static_cast<unsigned>(i) * 16 + c * info.bytes,
                             warp.vector<Lane>(info.values[c].reg) + i, info.bytes);
    return packed.bytes;
}

/// The values of a store as the recorder takes them.
template <typename Lane>
[[gnu::always_inline]] inline const void* storedValues(Warp& warp, const MemoryInfo& info, Packed& packed)
{
    if (info.components == 1 && info.values[0].form == Form::Vector)
        return warp.vector<Lane>(info.values[0].reg);
    for (unsigned c = 0; c < info.components; ++c)
        for (int i = 0; i < kWarpSize; ++i) {
            Lane value = info.values[c].form == Form::Vector ? warp.vector<Lane>(info.values[c].reg)[i]
                                                             : warp.scalar<Lane>(info.values[c].reg);
            __builtin_memcpy(packed.bytes + static_cast<unsigned>(i) * 16 + c * info.bytes, &value, info.bytes);
        }
    return packed.bytes;
}

/// Between two lanes' values: 16 where they were packed, else that of the register.
template <typename Lane>
[[gnu::always_inline]] inline uint8_t strideOf(const void* values, const Packed& packed)
{
    return values == packed.bytes ? 16 : sizeof(Lane);
}

template <typename Lane>
[[gnu::noinline]] void recordLoad(Warp& warp, const MemoryInfo& info, const Target& target)
{
    Packed packed;
    const void* values = loadedValues<Lane>(warp, info, *target.object, packed);
    warp.recorder->access(info.site, warp.id, warp.mask, target.object->buffer, target.offsets, values,
                          static_cast<uint8_t>(info.bytes * info.components), strideOf<Lane>(values, packed));
}

template <typename Lane>
[[gnu::noinline]] void recordStore(Warp& warp, const MemoryInfo& info, const Target& target)
{
    Packed packed;
    const void* values = storedValues<Lane>(warp, info, packed);
    warp.recorder->access(info.site, warp.id, warp.mask, target.object->buffer, target.offsets, values,
                          static_cast<uint8_t>(info.bytes * info.components), strideOf<Lane>(values, packed));
}

template <bool indexed>
[[gnu::always_inline]] inline void locateAccess(Warp& warp, const MemoryInfo& info, uint64_t* addresses, Target& target)
{
    unsigned total = info.bytes * info.components;
    if constexpr (indexed) {
        locateIndexed(warp, info, total, target);
        if (target.object) [[likely]]
            return;
        // The base alone may lie in front of the object, as in a[i - 1], or lanes that are missing outside of it.
    }
    laneAddresses(warp, info, addresses);
    if (warp.mask == ~LaneMask{0})
        locateAll(warp, addresses, total, info.alignment, target);
    else
        locate(warp, addresses, total, info.alignment, target);
}

template <typename Memory, typename Lane, bool indexed>
const Instr* loadLanes(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    alignas(64) uint64_t addresses[kWarpSize];
    Target target;
    locateAccess<indexed>(warp, info, addresses, target);
    if (!target.object) [[unlikely]] {
        return slowLoad(warp, info, addresses, instr + 1);
    }
    if (target.object->races)
        trackOrListReads(warp, info, *target.object, target.offsets);
    for (unsigned c = 0; c < info.components; ++c)
        gather<Memory>(warp, target, c * info.bytes, warp.vector<Lane>(info.values[c].reg));
    if (warp.recorder)
        recordLoad<Lane>(warp, info, target);
    if ((target.object->defined || target.object->partlyUndefined) && !warp.tracked &&
        !loadsDefined<Memory>(warp, info, target)) [[unlikely]] {
        laneAddresses(warp, info, addresses);
        return noteUndefinedLoad(warp, info, addresses, instr + 1) ? nullptr : instr + 1;
    }
    return instr + 1;
}

/// Where an address that is the same in all lanes lies, and whether all of an access there is inside.
struct ScalarTarget {
    const ObjectEntry* object;
    uint32_t offset;
    bool fits;
};

[[gnu::always_inline]] inline ScalarTarget locateScalar(Warp& warp, const MemoryInfo& info, uint64_t address)
{
    // By its pointer, which several accesses may have in common.
    const uint64_t slot = (info.base.form == Form::Scalar ? warp.scalar<uint64_t>(info.base.reg) : address) >> 32;
    const ObjectEntry* object = objectAt(warp, slot);
    const uint64_t inside = address - (slot << 32);
    const bool fits = object && inside + info.bytes <= settled(object->bytes) && inside <= UINT32_MAX &&
                      (inside & (info.alignment - 1)) == 0;
    return {object, static_cast<uint32_t>(inside), fits};
}

/// Records that lanes that are not a whole warp load \p value from one place.
template <typename Lane>
[[gnu::noinline]] void recordPartOfOne(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, uint32_t offset,
                                       Lane value)
{
    uint32_t offsets[kWarpSize];
    Lane values[kWarpSize];
    for (int i = 0; i < kWarpSize; ++i) {
        offsets[i] = offset;
        values[i] = value;
    }
    warp.recorder->access(info.site, warp.id, warp.mask, object.buffer, offsets,
                          object.valuesDerivable ? nullptr : values, info.bytes, sizeof(Lane));
}

/// Records that all active lanes load \p value from one place.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void recordLoadOfOne(Warp& warp, const MemoryInfo& info, const ObjectEntry& object,
                                                   uint32_t offset, Lane value)
{
    const bool hasValues = !settled(object.valuesDerivable);
    if (warp.mask == ~LaneMask{0}) {
        uint8_t* const to = warp.recorder->accessEven(info.site, warp.id, BufferId{settled(object.buffer.value)},
                                                      {{offset, offset}, {0, 0}},
                                                      hasValues ? static_cast<uint8_t>(sizeof(Memory)) : uint8_t{0});
        for (int i = 0; i < kWarpSize && hasValues; ++i)
            reinterpret_cast<Aliased<Memory>*>(to)[i].value = static_cast<Memory>(value);
        return;
    }
    recordPartOfOne(warp, info, object, offset, value);
}

/// All lanes load from \p target into a scalar.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline const Instr* loadScalarAt(const Instr* instr, Warp& warp, const ScalarTarget& target)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const auto [object, offset, fits] = target;
    if (settled(object->races))
        trackReadsOfOne(warp, info, *object, offset);
    Lane value = static_cast<Lane>(peek<Memory>(settled(object->host) + offset));
    warp.setScalar<Lane>(info.values[0].reg, value);
    if (warp.recorder)
        recordLoadOfOne<Memory, Lane>(warp, info, *object, offset, value);
    if ((settled(object->defined) || settled(object->partlyUndefined)) && !warp.tracked) {
        bool known = object->defined ? peek<Memory>(object->defined + offset) == static_cast<Memory>(~Memory{0})
                                     : areInitialised(object->initialised, offset, info.bytes);
        if (!known) [[unlikely]] {
            uint64_t addresses[kWarpSize];
            const uint64_t address = scalarAddress(warp, info);
            for (uint64_t& lane : addresses)
                lane = address;
            return noteUndefinedLoad(warp, info, addresses, instr + 1) ? nullptr : instr + 1;
        }
    }
    return instr + 1;
}

template <typename Memory, typename Lane>
const Instr* loadScalar(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const uint64_t address = scalarAddress(warp, info);
    const ScalarTarget target = locateScalar(warp, info, address);
    if (!target.fits) [[unlikely]] {
        uint64_t addresses[kWarpSize];
        for (uint64_t& lane : addresses)
            lane = address;
        return slowLoad(warp, info, addresses, instr + 1);
    }
    return loadScalarAt<Memory, Lane>(instr, warp, target);
}

/// As loadScalar, for machine code: where that would not do, it does nothing and stays where it is.
template <typename Memory, typename Lane>
const Instr* loadScalarOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const ScalarTarget target = locateScalar(warp, info, scalarAddress(warp, info));
    return target.fits ? loadScalarAt<Memory, Lane>(instr, warp, target) : instr;
}

/// What was located, and may be written.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void storeAt(const MemoryInfo& info, Warp& warp, const Target& target)
{
    if (target.object->races)
        trackWrites(warp, info, *target.object, target.offsets);
    for (unsigned c = 0; c < info.components; ++c) {
        if (info.values[c].form == Form::Vector)
            scatter<Memory>(warp, target, c * info.bytes, VectorArg<Lane>(warp, info.values[c].reg));
        else
            scatter<Memory>(warp, target, c * info.bytes, SplatArg<Lane>(warp, info.values[c].reg));
    }
    if (target.object->defined)
        markDefined<Memory>(warp, info, target);
    if (target.object->initialised) {
        const unsigned bytes = info.bytes * info.components;
        unsigned first;
        if (const unsigned lanes = activeRun(warp, target, bytes, first))
            setInitialised(target.object->initialised, target.offsets[first], lanes * bytes);
        else
            for (LaneMask rest = warp.mask; rest; rest &= rest - 1)
                setInitialised(target.object->initialised, target.offsets[__builtin_ctz(rest)], bytes);
    }
    if (warp.recorder)
        recordStore<Lane>(warp, info, target);
}

template <typename Memory, typename Lane, bool indexed>
const Instr* storeLanes(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    alignas(64) uint64_t addresses[kWarpSize];
    Target target;
    locateAccess<indexed>(warp, info, addresses, target);
    if (!target.object || target.object->readOnly) [[unlikely]] {
        if (target.object)
            laneAddresses(warp, info, addresses);
        slowStore(warp, info, addresses);
        return instr + 1;
    }
    storeAt<Memory, Lane>(info, warp, target);
    return instr + 1;
}

inline const Instr* addressLanes(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    alignas(64) uint64_t addresses[kWarpSize];
    laneAddresses(warp, info, addresses);
    forLanes(warp, warp.vector<uint64_t>(instr->dst), [&](int i) { return addresses[i]; });
    return instr + 1;
}

inline const Instr* addressUniform(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    warp.setScalar<uint64_t>(instr->dst, scalarAddress(warp, info));
    return instr + 1;
}
