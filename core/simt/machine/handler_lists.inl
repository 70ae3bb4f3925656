// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists of all handlers that machine code is made of. The compiler of the simulator and that of the bitcode make them
// from the same enumerators: the same place in both is the same handler.

template <size_t most>
struct HandlerList {
    std::array<Handler, most> handlers{};
    size_t count = 0;

    constexpr void add(Handler handler)
    {
        if (handler)
            handlers[count++] = handler;
    }
    [[nodiscard]] constexpr std::span<const Handler> all() const { return {handlers.data(), count}; }
};

constexpr std::array kForms{Form::Scalar, Form::Vector};
constexpr std::array kLaneTypes{LaneType::I32, LaneType::I64, LaneType::F32, LaneType::F64};

template <typename Op, typename F>
constexpr void forOps(F f)
{
    for (size_t op = 0; op < static_cast<size_t>(Op::Count); ++op)
        f(static_cast<Op>(op));
}

/// What a compiler may replace by something that rounds otherwise, or tells NaNs and zeros apart otherwise, stays where
/// one compiler has made it.
constexpr bool isExact(BinaryOp op)
{
    return op < BinaryOp::FRem || op == BinaryOp::CopySign;
}
constexpr bool isExact(UnaryOp op)
{
    return op < UnaryOp::Sqrt || op >= UnaryOp::PopCount;
}

constexpr std::array kShuffles{ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly};

constexpr auto kPlain = [] {
    HandlerList<2048> list;
    for (const LaneType type : kLaneTypes)
        for (const Form a : kForms) {
            for (const Form b : kForms) {
                forOps<BinaryOp>([&](BinaryOp op) { list.add(isExact(op) ? selectBinary(op, type, a, b) : nullptr); });
                forOps<CompareOp>([&](CompareOp op) { list.add(selectCompare(op, type, a, b)); });
                list.add(selectSelect(type, a, b == Form::Scalar));
            }
            forOps<UnaryOp>([&](UnaryOp op) { list.add(isExact(op) ? selectUnary(op, type, a) : nullptr); });
            for (const LaneType from : kLaneTypes)
                forOps<CastOp>([&](CastOp op) { list.add(selectCast(op, from, type, a)); });
            forOps<TernaryOp>([&](TernaryOp op) { list.add(selectTernary(op, type, a == Form::Scalar)); });
            list.add(selectBroadcast(type));
            list.add(selectFirstLane(type));
        }
    list.add(selectNotePattern(false));
    list.add(selectNotePattern(true));
    for (const RecordedValue value :
         {RecordedValue::Lanes, RecordedValue::Derived, RecordedValue::Uniform, RecordedValue::Constant})
        list.add(selectRecord(value));
    for (const bool asksMembers : {false, true})  // the last, as plainOfWhole says
        for (const ShuffleMode mode : kShuffles)
            list.add(selectShuffle(mode, asksMembers));
    return list;
}();

template <typename F>
constexpr void forSizes(F f)
{
    for (const uint8_t bytes : {1, 2, 4, 8})
        for (const bool wide : {false, true}) {
            MemoryInfo info;
            info.bytes = bytes;
            info.wide = wide;
            f(info);
        }
}

/// Calls \p f(handler, what machine code tries first in its place, or null).
template <typename F>
constexpr void forAccesses(Tried tried, F f)
{
    f(selectAddress(), nullptr);
    f(selectAddressScalar(), nullptr);
    forSizes([&](MemoryInfo info) {
        info.values[0].form = Form::Scalar;
        f(selectLoad(info), selectLoadOrStay(info, tried));
        info.values[0].form = Form::Vector;
        for (const uint32_t pattern : {kNoPattern, kUniformPattern})
            for (const bool indexed : {false, true}) {
                info.pattern = pattern;
                info.base.form = Form::Scalar;
                info.vectorTermCount = indexed;
                f(selectLoad(info), selectLoadOrStay(info, tried));
                f(selectStore(info), selectStoreOrStay(info, tried));
            }
    });
}

constexpr auto kAccesses = [] {
    HandlerList<256> list;
    forAccesses(Tried::Even, [&](Handler handler, Handler) { list.add(handler); });
    return list;
}();

constexpr std::array<Handler, 1> kChecks{selectCheckShape()};

constexpr auto kTerminators = [] {
    HandlerList<256> list;
    list.add(selectJump(false));
    for (const Form condition : kForms)
        for (const bool recording : {false, true})
            list.add(selectBranch(condition, recording));
    for (const FusedPair& pair : kPairs)
        list.add(pair.both);
    return list;
}();

template <typename Memory, typename Lane>
constexpr auto kCalleesOf =
    std::make_tuple(loadEvenWatched<Memory, Lane>, loadLanes<Memory, Lane, true>, loadLanes<Memory, Lane, false>,
                    storeLanes<Memory, Lane, true>, storeLanes<Memory, Lane, false>, storeEvenAt<Memory, Lane>,
                    loadSteps<Memory, Lane>, loadPart<Memory, Lane, true>, loadPart<Memory, Lane, false>,
                    storePart<Memory, Lane, true>, storePart<Memory, Lane, false>);

/// What accesses call, and what branches do: nothing but pointers to functions. Constants, as all lists: what runs when
/// a program is loaded must not need an instruction set.
constexpr auto kCallees = std::make_tuple(
    kCalleesOf<uint8_t, uint32_t>, kCalleesOf<uint16_t, uint32_t>, kCalleesOf<uint32_t, uint32_t>,
    kCalleesOf<uint32_t, uint64_t>, kCalleesOf<uint64_t, uint64_t>, lookAhead<uint32_t>, lookAhead<uint64_t>,
    recordPartOfOne<uint32_t>, recordPartOfOne<uint64_t>,
    static_cast<void (*)(trace::BlockRecorder&)>(trace::BlockRecorder::settle),
    static_cast<void (*)(Warp&, const MemoryInfo&, EvenAccess, uint32_t)>(trackNews),
    static_cast<void (*)(Warp&, const MemoryInfo&, EvenAccess, uint32_t)>(trackWrites),
    static_cast<void (*)(Block&)>(enterQuietReads), trackReadsOfOne, slowLoad, slowStore, noteUndefinedLoad,
    trackPartOfRow, describePart<int32_t>, describePart<int64_t>, runDiverge, reportShape, runWarpCall);

#ifdef LS_BITCODE
/// By place in kAccesses; null where there is none.
template <Tried tried>
constexpr auto kTriedFirst = [] {
    HandlerList<256> list;
    forAccesses(tried, [&](Handler handler, Handler first) {
        if (handler)
            list.handlers[list.count++] = first;
    });
    return list;
}();

/// What is tried in the place of those that are compiled once (CommonHandlers): joinPoint and exit.
constexpr std::array<Handler, 2> kPassed{passJoin, beginNextWarp};

/// What takes the place of a branch in blocks that are foreseen, by its way.
constexpr std::array<Handler, 2> kForeseenWays{goForeseen<false>, goForeseen<true>};

/// Whether somebody looks at single instructions.
[[gnu::always_inline]] inline bool isLookedAt(const Warp& warp)
{
    return isWatched(warp) || warp.bySteps;
}
}  // namespace

// What the maker of machine code looks for.
extern "C" {
[[gnu::used]] extern constinit const decltype(kPlain) lanescope_plain = kPlain;
[[gnu::used]] extern constinit const decltype(kAccesses) lanescope_accesses = kAccesses;
[[gnu::used]] extern constinit const HandlerList<256> lanescope_tried_first = kTriedFirst<Tried::Even>;
[[gnu::used]] extern constinit const HandlerList<256> lanescope_tried_first_rows = kTriedFirst<Tried::Row>;
[[gnu::used]] extern constinit const HandlerList<256> lanescope_tried_first_parts = kTriedFirst<Tried::PartOfRow>;
[[gnu::used]] extern constinit const HandlerList<256> lanescope_foreseen = kTriedFirst<Tried::Foreseen>;
[[gnu::used]] extern constinit const decltype(kForeseenWays) lanescope_foreseen_ways = kForeseenWays;
[[gnu::used]] extern constinit const decltype(kChecks) lanescope_checks = kChecks;
[[gnu::used]] extern constinit const decltype(kTerminators) lanescope_terminators = kTerminators;
[[gnu::used]] extern constinit const decltype(kPassed) lanescope_passed = kPassed;
[[gnu::used]] extern constinit const decltype(kCallees) lanescope_callees = kCallees;

/// Whether machine code of whole warps may run.
bool lanescope_may_run(const Warp& warp)
{
    return warp.mask == ~LaneMask{0} && !isLookedAt(warp) && !warp.recorder;
}

/// Whether machine code of whole warps may run that are recorded.
bool lanescope_may_run_recorded(const Warp& warp)
{
    return warp.mask == ~LaneMask{0} && !isLookedAt(warp) && warp.recorder;
}

/// Whether the warp's block is foreseen.
bool lanescope_is_foreseen(const Warp& warp)
{
    return warp.block->foreseen != nullptr;
}

/// As lanescope_may_run, of warps that lack lanes.
bool lanescope_may_run_part(const Warp& warp)
{
    return warp.mask != ~LaneMask{0} && !isLookedAt(warp) && !warp.recorder;
}

/// As lanescope_may_run_recorded, of warps that lack lanes.
bool lanescope_may_run_recorded_part(const Warp& warp)
{
    return warp.mask != ~LaneMask{0} && !isLookedAt(warp) && warp.recorder;
}
}

namespace {
#endif
