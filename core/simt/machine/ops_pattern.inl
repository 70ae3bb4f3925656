// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores whose addresses go up evenly in each half of the warp: rows and columns of tiles, one word for all.
// That was found out when the register with the addresses was written, or is now; here two bounds are held against one
// object, and halves are copied whole. Whatever does not fit goes the way of ops_memory.inl.

/// As many lanes' values as a vector has room for.
template <typename T>
using ValueVector = std::conditional_t<sizeof(T) == 8, LongVector, LaneVector>;

/// Whether a half's values go up by \p step.
template <typename T>
[[gnu::always_inline]] inline bool isEven(const T* lanes, T first, T step)
{
    using Vector = ValueVector<T>;
    using Lane = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    constexpr unsigned kCount = kVectorBytes / sizeof(T);
    constexpr auto counting = countingVector<Vector>(std::make_integer_sequence<Lane, kCount>());
    const auto start = static_cast<std::make_unsigned_t<T>>(first);
    const auto distance = static_cast<std::make_unsigned_t<T>>(step);
    Vector expected = counting * distance + start;
    Vector differs{};
    for (unsigned i = 0; i < LanePattern::kHalf; i += kCount) {
        Vector values;
        __builtin_memcpy(&values, lanes + i, sizeof values);
        differs |= values ^ expected;
        expected += distance * kCount;
    }
    return !anySet(reinterpret_cast<LaneVector>(differs));
}

/// \p scale: of 15 bits, so that products of addresses, which have 47, do not wrap around.
template <typename T>
[[gnu::always_inline]] inline void describeLanes(const T* values, uint64_t scale, LanePattern& pattern)
{
    constexpr unsigned kHalf = LanePattern::kHalf;
    constexpr int64_t kMost = int64_t{1} << 47;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    uint64_t uneven = 0;
    pattern.low = 0;
    for (unsigned half = 0; half < 2; ++half) {
        const T* lanes = values + half * kHalf;
        const auto first = static_cast<uint64_t>(int64_t{lanes[0]});
        const uint64_t step = static_cast<uint64_t>(int64_t{lanes[1]}) - first;
        // Narrow values may come out even by wrapping around on the way.
        uneven |= (first + step * (kHalf - 1)) ^ static_cast<uint64_t>(int64_t{lanes[kHalf - 1]});
        if (!isEven(lanes, lanes[0], static_cast<T>(step)))
            uneven = 1;
        for (const int64_t value : {int64_t{lanes[0]}, int64_t{lanes[1]}, int64_t{lanes[kHalf - 1]}}) {
            lowest = lowest < value ? lowest : value;
            highest = highest > value ? highest : value;
        }
        pattern.first[half] = static_cast<uint32_t>(first * scale);
        pattern.step[half] = static_cast<int32_t>(static_cast<uint32_t>(step * scale));
        pattern.low |= pattern.first[half] | static_cast<uint32_t>(pattern.step[half]);
    }
    pattern.even = uneven == 0 && lowest > -kMost && highest < kMost;
    pattern.lowest = pattern.even ? lowest * static_cast<int64_t>(scale) : 0;
    pattern.highest = pattern.even ? highest * static_cast<int64_t>(scale) : 0;
}

/// Where some lanes' values are on a line: what lane \p first of a half would have, and the way to the next.
struct Line {
    int64_t first = 0;
    int64_t step = 0;
    bool holds = false;
};

template <typename T>
[[gnu::always_inline]] inline Line lineThrough(const T* values, LaneMask lanes)
{
    const auto at = [&](unsigned lane) { return static_cast<uint64_t>(int64_t{values[lane]}); };
    const auto a = static_cast<unsigned>(__builtin_ctz(lanes));
    const LaneMask others = lanes & (lanes - 1);
    if (others == 0)
        return {values[a], 0, true};
    const auto b = static_cast<unsigned>(__builtin_ctz(others));
    uint64_t step = at(b) - at(a);
    if (b - a > 1)
        step = static_cast<uint64_t>(static_cast<int64_t>(step) / static_cast<int64_t>(b - a));
    const uint64_t first = at(a) - step * a;
    uint64_t differs = 0;
    for (unsigned i = 0; i < LanePattern::kHalf; ++i)
        differs |= (at(i) ^ (first + step * i)) & (uint64_t{0} - (lanes >> i & 1));
    return {static_cast<int64_t>(first), static_cast<int64_t>(step), differs == 0};
}

/// As describeLanes, of some lanes: the others' values are taken to lie on their line. No less than that must be inside
/// an object before anything is done, so that whole rows may be read.
template <typename T>
[[gnu::noinline]] void describePart(const T* values, LaneMask lanes, uint64_t scale, LanePattern& pattern)
{
    constexpr int kHalf = LanePattern::kHalf;
    constexpr int64_t kMost = int64_t{1} << 47;
    const LaneMask parts[] = {lanes & ((LaneMask{1} << kHalf) - 1), lanes >> kHalf};
    Line lines[2];
    for (int half = 0; half < 2; ++half)
        if (parts[half])
            lines[half] = lineThrough(values + half * kHalf, parts[half]);
    for (int half = 0; half < 2; ++half)
        if (!parts[half])
            lines[half] = lines[1 - half];
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    pattern.low = 0;
    for (int half = 0; half < 2; ++half) {
        const auto& [first, step, holds] = lines[half];
        if (!holds || first < -kMost || first > kMost || step < -(kMost >> 4) || step > kMost >> 4)
            return;
        for (const int64_t value : {first, first + step * (kHalf - 1)}) {
            lowest = lowest < value ? lowest : value;
            highest = highest > value ? highest : value;
        }
        pattern.first[half] = static_cast<uint32_t>(static_cast<uint64_t>(first) * scale);
        pattern.step[half] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(step) * scale));
        pattern.low |= pattern.first[half] | static_cast<uint32_t>(pattern.step[half]);
    }
    if (lowest <= -kMost || highest >= kMost)
        return;
    pattern.lowest = lowest * static_cast<int64_t>(scale);
    pattern.highest = highest * static_cast<int64_t>(scale);
    pattern.part = lanes;
}

/// As describeLanes, of lanes that are \p step further on each, but that they may have wrapped around: then the last is
/// not where it should be, and they are not even.
template <typename T>
[[gnu::always_inline]] inline void describeRow(const T* values, int32_t step, uint64_t scale, LanePattern& pattern)
{
    using Unsigned = std::make_unsigned_t<T>;
    constexpr int64_t kMost = int64_t{1} << 47;
    const int64_t first = values[0], span = int64_t{step} * (kWarpSize - 1);
    // Of words it is known what the last is.
    const int64_t last = sizeof(T) == 4 ? static_cast<T>(static_cast<Unsigned>(first) + static_cast<Unsigned>(span))
                                        : values[kWarpSize - 1];
    const auto start = static_cast<uint32_t>(static_cast<uint64_t>(first) * scale);
    const auto distance = static_cast<uint32_t>(static_cast<uint64_t>(int64_t{step}) * scale);
    pattern.first[0] = start;
    pattern.first[1] = start + distance * LanePattern::kHalf;
    pattern.step[0] = pattern.step[1] = static_cast<int32_t>(distance);
    pattern.low = start | distance | pattern.first[1];
    const uint64_t lowest = (static_cast<uint64_t>(first) + static_cast<uint64_t>(step < 0 ? span : 0)) * scale;
    pattern.lowest = static_cast<int64_t>(lowest);
    pattern.highest = static_cast<int64_t>(lowest + static_cast<uint64_t>(step < 0 ? -span : span) * scale);
    pattern.even = static_cast<uint64_t>(last) == static_cast<uint64_t>(first) + static_cast<uint64_t>(span) &&
                   first > -kMost && first < kMost;
}

template <typename T>
const Instr* notePattern(const Instr* instr, Warp& warp)
{
#ifdef LS_BITCODE
    // Where lanes are missing, machine code has values for them too, which never get into the register.
    if (warp.mask != ~LaneMask{0}) {
        LanePattern noted;
        T values[kWarpSize];
        __builtin_memcpy(values, warp.vector<T>(instr->a), sizeof values);
        describeLanes(values, instr->b, noted);
        noted.part = noted.even ? warp.mask : 0;
        if (!noted.even)
            describePart(values, warp.mask, instr->b, noted);
        noted.even = false;
        warp.patterns[instr->imm] = noted;
        return instr + 1;
    }
#endif
    LanePattern& pattern = warp.patterns[instr->imm];
    pattern.part = 0;
    if (instr->c != 0 && warp.mask == ~LaneMask{0}) {
        describeRow(warp.vector<T>(instr->a), rowStepOf(instr->c), instr->b, pattern);
#ifdef LS_BITCODE
        return instr + 1;  // what is even mostly is known, and the rest goes another way
#endif
        if (pattern.even)
            return instr + 1;
    }
    describeLanes(warp.vector<T>(instr->a), instr->b, pattern);
    if (!pattern.even && warp.mask != ~LaneMask{0})
        describePart(warp.vector<T>(instr->a), warp.mask, instr->b, pattern);
    return instr + 1;
}

/// An access inside one object. Offsets are in bytes from the object's start, without what is added for local memory.
/// Small enough to be handed on in registers: what goes through memory is waited for.
struct EvenAccess {
    const ObjectEntry* object;
    const LanePattern* pattern;

    [[nodiscard, gnu::always_inline]] int32_t step(int half) const { return pattern->step[half]; }
    [[nodiscard, gnu::always_inline]] uint32_t first(int half, uint32_t start) const
    {
        return start + pattern->first[half];
    }
    [[nodiscard, gnu::always_inline]] bool isRun(unsigned bytes, int half) const
    {
        return step(half) == static_cast<int32_t>(bytes);
    }
    /// Whether all lanes together touch one piece of memory, each the part behind the one before.
    [[nodiscard, gnu::always_inline]] bool isOneRun(unsigned bytes) const
    {
        return isRun(bytes, 0) && isRun(bytes, 1) &&
               pattern->first[1] == pattern->first[0] + bytes * LanePattern::kHalf;
    }
    [[nodiscard, gnu::always_inline]] bool isTwice() const
    {
        return pattern->first[0] == pattern->first[1] && step(0) == step(1);
    }
};

/// \p base: what is added to the pattern's addresses; \p start: what the lower bits of each lane's offset begin with.
[[gnu::always_inline]] inline bool locateEven(Warp& warp, const MemoryInfo& info, const LanePattern& pattern,
                                              uint64_t base, EvenAccess& at, uint32_t& start)
{
    const uint64_t lowest = base + static_cast<uint64_t>(pattern.lowest);
    const uint64_t highest = base + static_cast<uint64_t>(pattern.highest);
    start = static_cast<uint32_t>(base);
    at = {objectAt(warp, lowest >> 32), &pattern};
    return at.object && (lowest ^ highest) >> 32 == 0 &&
           (highest & UINT32_MAX) + info.bytes * info.components <= at.object->bytes &&
           ((start | pattern.low) & (info.alignment - 1)) == 0;
}

/// As locateEven, of an address that is a pointer, the same in all lanes, and more: it has to be inside what the
/// pointer points to. Accesses by one pointer look that up once.
[[gnu::always_inline]] inline bool locateByPointer(Warp& warp, const MemoryInfo& info, const LanePattern& pattern,
                                                   EvenAccess& at, uint32_t& start)
{
    const uint64_t slot = warp.scalar<uint64_t>(info.base.reg) >> 32;
    const uint64_t base = scalarAddress(warp, info);
    const uint64_t inside = base - (slot << 32);
    start = static_cast<uint32_t>(base);
    at = {objectAt(warp, slot), &pattern};
    if (!at.object)
        return false;
    const uint64_t bytes = settled(at.object->bytes);
    return inside + static_cast<uint64_t>(pattern.lowest) <= bytes &&
           inside + static_cast<uint64_t>(pattern.highest) + info.bytes * info.components <= bytes &&
           ((start | pattern.low) & (info.alignment - 1)) == 0;
}

[[gnu::always_inline]] inline bool locateEven(Warp& warp, const MemoryInfo& info, EvenAccess& at, uint32_t& start)
{
    const LanePattern& pattern = warp.patterns[info.pattern];
    if (!pattern.even || warp.mask != ~LaneMask{0})
        return false;
    return info.base.form == Form::Scalar ? locateByPointer(warp, info, pattern, at, start)
                                          : locateEven(warp, info, pattern, scalarAddress(warp, info), at, start);
}

/// As locateEven, where lanes are missing.
[[gnu::always_inline]] inline bool locatePart(Warp& warp, const MemoryInfo& info, EvenAccess& at, uint32_t& start)
{
    const LanePattern& pattern = warp.patterns[info.pattern];
    return (pattern.even || (warp.mask & ~pattern.part) == 0) && warp.mask != ~LaneMask{0} &&
           locateEven(warp, info, pattern, scalarAddress(warp, info), at, start);
}

/// As locateEven, of addresses that no pattern was noted of; \p pattern gets it. Those that leave off evenly after
/// three lanes are told apart at once.
template <bool indexed>
[[gnu::always_inline]] inline bool measureEven(Warp& warp, const MemoryInfo& info, LanePattern& pattern, EvenAccess& at,
                                               uint32_t& start)
{
    if (warp.mask != ~LaneMask{0})
        return false;
    if constexpr (indexed) {
        const AddressTerm& term = info.vectorTerms[0];
        const uint32_t* index = warp.vector<uint32_t>(term.operand.reg);
        if (index[1] - index[0] != index[2] - index[1])
            return false;
        describeLanes(warp.vector<int32_t>(term.operand.reg), static_cast<uint64_t>(term.scale), pattern);
        return pattern.even && locateEven(warp, info, pattern, scalarAddress(warp, info), at, start);
    } else {
        alignas(64) uint64_t addresses[kWarpSize];
        laneAddresses(warp, info, addresses);
        if (addresses[1] - addresses[0] != addresses[2] - addresses[1])
            return false;
        describeLanes(reinterpret_cast<const int64_t*>(addresses), 1, pattern);
        return pattern.even && locateEven(warp, info, pattern, 0, at, start);
    }
}

[[gnu::always_inline]] inline trace::EvenOffsets recordedOffsets(const EvenAccess& at, uint32_t start)
{
    return {{at.first(0, start), at.first(1, start)},
            {static_cast<uint32_t>(at.step(0)), static_cast<uint32_t>(at.step(1))}};
}

[[gnu::always_inline]] inline void offsetsOf(const EvenAccess& at, uint32_t start, uint32_t* offsets)
{
    for (int half = 0; half < 2; ++half)
        for (int i = 0; i < LanePattern::kHalf; ++i)
            offsets[half * LanePattern::kHalf + i] =
                at.first(half, start) + static_cast<uint32_t>(at.step(half)) * static_cast<uint32_t>(i);
}

/// Calls \p use(offset, bytes) for the pieces of memory that are touched, each as long as can be, while it says yes;
/// whether it always did. \p bytes: of one lane.
template <typename Use>
[[gnu::always_inline]] inline bool forRuns(const EvenAccess& at, uint32_t start, unsigned bytes, Use use)
{
    if (at.isOneRun(bytes))
        return use(at.first(0, start), bytes * kWarpSize);
    const int halves = at.isTwice() ? 1 : 2;
    for (int half = 0; half < halves; ++half) {
        const bool isRun = at.isRun(bytes, half);
        const int pieces = isRun || at.step(half) == 0 ? 1 : LanePattern::kHalf;
        for (int i = 0; i < pieces; ++i)
            if (!use(at.first(half, start) + static_cast<uint32_t>(at.step(half) * i),
                     isRun ? bytes * LanePattern::kHalf : bytes))
                return false;
    }
    return true;
}

/// Where a half's first lane has its part of \p memory, which is laid out as the object; and the way to the next.
struct EvenHalf {
    std::byte* from;
    int64_t step;

    [[gnu::always_inline]] EvenHalf(std::byte* start, int64_t distance) : from(start), step(distance) {}
    [[gnu::always_inline]] EvenHalf(const Warp& warp, const EvenAccess& at, uint32_t start, std::byte* memory, int half)
        : from(memory + at.first(half, start)), step(at.step(half))
    {
        if (const uint64_t stride = at.object->laneStride) {
            from += stride * (uint64_t{warp.id} * kWarpSize + static_cast<unsigned>(half * LanePattern::kHalf));
            step += static_cast<int64_t>(stride);
        }
    }
};

template <typename Memory, typename Lane>
[[gnu::noinline]] void loadSteps(EvenHalf half, Lane* out)
{
    for (int i = 0; i < LanePattern::kHalf; ++i, half.from += half.step)
        out[i] = static_cast<Lane>(peek<Memory>(half.from));
}

/// The values of a half's lanes. Moved as vectors: of a loop a compiler makes sixteen moves, and what reads them next
/// then waits for all.
template <typename T, int lanes = LanePattern::kHalf>
using Row [[gnu::vector_size(lanes * sizeof(T))]] = T;

template <typename To, typename From, int lanes = LanePattern::kHalf>
[[gnu::always_inline]] inline void convertRow(const void* from, void* to)
{
    if constexpr (sizeof(To) == sizeof(From)) {
        __builtin_memcpy(to, from, sizeof(To) * lanes);
    } else {
        Row<From, lanes> row;
        __builtin_memcpy(&row, from, sizeof row);
        const Row<To, lanes> converted = __builtin_convertvector(row, Row<To, lanes>);
        __builtin_memcpy(to, &converted, sizeof converted);
    }
}

template <typename T>
[[gnu::always_inline]] inline void fillRow(T value, void* to)
{
    const Row<T> row = Row<T>{} + value;
    __builtin_memcpy(to, &row, sizeof row);
}

template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void loadHalf(EvenHalf half, Lane* out)
{
    if (half.step == sizeof(Memory))
        convertRow<Lane, Memory>(half.from, out);
    else if (half.step == 0)
        fillRow(static_cast<Lane>(peek<Memory>(half.from)), out);
    else {
#ifdef LS_BITCODE
        // Registers are values here, which calls would have to be kept from.
        Row<Lane> row;
        const std::byte* from = half.from;
#pragma clang loop vectorize(disable) unroll(full)
        for (int i = 0; i < LanePattern::kHalf; i += 4, from += 4 * half.step) {
            row[i] = static_cast<Lane>(peek<Memory>(from));
            row[i + 1] = static_cast<Lane>(peek<Memory>(from + half.step));
            row[i + 2] = static_cast<Lane>(peek<Memory>(from + 2 * half.step));
            row[i + 3] = static_cast<Lane>(peek<Memory>(from + 3 * half.step));
        }
        __builtin_memcpy(out, &row, sizeof row);
#else
        loadSteps<Memory>(half, out);
#endif
    }
}

template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void storeRow(const VectorArg<Lane>& values, int firstLane, std::byte* to)
{
    convertRow<Memory, Lane>(values.lanes + firstLane, to);
}

template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void storeRow(const SplatArg<Lane>& values, int, std::byte* to)
{
    fillRow(static_cast<Memory>(values.value), to);
}

template <typename Memory, typename Lane, template <typename> class Arg>
[[gnu::always_inline]] inline void storeHalf(EvenHalf half, const Arg<Lane>& values, int firstLane)
{
    constexpr int kHalf = LanePattern::kHalf;
    const auto put = [](std::byte* at, Memory value) { reinterpret_cast<Aliased<Memory>*>(at)->value = value; };
    if (half.step == sizeof(Memory)) {
        storeRow<Memory, Lane>(values, firstLane, half.from);
        return;
    }
#ifdef LS_BITCODE
#pragma clang loop vectorize(disable) unroll(full)
#endif
    for (int i = 0; i < kHalf; ++i, half.from += half.step)
        put(half.from, static_cast<Memory>(values[firstLane + i]));
}

/// Whether \p bytes, a power of two, hold nothing but ones.
template <unsigned bytes>
[[gnu::always_inline]] inline bool holdsOnes(const std::byte* from)
{
    if constexpr (bytes >= kVectorBytes) {
        LaneVector missing{};
        for (unsigned i = 0; i < bytes; i += kVectorBytes) {
            LaneVector bits;
            __builtin_memcpy(&bits, from + i, sizeof bits);
            missing |= ~bits;
        }
        return !anySet(missing);
    } else {
        using Word = std::conditional_t<(bytes >= 8), uint64_t, std::conditional_t<bytes == 4, uint32_t, uint16_t>>;
        Word missing = 0;
        for (unsigned i = 0; i < bytes; i += sizeof(Word))
            missing |= static_cast<Word>(~peek<Word>(from + i));
        return missing == 0;
    }
}

template <typename Memory>
[[gnu::always_inline]] inline bool holdsDefined(EvenHalf half)
{
    constexpr auto kAll = static_cast<Memory>(~Memory{0});
    if (half.step == sizeof(Memory))
        return holdsOnes<LanePattern::kHalf * sizeof(Memory)>(half.from);
    if (half.step == 0)
        return peek<Memory>(half.from) == kAll;
    Memory known = kAll;
    for (int i = 0; i < LanePattern::kHalf; ++i, half.from += half.step)
        known &= peek<Memory>(half.from);
    return known == kAll;
}

/// Whether memory holds a defined value for every lane.
template <typename Memory>
[[gnu::always_inline]] inline bool holdsDefined(const Warp& warp, const MemoryInfo& info, const EvenAccess& at,
                                                uint32_t start)
{
    const unsigned bytes = info.bytes * info.components;
    if (at.object->defined) {
        const int halves = at.isTwice() && !at.object->laneStride ? 1 : 2;
        for (unsigned c = 0; c < info.components; ++c)
            for (int half = 0; half < halves; ++half)
                if (!holdsDefined<Memory>(EvenHalf(warp, at, start, at.object->defined + c * info.bytes, half)))
                    return false;
        return true;
    }
    return forRuns(at, start, bytes, [&](uint32_t offset, unsigned length) {
        return areInitialised(at.object->initialised, offset, length);
    });
}

template <typename Memory>
[[gnu::always_inline]] inline void markDefined(const Warp& warp, const MemoryInfo& info, const EvenAccess& at,
                                               uint32_t start)
{
    for (unsigned c = 0; c < info.components; ++c)
        for (int half = 0; half < 2; ++half) {
            EvenHalf to(warp, at, start, at.object->defined, half);
            to.from += c * info.bytes;
            storeHalf<Memory>(to, SplatArg<Memory>(static_cast<Memory>(~Memory{0})), 0);
        }
}

/// Whether what a half's lanes write one by one is marked already. False: perhaps.
[[gnu::always_inline]] inline bool isMarked(const EvenAccess& at, uint32_t start, unsigned bytes, int half)
{
    const auto step = static_cast<uint32_t>(at.step(half));
    const uint32_t first = at.first(half, start);
    if ((bytes & (bytes - 1)) != 0 || ((first | step) & (bytes - 1)) != 0)  // or they lie in two words
        return false;
    const uint64_t mask = (uint64_t{1} << bytes) - 1;
    uint64_t missing = 0;
    for (uint32_t i = 0; i < LanePattern::kHalf; ++i) {
        const uint32_t offset = first + step * i;
        const auto* word = reinterpret_cast<const uint64_t*>(at.object->initialised + offset / 64 * 8);
        missing |= ~__atomic_load_n(word, __ATOMIC_RELAXED) >> offset % 64 & mask;
    }
    return missing == 0;
}

[[gnu::always_inline]] inline void markInitialised(const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    const unsigned all = info.bytes * info.components;
    if (!at.isOneRun(all) && isMarked(at, start, all, 0) && (at.isTwice() || isMarked(at, start, all, 1)))
        return;
    forRuns(at, start, info.bytes * info.components, [&](uint32_t offset, unsigned length) {
        setInitialised(at.object->initialised, offset, length);
        return true;
    });
}

// ---- Races ----

/// As runOf, where one half or, for half < 0, the whole warp touches neighbouring words.
[[gnu::always_inline]] inline Run runOf(const Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start,
                                        int half)
{
    const unsigned bytes = info.bytes * info.components;
    if (half < 0)
        return at.isOneRun(bytes) ? runFrom(warp, info, *at.object, at.first(0, start), 0, kWarpSize) : Run{};
    return at.isRun(bytes, half) ? runFrom(warp, info, *at.object, at.first(half, start),
                                           static_cast<unsigned>(half * LanePattern::kHalf), LanePattern::kHalf)
                                 : Run{};
}

/// As columnOf, where all lanes go down one.
[[gnu::always_inline]] inline Column columnOf(const Warp& warp, const MemoryInfo& info, const EvenAccess& at,
                                              uint32_t start)
{
    const auto step = static_cast<uint32_t>(at.step(0));
    if (at.step(1) != at.step(0) || at.pattern->first[1] - at.pattern->first[0] != step * LanePattern::kHalf)
        return {};
    return columnFrom(warp, info, *at.object, at.first(0, start), step, 0, kWarpSize);
}

[[gnu::always_inline]] inline bool readRuns(Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    const RaceCells& cells = *at.object->races;
    const auto read = [&](const Run& run) {
        return run.cells && (cells.isGlobal() ? readRun<true>(warp, cells, run) : readRun<false>(warp, cells, run));
    };
    const Run whole = runOf(warp, info, at, start, -1);
    if (whole.cells && isRepeatedRow<false>(warp, cells, whole))
        return true;
    return read(whole) || (read(runOf(warp, info, at, start, 0)) && read(runOf(warp, info, at, start, 1)));
}

/// Whether the words of a half are known to have been read by many warps since \p since, so that one more is no news.
[[gnu::always_inline]] inline bool isKnownToMany(const RaceCells& cells, uint32_t since, uint32_t first)
{
    const uint32_t* time = cells.readTime + (first >> 2);
    const uint32_t* reader = cells.reader + (first >> 2);
    LaneVector news{};
    for (int i = 0; i < LanePattern::kHalf; i += kVectorLanes)
        news |= maskOf(loadVector(time + i) < since) | maskOf((loadVector(reader + i) & kTouchManyWarps) == 0);
    return !anySet(news);
}

/// What most reads of tiles are: of words that nobody has written in this epoch, one for each half, or neighbouring
/// ones that many have read. False: more is to be done.
[[gnu::always_inline]] inline bool readQuietly(Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    constexpr LaneMask kLow = 0xffff;
    const RaceCells& cells = *at.object->races;
    const Block& block = *warp.block;
    // Where threads hand over flags, whom of many to remember may have to be seen lane by lane.
    if (block.checks->order || ((start | at.pattern->low) & 3) || !isQuiet(warp, info, cells))
        return false;
    const uint32_t first = at.first(0, start), second = at.first(1, start);
    if ((at.step(0) | at.step(1)) == 0) {
        if (first == second)
            return readOne(warp, info, cells, first, ~LaneMask{0});
        return readOne(warp, info, cells, first, kLow) && readOne(warp, info, cells, second, ~kLow);
    }
    return at.step(0) == 4 && at.step(1) == 4 && isKnownToMany(cells, block.checks->epochStart, first) &&
           (first == second || isKnownToMany(cells, block.checks->epochStart, second));
}

[[gnu::noinline]] void trackNews(Warp& warp, const MemoryInfo& info, EvenAccess at, uint32_t start)
{
    enterReads(warp, *at.object);
    if (readQuietly(warp, info, at, start))
        return;
    const bool mayBeFlag = info.isVolatile && warp.block->checks->order;
    if (!mayBeFlag && !mayBeStale(warp, info, *at.object->races)) {
        if (readRuns(warp, info, at, start))
            return;
        if (const Column column = columnOf(warp, info, at, start); column.cells)
            if (enterColumn<false>(warp, *at.object->races, column))
                return;
    }
    uint32_t offsets[kWarpSize];
    offsetsOf(at, start, offsets);
    trackReads(warp, info, *at.object, offsets);
}

/// Enters the list in the cells. Nothing has moved the block's time on, nor changed what its warps know of each other.
[[gnu::noinline]] void enterQuietReads(Block& block)
{
    QuietReads& list = block.checks->quietReads;
    const unsigned count = list.count;
    std::vector<LaneOffsets> offsets;
    offsets.swap(list.offsets);
    list.inVain += !offsets.empty();
    list.clear();
    const LaneOffsets* next = offsets.data();
    for (unsigned i = 0; i < count; ++i) {
        const QuietRead& read = list.reads[i];
        if (read.lanes) {
            const LaneMask active = read.warp->mask;
            read.warp->setMask(read.lanes);
            trackReads(*read.warp, *read.info, *read.object, (next++)->data());
            read.warp->setMask(active);
            continue;
        }
        LanePattern pattern;
        for (int half = 0; half < 2; ++half) {
            pattern.first[half] = read.first[half];
            pattern.step[half] = read.step[half];
            pattern.low |= read.first[half] | static_cast<uint32_t>(read.step[half]);
        }
        const LaneMask active = read.warp->mask;
        read.warp->setMask(~LaneMask{0});
        if (read.row) {
            const std::vector<const MemoryInfo*>& loads = read.row->operands[read.operand].loads;
            for (size_t k = 0; k < loads.size(); ++k)
                trackNews(*read.warp, *loads[k], {read.object, &pattern},
                          static_cast<uint32_t>(read.row->steps[k].offset[read.operand]));
        } else {
            trackNews(*read.warp, *read.info, {read.object, &pattern}, 0);
        }
        read.warp->setMask(active);
    }
    offsets.clear();
    offsets.swap(list.offsets);
}

/// Whether the read only has to be listed, and then does that.
[[gnu::always_inline]] inline bool listRead(Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    if (!mayList(*warp.block, *at.object->races))
        return false;
    list(*warp.block,
         {at.object, &info, &warp, {at.first(0, start), at.first(1, start)}, {at.step(0), at.step(1)}, nullptr, 0, 0});
    return true;
}

/// What a list's read covers, of 32 lanes of \p bytes.
ByteSpan spanOf(const uint32_t (&first)[2], const int32_t (&step)[2], unsigned bytes)
{
    ByteSpan span;
    for (int half = 0; half < 2; ++half) {
        const uint32_t last = first[half] + static_cast<uint32_t>(step[half]) * (LanePattern::kHalf - 1);
        span.add({std::min(first[half], last), uint64_t{std::max(first[half], last)} + bytes});
    }
    return span;
}

/// As listRead, where somebody has written in this epoch, but elsewhere.
[[gnu::always_inline]] inline bool listReadBeside(Warp& warp, const MemoryInfo& info, const EvenAccess& at,
                                                  uint32_t start)
{
    const EpochSpans* const spans = at.object->races->spans;
    const BlockChecks& checks = *warp.block->checks;
    if (!spans || spans->writtenIn != checks.epochStart || checks.order || checks.warpOrder)
        return false;
    const QuietRead read{at.object, &info, &warp, {at.first(0, start), at.first(1, start)}, {at.step(0), at.step(1)},
                         nullptr,   0,     0};
    if (spans->written.meets(spanOf(read.first, read.step, info.bytes * info.components)))
        return false;
    list(*warp.block, read);
    return true;
}

/// Likewise, of \p lanes.
ByteSpan spanOf(const LaneOffsets& offsets, LaneMask lanes, unsigned bytes)
{
    ByteSpan span;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t first = offsets[static_cast<size_t>(__builtin_ctz(lanes))];
        span.add({first, first + bytes});
    }
    return span;
}

/// What the reads on the list cover of the object of \p spans.
[[gnu::always_inline]] inline ByteSpan listedSpan(QuietReads& list, EpochSpans& spans)
{
    for (; list.spanned < list.count; ++list.spanned) {
        const QuietRead& read = list.reads[list.spanned];
        EpochSpans& of = *read.object->races->spans;
        if (std::exchange(of.listed, list.number) != list.number)
            of.read = {};
        if (read.row) {
            of.read.add(ByteSpan::all());
            continue;
        }
        const unsigned bytes = read.info->bytes * read.info->components;
        of.read.add(read.lanes ? spanOf(list.offsets[list.spannedOffsets++], read.lanes, bytes)
                               : spanOf(read.first, read.step, bytes));
    }
    return spans.listed == list.number ? spans.read : ByteSpan{};
}

/// Enters that the whole warp writes neighbouring words of memory of its block's own which nobody on the list has read.
/// False: more is to be done, and nothing has been.
[[gnu::always_inline]] inline bool writeBeside(Warp& warp, const RaceCells& cells, const Run& run)
{
    BlockChecks& checks = *warp.block->checks;
    EpochSpans& spans = *cells.spans;
    const ByteSpan span{run.firstCell << kWordCells, (run.firstCell + run.cells) << kWordCells};
    if (checks.order || checks.warpOrder || listedSpan(checks.quietReads, spans).meets(span))
        return false;
    ByteSpan written;
    const bool isFirst = cells.unwrittenSince(checks.epochStart), isKnown = spans.writtenIn == checks.epochStart;
    if (isKnown && !isFirst)
        written = spans.written;
    written.add(span);
    if (!writeRun<false>(warp, cells, run))
        return false;
    if (isFirst || isKnown) {
        spans.writtenIn = checks.epochStart;
        spans.written = written;
    }
    return true;
}

/// Before the values are stored.
[[gnu::noinline]] void trackWrites(Warp& warp, const MemoryInfo& info, EvenAccess at, uint32_t start)
{
    const RaceCells& cells = *at.object->races;
    const bool mayBeFlag = info.isVolatile && warp.block->checks->order;
    if (const Run run = runOf(warp, info, at, start, -1); cells.spans && !mayBeFlag && run.cells)
        if (writeBeside(warp, cells, run))
            return;
    enterReads(warp, *at.object);
    if (const Run run = runOf(warp, info, at, start, -1); !mayBeFlag && run.cells)
        if (isRepeatedRow<true>(warp, cells, run) ||
            (cells.isGlobal() ? writeRun<true>(warp, cells, run) : writeRun<false>(warp, cells, run)))
            return;
    if (const Column column = columnOf(warp, info, at, start); !mayBeFlag && column.cells)
        if (enterColumn<true>(warp, cells, column))
            return;
    uint32_t offsets[kWarpSize];
    offsetsOf(at, start, offsets);
    trackWrites(warp, info, *at.object, offsets);
}

// ---- Handlers ----

/// Whether nothing but the values is wanted of a read, once it is listed.
[[gnu::always_inline]] inline bool isPlainRead(Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    const ObjectEntry& object = *at.object;
    // One question, not three: mostly nothing of it is so.
    const uint64_t asks = reinterpret_cast<uintptr_t>(settled(object.defined)) | settled(object.laneStride) |
                          static_cast<uint64_t>(settled(object.partlyUndefined));
    return asks == 0 && (!settled(object.races) || listRead(warp, info, at, start));
}

/// What is not only a load: races, definedness, the trace.
template <typename Memory, typename Lane>
[[gnu::noinline]] const Instr* loadEvenWatched(const Instr* instr, Warp& warp, EvenAccess at, uint32_t start)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const ObjectEntry& object = *at.object;
    if (object.races && !listRead(warp, info, at, start) && !listReadBeside(warp, info, at, start))
        trackNews(warp, info, at, start);
    for (unsigned c = 0; c < info.components; ++c)
        for (int half = 0; half < 2; ++half)
            loadHalf<Memory>(EvenHalf(warp, at, start, object.host + c * info.bytes, half),
                             warp.vector<Lane>(info.values[c].reg) + half * LanePattern::kHalf);
    if (warp.recorder) {
        Packed packed;
        const void* values = loadedValues<Lane>(warp, info, object, packed);
        warp.recorder->accessEven(info.site, warp.id, object.buffer, recordedOffsets(at, start), values,
                                  static_cast<uint8_t>(info.bytes * info.components), strideOf<Lane>(values, packed));
    }
    if ((object.defined || object.partlyUndefined) && !warp.tracked && !holdsDefined<Memory>(warp, info, at, start))
        [[unlikely]] {
        uint64_t addresses[kWarpSize];
        laneAddresses(warp, info, addresses);
        return noteUndefinedLoad(warp, info, addresses, instr + 1) ? nullptr : instr + 1;
    }
    return instr + 1;
}

/// Records an access of one value by the whole warp. \p hasValues: what is in the register goes along.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void recordEven(Warp& warp, const MemoryInfo& info, const EvenAccess& at, uint32_t start,
                                              bool hasValues)
{
    uint8_t* const to = warp.recorder->accessEven(info.site, warp.id, BufferId{settled(at.object->buffer.value)},
                                                  recordedOffsets(at, start),
                                                  hasValues ? static_cast<uint8_t>(sizeof(Memory)) : uint8_t{0});
    if (hasValues)
        putLanes<Memory>(warp.vector<Lane>(info.values[0].reg), to);
}

/// A load of one value that nothing but the trace asks about.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline void recordPlainLoad(Warp& warp, const MemoryInfo& info, const EvenAccess& at,
                                                   uint32_t start)
{
    recordEven<Memory, Lane>(warp, info, at, start, !settled(at.object->valuesDerivable));
}

/// As loadEven where that is not for the whole warp: lanes are missing, or lie here and there.
template <typename Memory, typename Lane, bool indexed>
[[gnu::noinline]] const Instr* loadPart(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    EvenAccess at;
    uint32_t start;
    if (info.components != 1 || !locatePart(warp, info, at, start) || at.object->laneStride)
        return loadLanes<Memory, Lane, indexed>(instr, warp);
    const ObjectEntry& object = *at.object;
    Target target;
    target.object = &object;
    const bool isAsked = (object.defined || object.partlyUndefined) && !warp.tracked;
    if (object.races || isAsked || warp.recorder)
        offsetsOf(at, start, target.offsets);
    if (object.races)
        trackOrListReads(warp, info, object, target.offsets);
    alignas(64) Lane lanes[kWarpSize];
    loadHalf<Memory>(EvenHalf{object.host + at.first(0, start), at.step(0)}, lanes);
    loadHalf<Memory>(EvenHalf{object.host + at.first(1, start), at.step(1)}, lanes + LanePattern::kHalf);
    forLanes(warp, warp.vector<Lane>(info.values[0].reg), [&](int i) { return lanes[i]; });
    if (warp.recorder)
        recordLoad<Lane>(warp, info, target);
    if (isAsked && !loadsDefined<Memory>(warp, info, target)) [[unlikely]] {
        alignas(64) uint64_t addresses[kWarpSize];
        laneAddresses(warp, info, addresses);
        return noteUndefinedLoad(warp, info, addresses, instr + 1) ? nullptr : instr + 1;
    }
    return instr + 1;
}

/// Turns 4 words of 4 lanes each.
[[gnu::always_inline]] inline void turnWords(const uint32_t* const (&from)[4], uint32_t* to)
{
    using Four [[gnu::vector_size(16)]] = uint32_t;
    Four a, b, c, d;
    __builtin_memcpy(&a, from[0], sizeof a);
    __builtin_memcpy(&b, from[1], sizeof b);
    __builtin_memcpy(&c, from[2], sizeof c);
    __builtin_memcpy(&d, from[3], sizeof d);
    const Four lowFirst = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               lowSecond = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four highFirst = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               highSecond = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Four rows[] = {__builtin_shufflevector(lowFirst, lowSecond, 0, 1, 4, 5),
                         __builtin_shufflevector(lowFirst, lowSecond, 2, 3, 6, 7),
                         __builtin_shufflevector(highFirst, highSecond, 0, 1, 4, 5),
                         __builtin_shufflevector(highFirst, highSecond, 2, 3, 6, 7)};
    for (int i = 0; i < 4; ++i)
        __builtin_memcpy(to + i * kWarpSize, &rows[i], sizeof rows[i]);
}

/// The row of words of which lane 0 has the one at \p from, in lines that are read now for those that follow, if they
/// have been read of before. Null: they are not kept.
template <typename Memory>
[[gnu::noinline]] const std::byte* lookAhead(WordsAhead& ahead, const ObjectEntry& object, const std::byte* from,
                                             int32_t step)
{
    constexpr uint32_t kBytes = sizeof(Memory);
    const auto word = static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) % WordsAhead::kLineBytes);
    const std::byte* const line = from - word;
    const unsigned place = WordsAhead::placeOf(line);
    WordsAhead::Lines& lines = ahead.lines[place];
    std::byte* const rows = ahead.rows[place];
    const bool isAgain = lines.asked == line;
    lines.asked = line;
    const int64_t last = int64_t{step} * (kWarpSize - 1), first = line - object.host;
    if (!isAgain || first + std::min<int64_t>(last, 0) < 0 ||
        first + std::max<int64_t>(last, 0) + WordsAhead::kLineBytes > static_cast<int64_t>(object.bytes))
        return nullptr;
    if constexpr (kBytes == 4) {
        for (int lane = 0; lane < kWarpSize; lane += 4)
            for (unsigned i = 0; i < WordsAhead::kLineBytes / kBytes; i += 4) {
                const auto at = [&](int next) {
                    return reinterpret_cast<const uint32_t*>(line + int64_t{step} * (lane + next)) + i;
                };
                turnWords({at(0), at(1), at(2), at(3)}, reinterpret_cast<uint32_t*>(rows) + i * kWarpSize + lane);
            }
    } else {
        for (int lane = 0; lane < kWarpSize; ++lane)
            for (unsigned i = 0; i < WordsAhead::kLineBytes / kBytes; ++i)
                __builtin_memcpy(rows + (i * kWarpSize + static_cast<unsigned>(lane)) * kBytes,
                                 line + int64_t{step} * lane + i * kBytes, kBytes);
    }
    lines.first = line;
    lines.step = step;
    lines.bytes = kBytes;
    return rows + word * kWarpSize;
}

/// As lookAhead, of lanes far enough apart, whose words lie in memory that nobody writes.
template <typename Memory>
[[gnu::always_inline]] inline const std::byte* rowAhead(Warp& warp, const EvenAccess& at, uint32_t start)
{
    constexpr uint32_t kBytes = sizeof(Memory);
    const int32_t step = at.step(0);
    const uint32_t first = at.first(0, start);
    const bool isFar =
        step >= static_cast<int32_t>(WordsAhead::kLineBytes) || step <= -static_cast<int32_t>(WordsAhead::kLineBytes);
    const bool isEven = step == at.step(1) &&
                        at.pattern->first[1] - at.pattern->first[0] == static_cast<uint32_t>(step) * LanePattern::kHalf;
    if (!isFar || !isEven || ((static_cast<uint32_t>(step) | first) & (kBytes - 1)) != 0 ||
        !settled(at.object->unwritten))
        return nullptr;
    const std::byte* const from = settled(at.object->host) + first;
    const uintptr_t word = reinterpret_cast<uintptr_t>(from) % WordsAhead::kLineBytes;
    const std::byte* const line = from - word;
    WordsAhead& ahead = *settled(settled(warp.block)->ahead);
    const unsigned place = WordsAhead::placeOf(line);
    return ahead.lines[place].areOf(line, step, kBytes) ? ahead.rows[place] + word * kWarpSize
                                                        : lookAhead<Memory>(ahead, *at.object, from, step);
}

/// A load whose place is known.
template <typename Memory, typename Lane>
[[gnu::always_inline]] inline const Instr* loadLocated(const Instr* instr, Warp& warp, const EvenAccess& at,
                                                       uint32_t start)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    if (info.components != 1 || !isPlainRead(warp, info, at, start))
        return loadEvenWatched<Memory, Lane>(instr, warp, at, start);
    Lane* out = warp.vector<Lane>(info.values[0].reg);
    std::byte* const host = settled(at.object->host);
#ifdef LS_BITCODE
    if (at.isOneRun(sizeof(Memory))) {
        convertRow<Lane, Memory, kWarpSize>(host + at.first(0, start), out);
        if (warp.recorder)
            recordPlainLoad<Memory, Lane>(warp, info, at, start);
        return instr + 1;
    }
#endif
    const std::byte* row = nullptr;
    if constexpr (sizeof(Memory) >= 4)
        row = rowAhead<Memory>(warp, at, start);
    if (row) {
        convertRow<Lane, Memory, kWarpSize>(row, out);
    } else {
        loadHalf<Memory>(EvenHalf{host + at.first(0, start), at.step(0)}, out);
        loadHalf<Memory>(EvenHalf{host + at.first(1, start), at.step(1)}, out + LanePattern::kHalf);
    }
    if (warp.recorder)
        recordPlainLoad<Memory, Lane>(warp, info, at, start);
    return instr + 1;
}

template <typename Memory, typename Lane, bool indexed>
const Instr* loadEven(const Instr* instr, Warp& warp)
{
    EvenAccess at;
    uint32_t start;
    if (!locateEven(warp, *reinterpret_cast<const MemoryInfo*>(instr->imm), at, start)) [[unlikely]]
        return loadPart<Memory, Lane, indexed>(instr, warp);
    return loadLocated<Memory, Lane>(instr, warp, at, start);
}

/// As loadEven, for machine code: where that would not do, it does nothing and stays where it is.
template <typename Memory, typename Lane>
const Instr* loadEvenOrStay(const Instr* instr, Warp& warp)
{
    EvenAccess at;
    uint32_t start;
    return locateEven(warp, *reinterpret_cast<const MemoryInfo*>(instr->imm), at, start)
               ? loadLocated<Memory, Lane>(instr, warp, at, start)
               : instr;
}

/// Where a warp's row lies: each lane's part behind that of the lane before.
struct RowAccess {
    const ObjectEntry* object = nullptr;  ///< null: it is no row, or not inside one object
    uint64_t offset = 0;

    [[nodiscard, gnu::always_inline]] EvenAccess even(Warp& warp, const MemoryInfo& info) const
    {
        return {object, &warp.patterns[info.pattern]};
    }
};

/// \p bytes: of each lane's part. What is asked of the pattern and the object is asked once for all accesses that go by
/// them, and of each what is left: a comparison. \p lacksLanes: some, whose parts have to be inside the object too.
template <unsigned bytes, bool lacksLanes>
[[gnu::always_inline]] inline RowAccess locateRow(Warp& warp, const MemoryInfo& info)
{
    constexpr uint64_t kSpan = bytes * kWarpSize;
    const LanePattern& pattern = warp.patterns[info.pattern];
    const bool isOnLine =
        lacksLanes ? pattern.even || (warp.mask & ~pattern.part) == 0 : pattern.even && warp.mask == ~LaneMask{0};
    const bool isRow = isOnLine && pattern.step[0] == bytes && pattern.step[1] == bytes &&
                       pattern.first[1] == pattern.first[0] + bytes * LanePattern::kHalf &&
                       static_cast<uint64_t>(pattern.highest) - static_cast<uint64_t>(pattern.lowest) == kSpan - bytes;
    if (!isRow || info.alignment > bytes || info.components != 1)
        return {};
    const uint64_t address = scalarAddress(warp, info) + static_cast<uint64_t>(pattern.lowest);
    const uint64_t slot = (info.base.form == Form::Scalar ? warp.scalar<uint64_t>(info.base.reg) : address) >> 32;
    const ObjectEntry* object = objectAt(warp, slot);
    if (!object)
        return {};
    const uint64_t size = settled(object->bytes);
    const uint64_t offset = address - (slot << 32);
    if (size < kSpan || offset > size - kSpan || (offset & (info.alignment - 1)) != 0)
        return {};
    return {object, offset};
}

/// As loadEvenOrStay, for rows.
template <typename Memory, typename Lane>
const Instr* loadRowOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const RowAccess row = locateRow<sizeof(Memory), false>(warp, info);
    if (!row.object)
        return instr;
    const EvenAccess at = row.even(warp, info);
    const uint32_t start = static_cast<uint32_t>(row.offset) - at.pattern->first[0];
    if (!isPlainRead(warp, info, at, start))
        return loadEvenWatched<Memory, Lane>(instr, warp, at, start);
    convertRow<Lane, Memory, kWarpSize>(settled(row.object->host) + row.offset, warp.vector<Lane>(info.values[0].reg));
    if (warp.recorder)
        recordPlainLoad<Memory, Lane>(warp, info, at, start);
    return instr + 1;
}

/// Enters what the active lanes of a row read.
[[gnu::noinline]] void trackPartOfRow(Warp& warp, const MemoryInfo& info, const ObjectEntry& object, uint32_t offset)
{
    uint32_t offsets[kWarpSize];
    for (uint32_t i = 0; i < kWarpSize; ++i)
        offsets[i] = offset + i * info.bytes;
    trackOrListReads(warp, info, object, offsets);
}

/// As loadRowOrStay, where lanes are missing: they get values too.
template <typename Memory, typename Lane>
const Instr* loadPartOfRowOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const auto [object, offset] = locateRow<sizeof(Memory), true>(warp, info);
    if (warp.recorder || !object || settled(object->defined) || settled(object->laneStride))
        return instr;
    if (settled(object->partlyUndefined) &&
        !isRunInitialised<sizeof(Memory) * kWarpSize>(settled(object->initialised), static_cast<uint32_t>(offset)))
        return instr;
    if (settled(object->races))
        trackPartOfRow(warp, info, *object, static_cast<uint32_t>(offset));
    convertRow<Lane, Memory, kWarpSize>(settled(object->host) + offset, warp.vector<Lane>(info.values[0].reg));
    return instr + 1;
}

template <typename Memory, typename Lane, bool indexed>
const Instr* loadMeasured(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    LanePattern pattern;
    EvenAccess at;
    uint32_t start;
    if (!measureEven<indexed>(warp, info, pattern, at, start))
        return loadLanes<Memory, Lane, indexed>(instr, warp);
    return loadEvenWatched<Memory, Lane>(instr, warp, at, start);
}

template <typename Memory, typename Lane>
[[gnu::noinline]] void storeEvenAt(const MemoryInfo& info, Warp& warp, EvenAccess at, uint32_t start)
{
    const ObjectEntry& object = *at.object;
    if (object.races)
        trackWrites(warp, info, at, start);
    for (unsigned c = 0; c < info.components; ++c)
        for (int half = 0; half < 2; ++half) {
            const EvenHalf to(warp, at, start, object.host + c * info.bytes, half);
            if (info.values[c].form == Form::Vector)
                storeHalf<Memory>(to, VectorArg<Lane>(warp, info.values[c].reg), half * LanePattern::kHalf);
            else
                storeHalf<Memory>(to, SplatArg<Lane>(warp, info.values[c].reg), half * LanePattern::kHalf);
        }
    if (object.defined)
        markDefined<Memory>(warp, info, at, start);
    if (object.initialised)
        markInitialised(info, at, start);
    if (warp.recorder) {
        Packed packed;
        const void* values = storedValues<Lane>(warp, info, packed);
        warp.recorder->accessEven(info.site, warp.id, object.buffer, recordedOffsets(at, start), values,
                                  static_cast<uint8_t>(info.bytes * info.components), strideOf<Lane>(values, packed));
    }
}

/// As storeEven, as loadPart.
template <typename Memory, typename Lane, bool indexed>
[[gnu::noinline]] const Instr* storePart(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    EvenAccess at;
    uint32_t start;
    if (!locatePart(warp, info, at, start) || at.object->readOnly)
        return storeLanes<Memory, Lane, indexed>(instr, warp);
    Target target;
    target.object = at.object;
    offsetsOf(at, start, target.offsets);
    storeAt<Memory, Lane>(info, warp, target);
    return instr + 1;
}

template <typename Memory, typename Lane, bool indexed>
const Instr* storeEven(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    EvenAccess at;
    uint32_t start;
    if (!locateEven(warp, info, at, start) || at.object->readOnly) [[unlikely]]
        return storePart<Memory, Lane, indexed>(instr, warp);
    storeEvenAt<Memory, Lane>(info, warp, at, start);
    return instr + 1;
}

/// Whether nobody asks who stores there, and it is one value of a register.
[[gnu::always_inline]] inline bool isUnwatchedWrite(const MemoryInfo& info, const ObjectEntry& object)
{
    const uint64_t asks = reinterpret_cast<uintptr_t>(settled(object.races)) |
                          reinterpret_cast<uintptr_t>(settled(object.defined)) | settled(object.laneStride);
    return asks == 0 && info.components == 1 && info.values[0].form == Form::Vector;
}

/// Whether nothing but the values is to be stored.
template <typename Memory>
[[gnu::always_inline]] inline bool isPlainWrite(const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    const ObjectEntry& object = *at.object;
    if (!isUnwatchedWrite(info, object) || !at.isOneRun(sizeof(Memory)))
        return false;
    const uint8_t* const bits = settled(object.initialised);
    return !bits || isRunInitialised<sizeof(Memory) * kWarpSize>(bits, at.first(0, start));
}

/// As isPlainWrite, of lanes that lie apart, but not too far to ask whether all in between is initialised.
template <typename Memory>
[[gnu::always_inline]] inline bool isPlainWriteApart(const MemoryInfo& info, const EvenAccess& at, uint32_t start)
{
    constexpr uint64_t kMostSpan = 4096;
    const ObjectEntry& object = *at.object;
    if (!isUnwatchedWrite(info, object) || at.step(0) != at.step(1) || at.step(0) <= 0)
        return false;
    const uint8_t* const bits = settled(object.initialised);
    const auto span = static_cast<uint64_t>(at.pattern->highest - at.pattern->lowest);
    return !bits || (span < kMostSpan && areInitialised(bits, start + static_cast<uint32_t>(at.pattern->lowest),
                                                        static_cast<unsigned>(span + sizeof(Memory))));
}

/// As storeEven, as loadEvenOrStay.
template <typename Memory, typename Lane>
const Instr* storeEvenOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    EvenAccess at;
    uint32_t start;
    if (!locateEven(warp, info, at, start) || settled(at.object->readOnly))
        return instr;
    std::byte* const host = settled(at.object->host);
    if (isPlainWrite<Memory>(info, at, start)) {
        convertRow<Memory, Lane, kWarpSize>(warp.vector<Lane>(info.values[0].reg), host + at.first(0, start));
    } else if (isPlainWriteApart<Memory>(info, at, start)) {
        const VectorArg<Lane> values(warp, info.values[0].reg);
        storeHalf<Memory>({host + at.first(0, start), at.step(0)}, values, 0);
        storeHalf<Memory>({host + at.first(1, start), at.step(1)}, values, LanePattern::kHalf);
    } else {
        storeEvenAt<Memory, Lane>(info, warp, at, start);
        return instr + 1;
    }
    if (warp.recorder)
        recordEven<Memory, Lane>(warp, info, at, start, true);
    return instr + 1;
}

/// As storeEvenOrStay, for rows.
template <typename Memory, typename Lane>
const Instr* storeRowOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const RowAccess row = locateRow<sizeof(Memory), false>(warp, info);
    if (!row.object || settled(row.object->readOnly))
        return instr;
    const EvenAccess at = row.even(warp, info);
    const uint32_t start = static_cast<uint32_t>(row.offset) - at.pattern->first[0];
    if (!isPlainWrite<Memory>(info, at, start)) {
        storeEvenAt<Memory, Lane>(info, warp, at, start);
        return instr + 1;
    }
    convertRow<Memory, Lane, kWarpSize>(warp.vector<Lane>(info.values[0].reg), settled(row.object->host) + row.offset);
    if (warp.recorder)
        recordEven<Memory, Lane>(warp, info, at, start, true);
    return instr + 1;
}

/// As storeRowOrStay, where lanes are missing.
template <typename Memory, typename Lane>
const Instr* storePartOfRowOrStay(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    const RowAccess row = locateRow<sizeof(Memory), true>(warp, info);
    if (!row.object || settled(row.object->readOnly))
        return instr;
    const EvenAccess at = row.even(warp, info);
    if (warp.recorder || !isPlainWrite<Memory>(info, at, static_cast<uint32_t>(row.offset) - at.pattern->first[0]))
        return instr;
    alignas(64) Memory values[kWarpSize];
    convertRow<Memory, Lane, kWarpSize>(warp.vector<Lane>(info.values[0].reg), values);
    auto* const to = reinterpret_cast<Aliased<Memory>*>(settled(row.object->host) + row.offset);
    const LaneMask mask = warp.mask;
    LS_EACH_LANE
    for (int i = 0; i < kWarpSize; ++i)
        if (mask & kLaneBits[static_cast<size_t>(i)])
            to[i].value = values[i];
    return instr + 1;
}

template <typename Memory, typename Lane, bool indexed>
const Instr* storeMeasured(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    LanePattern pattern;
    EvenAccess at;
    uint32_t start;
    if (!measureEven<indexed>(warp, info, pattern, at, start) || at.object->readOnly)
        return storeLanes<Memory, Lane, indexed>(instr, warp);
    storeEvenAt<Memory, Lane>(info, warp, at, start);
    return instr + 1;
}

#include "core/simt/machine/ops_foreseen.inl"

/// Handlers by the size of what is accessed: pick<Memory, Lane>() names one.
template <typename Pick>
constexpr Handler bySize(const MemoryInfo& info, Pick pick)
{
    switch (info.bytes) {
    case 1:
        return pick.template operator()<uint8_t, uint32_t>();
    case 2:
        return pick.template operator()<uint16_t, uint32_t>();
    case 4:
        return info.wide ? pick.template operator()<uint32_t, uint64_t>()
                         : pick.template operator()<uint32_t, uint32_t>();
    case 8:
        return pick.template operator()<uint64_t, uint64_t>();
    default:
        return nullptr;
    }
}

constexpr bool isIndexed(const MemoryInfo& info)
{
    const AddressTerm& term = info.vectorTerms[0];
    return info.base.form == Form::Scalar && info.vectorTermCount == 1 && !term.wide && term.scale > 0 &&
           term.scale <= 0xffff;
}

constexpr Handler selectLoad(const MemoryInfo& info)
{
    if (info.values[0].form == Form::Scalar) {
        return bySize(info, []<typename Memory, typename Lane>() -> Handler { return loadScalar<Memory, Lane>; });
    }
    return bySize(info, [&]<typename Memory, typename Lane>() -> Handler {
        if (info.pattern != kNoPattern)
            return isIndexed(info) ? loadEven<Memory, Lane, true> : loadEven<Memory, Lane, false>;
        return isIndexed(info) ? loadMeasured<Memory, Lane, true> : loadMeasured<Memory, Lane, false>;
    });
}

/// What machine code takes accesses for. Of those that are foreseen all is known: they never stay.
enum class Tried : uint8_t { Even, Row, PartOfRow, Foreseen };

/// What machine code tries first in the place of selectLoad's; null: nothing.
constexpr Handler selectLoadOrStay(const MemoryInfo& info, Tried tried)
{
    return bySize(info, [&]<typename Memory, typename Lane>() -> Handler {
        if (tried == Tried::Foreseen)
            return info.values[0].form == Form::Scalar ? loadScalarForeseen<Memory, Lane> : loadForeseen<Memory, Lane>;
        if (info.values[0].form == Form::Scalar)
            return loadScalarOrStay<Memory, Lane>;
        if (info.pattern == kNoPattern)
            return nullptr;
        switch (tried) {
        case Tried::Even:
            return loadEvenOrStay<Memory, Lane>;
        case Tried::Row:
            return loadRowOrStay<Memory, Lane>;
        case Tried::PartOfRow:
            return loadPartOfRowOrStay<Memory, Lane>;
        case Tried::Foreseen:
            break;
        }
        return nullptr;
    });
}

constexpr Handler selectStoreOrStay(const MemoryInfo& info, Tried tried)
{
    return bySize(info, [&]<typename Memory, typename Lane>() -> Handler {
        if (tried == Tried::Foreseen)
            return storeForeseen<Memory, Lane>;
        if (info.pattern == kNoPattern)
            return nullptr;
        switch (tried) {
        case Tried::Even:
            return storeEvenOrStay<Memory, Lane>;
        case Tried::Row:
            return storeRowOrStay<Memory, Lane>;
        case Tried::PartOfRow:
            return storePartOfRowOrStay<Memory, Lane>;
        case Tried::Foreseen:
            break;
        }
        return nullptr;
    });
}

constexpr Handler selectStore(const MemoryInfo& info)
{
    return bySize(info, [&]<typename Memory, typename Lane>() -> Handler {
        if (info.pattern != kNoPattern)
            return isIndexed(info) ? storeEven<Memory, Lane, true> : storeEven<Memory, Lane, false>;
        return isIndexed(info) ? storeMeasured<Memory, Lane, true> : storeMeasured<Memory, Lane, false>;
    });
}
