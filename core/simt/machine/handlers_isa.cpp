// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The handlers of one instruction set. Compiled several times with other target options; LS_ISA_FUNCTION names the
// only symbol with external linkage. Keep everything else in the anonymous namespace (see lane_loops.h).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "core/simt/checks/block_checks.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/checks/race_rows.h"
#include "core/simt/checks/shape_check.h"
#include "core/simt/code/program.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/lane_loops.h"
#include "core/simt/machine/lane_vectors.h"
#include "core/simt/machine/narrow_bits.h"
#include "core/simt/machine/scheduler.h"
#include "core/simt/machine/special_functions.h"
#include "core/simt/memory/address_slots.h"
#include "core/simt/memory/initialised_bits.h"
#include "core/simt/state/block.h"
#include "core/simt/state/foreseen_block.h"
#include "core/trace/block_recorder.h"

namespace lanescope::simt {
namespace {

#include "core/simt/machine/ops_integer.inl"

#include "core/simt/machine/ops_float.inl"

#include "core/simt/machine/ops_control.inl"

// In this order: memory accesses use the race check.
#include "core/simt/machine/ops_race_runs.inl"

#include "core/simt/machine/ops_race_apart.inl"

#include "core/simt/machine/ops_race.inl"

#include "core/simt/machine/ops_memory.inl"

#include "core/simt/machine/ops_record.inl"

#include "core/simt/machine/ops_pattern.inl"

#include "core/simt/machine/ops_shape.inl"
#include "core/simt/machine/ops_shuffle.inl"

template <BinaryOp op, typename T>
[[gnu::always_inline]] inline T binary(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        return floatBinary<op>(a, b);
    else
        return integerBinary<op>(a, b);
}

template <CompareOp op, typename T>
[[gnu::always_inline]] inline int32_t compare(T a, T b)
{
    if constexpr (std::is_floating_point_v<T>)
        return floatCompare<op>(a, b);
    else
        return integerCompare<op>(a, b);
}

template <UnaryOp op, typename T>
[[gnu::always_inline]] inline T unary(T a)
{
    if constexpr (std::is_floating_point_v<T>)
        return floatUnary<op>(a);
    else
        return integerUnary<op>(a);
}

template <BinaryOp op, typename T, template <typename> class A, template <typename> class B>
const Instr* binaryLanes(const Instr* instr, Warp& warp)
{
    A<T> a(warp, instr->a);
    B<T> b(warp, instr->b);
    forLanes(warp, warp.vector<T>(instr->dst), [&](int i) { return binary<op, T>(a[i], b[i]); });
    return instr + 1;
}

template <BinaryOp op, typename T>
const Instr* binaryScalar(const Instr* instr, Warp& warp)
{
    warp.setScalar<T>(instr->dst, binary<op, T>(warp.scalar<T>(instr->a), warp.scalar<T>(instr->b)));
    return instr + 1;
}

template <CompareOp op, typename T, template <typename> class A, template <typename> class B>
const Instr* compareLanes(const Instr* instr, Warp& warp)
{
    A<T> a(warp, instr->a);
    B<T> b(warp, instr->b);
    forLanes(warp, warp.vector<int32_t>(instr->dst), [&](int i) { return compare<op, T>(a[i], b[i]); });
    return instr + 1;
}

template <CompareOp op, typename T>
const Instr* compareScalar(const Instr* instr, Warp& warp)
{
    warp.setScalar<int32_t>(instr->dst, compare<op, T>(warp.scalar<T>(instr->a), warp.scalar<T>(instr->b)));
    return instr + 1;
}

template <UnaryOp op, typename T>
const Instr* unaryLanes(const Instr* instr, Warp& warp)
{
    VectorArg<T> a(warp, instr->a);
    forLanes(warp, warp.vector<T>(instr->dst), [&](int i) { return unary<op, T>(a[i]); });
    return instr + 1;
}

template <UnaryOp op, typename T>
const Instr* unaryScalar(const Instr* instr, Warp& warp)
{
    warp.setScalar<T>(instr->dst, unary<op, T>(warp.scalar<T>(instr->a)));
    return instr + 1;
}

constexpr int widthOf(uint64_t imm)
{
    return static_cast<int>(imm & 0xff);
}
constexpr int resultWidthOf(uint64_t imm)
{
    return static_cast<int>(imm >> 8 & 0xff);
}

/// One conversion; \p imm holds the bit widths of source and result.
template <CastOp op, typename From, typename To>
[[gnu::always_inline]] inline To convert(From value, uint64_t imm)
{
    int from = widthOf(imm);
    int to = resultWidthOf(imm);
    if constexpr (op == CastOp::Zext32To64 || op == CastOp::F32ToF64 || op == CastOp::F64ToF32)
        return static_cast<To>(value);
    else if constexpr (op == CastOp::Bits32)
        return static_cast<To>(value);
    else if constexpr (op == CastOp::Sext) {
        // To the full lane, then cut to the result's width: narrow integers stay zero-extended.
        auto wide = static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - from)) >> (64 - from);
        return static_cast<To>(static_cast<uint64_t>(wide) & (~uint64_t{0} >> (64 - to)));
    } else if constexpr (op == CastOp::Trunc || op == CastOp::Mask)
        return static_cast<To>(static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - to)));
    else if constexpr (op == CastOp::SIToFP)
        return static_cast<To>(static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - from)) >> (64 - from));
    else if constexpr (op == CastOp::UIToFP)
        return static_cast<To>(value);
    else if constexpr (op == CastOp::FPToSI)
        return static_cast<To>(static_cast<uint64_t>(saturatingToInteger<int64_t>(value, to)) &
                               (~uint64_t{0} >> (64 - to)));
    else
        return static_cast<To>(saturatingToInteger<uint64_t>(value, to));
}

/// The common widening of an int index or int value: one instruction a vector.
inline const Instr* sext32Lanes(const Instr* instr, Warp& warp)
{
    VectorArg<int32_t> a(warp, instr->a);
    forLanes(warp, warp.vector<int64_t>(instr->dst), [&](int i) { return int64_t{a[i]}; });
    return instr + 1;
}

inline const Instr* int32ToFloatLanes(const Instr* instr, Warp& warp)
{
    VectorArg<int32_t> a(warp, instr->a);
    forLanes(warp, warp.vector<float>(instr->dst), [&](int i) { return static_cast<float>(a[i]); });
    return instr + 1;
}

template <CastOp op, typename From, typename To>
const Instr* castLanes(const Instr* instr, Warp& warp)
{
    if constexpr (op == CastOp::Sext && sizeof(From) == 4 && sizeof(To) == 8)
        if (instr->imm == (32 | 64 << 8))
            return sext32Lanes(instr, warp);
    if constexpr (op == CastOp::SIToFP && sizeof(From) == 4 && std::is_same_v<To, float>)
        if (widthOf(instr->imm) == 32)
            return int32ToFloatLanes(instr, warp);
    VectorArg<From> a(warp, instr->a);
    uint64_t imm = instr->imm;
    forLanes(warp, warp.vector<To>(instr->dst), [&](int i) { return convert<op, From, To>(a[i], imm); });
    return instr + 1;
}

template <CastOp op, typename From, typename To>
const Instr* castScalar(const Instr* instr, Warp& warp)
{
    warp.setScalar<To>(instr->dst, convert<op, From, To>(warp.scalar<From>(instr->a), instr->imm));
    return instr + 1;
}

template <TernaryOp op, typename T>
[[gnu::always_inline]] inline T ternary(T a, T b, T c)
{
    if constexpr (op == TernaryOp::Fma)
        return std::fma(a, b, c);
    else {
        using U = std::make_unsigned_t<T>;
        constexpr unsigned kBits = sizeof(T) * 8;
        U high = static_cast<U>(a), low = static_cast<U>(b);
        unsigned shift = static_cast<unsigned>(c) % kBits;
        if (shift == 0)
            return op == TernaryOp::FunnelLeft ? a : b;
        return static_cast<T>(op == TernaryOp::FunnelLeft ? high << shift | low >> (kBits - shift)
                                                          : low >> shift | high << (kBits - shift));
    }
}

template <TernaryOp op, typename T>
const Instr* ternaryLanes(const Instr* instr, Warp& warp)
{
    VectorArg<T> a(warp, instr->a), b(warp, instr->b), c(warp, instr->c);
    forLanes(warp, warp.vector<T>(instr->dst), [&](int i) { return ternary<op, T>(a[i], b[i], c[i]); });
    return instr + 1;
}

template <TernaryOp op, typename T>
const Instr* ternaryScalar(const Instr* instr, Warp& warp)
{
    warp.setScalar<T>(instr->dst,
                      ternary<op, T>(warp.scalar<T>(instr->a), warp.scalar<T>(instr->b), warp.scalar<T>(instr->c)));
    return instr + 1;
}

template <typename T, template <typename> class C>
const Instr* selectLanes(const Instr* instr, Warp& warp)
{
    C<int32_t> condition(warp, instr->a);
    VectorArg<T> b(warp, instr->b), c(warp, instr->c);
#ifdef LS_BITCODE
    // Registers are values there, of which a copy from one of two places would make memory: nothing is known of the
    // mask.
    if constexpr (std::is_same_v<C<int32_t>, SplatArg<int32_t>>) {
        T chosen = T{0} - T{condition[0] != 0};
        asm("" : "+r"(chosen));
        forLanes(warp, warp.vector<T>(instr->dst), [&](int i) { return (b[i] & chosen) | (c[i] & ~chosen); });
        return instr + 1;
    }
#endif
    // Both are read: of the choice between two places a compiler makes a gather.
    forLanes(warp, warp.vector<T>(instr->dst), [&](int i) {
        const T ifTrue = b[i], ifFalse = c[i];
        return condition[i] ? ifTrue : ifFalse;
    });
    return instr + 1;
}

inline const Instr* selectScalar(const Instr* instr, Warp& warp)
{
    warp.scalars[instr->dst] = warp.scalar<int32_t>(instr->a) ? warp.scalars[instr->b] : warp.scalars[instr->c];
    return instr + 1;
}

template <typename T>
const Instr* broadcastLanes(const Instr* instr, Warp& warp)
{
    SplatArg<T> a(warp, instr->a);
    forLanes(warp, warp.vector<T>(instr->dst), [&](int i) { return a[i]; });
    return instr + 1;
}

template <typename T>
const Instr* firstLaneOf(const Instr* instr, Warp& warp)
{
    const T* lanes = warp.vector<T>(instr->a);
#ifdef LS_BITCODE
    // Registers are values there, which nobody can count into.
    T values[kWarpSize];
    __builtin_memcpy(values, lanes, sizeof values);
    lanes = values;
#endif
    warp.setScalar<T>(instr->dst, lanes[__builtin_ctz(warp.mask)]);
    return instr + 1;
}

#include "core/simt/machine/ops_fused.inl"

// Tables: enumerators to instantiations.

template <BinaryOp op, typename T>
constexpr Handler binaryFor(Form a, Form b)
{
    if (a == Form::Scalar)
        return b == Form::Scalar ? binaryScalar<op, T> : binaryLanes<op, T, SplatArg, VectorArg>;
    return b == Form::Scalar ? binaryLanes<op, T, VectorArg, SplatArg> : binaryLanes<op, T, VectorArg, VectorArg>;
}

template <CompareOp op, typename T>
constexpr Handler compareFor(Form a, Form b)
{
    if (a == Form::Scalar)
        return b == Form::Scalar ? compareScalar<op, T> : compareLanes<op, T, SplatArg, VectorArg>;
    return b == Form::Scalar ? compareLanes<op, T, VectorArg, SplatArg> : compareLanes<op, T, VectorArg, VectorArg>;
}

template <size_t... I>
constexpr Handler pickBinary(BinaryOp op, LaneType type, Form a, Form b, std::index_sequence<I...>)
{
    Handler result = nullptr;
    auto consider = [&]<size_t index>() {
        constexpr auto candidate = static_cast<BinaryOp>(index);
        constexpr bool isFloat = candidate >= BinaryOp::FAdd;
        if (op != candidate)
            return;
        if constexpr (isFloat) {
            if (type == LaneType::F32)
                result = binaryFor<candidate, float>(a, b);
            else if (type == LaneType::F64)
                result = binaryFor<candidate, double>(a, b);
        } else {
            if (type == LaneType::I32)
                result = binaryFor<candidate, int32_t>(a, b);
            else if (type == LaneType::I64)
                result = binaryFor<candidate, int64_t>(a, b);
        }
    };
    (consider.template operator()<I>(), ...);
    return result;
}

constexpr Handler selectBinary(BinaryOp op, LaneType type, Form a, Form b)
{
    return pickBinary(op, type, a, b, std::make_index_sequence<static_cast<size_t>(BinaryOp::Count)>{});
}

template <size_t... I>
constexpr Handler pickCompare(CompareOp op, LaneType type, Form a, Form b, std::index_sequence<I...>)
{
    Handler result = nullptr;
    auto consider = [&]<size_t index>() {
        constexpr auto candidate = static_cast<CompareOp>(index);
        constexpr bool isFloat = candidate >= CompareOp::FFalse;
        if (op != candidate)
            return;
        if constexpr (isFloat)
            result = type == LaneType::F32 ? compareFor<candidate, float>(a, b) : compareFor<candidate, double>(a, b);
        else
            result =
                type == LaneType::I32 ? compareFor<candidate, int32_t>(a, b) : compareFor<candidate, int64_t>(a, b);
    };
    (consider.template operator()<I>(), ...);
    return result;
}

constexpr Handler selectCompare(CompareOp op, LaneType type, Form a, Form b)
{
    return pickCompare(op, type, a, b, std::make_index_sequence<static_cast<size_t>(CompareOp::Count)>{});
}

/// The second instruction is looked at by itself where undefined values are followed.
template <Handler first, Handler second>
const Instr* runBoth(const Instr* instr, Warp& warp)
{
    const Instr* next = first(instr, warp);
    return warp.tracked ? next : second(next, warp);
}

template <Handler first, Handler second>
constexpr FusedPair kPairOf{first, second, runBoth<first, second>};

template <bool recording, size_t... I>
constexpr auto comparisonPairs(std::index_sequence<I...>)
{
    return std::array{kPairOf<compareScalar<static_cast<CompareOp>(I), int32_t>, branchScalar<recording>>...,
                      kPairOf<compareScalar<static_cast<CompareOp>(I), int64_t>, branchScalar<recording>>...};
}

constexpr std::array kPairs = [] {
    constexpr std::make_index_sequence<static_cast<size_t>(CompareOp::FFalse)> kIntegers;
    constexpr std::array kSums{kPairOf<binaryScalar<BinaryOp::Add, int32_t>, jumpTo>,
                               kPairOf<binaryScalar<BinaryOp::Add, int64_t>, jumpTo>};
    constexpr auto kBranches = comparisonPairs<false>(kIntegers);
    constexpr auto kRecorded = comparisonPairs<true>(kIntegers);
    std::array<FusedPair, kSums.size() + kBranches.size() + kRecorded.size()> pairs{};
    auto end = std::copy(kSums.begin(), kSums.end(), pairs.begin());
    end = std::copy(kBranches.begin(), kBranches.end(), end);
    std::copy(kRecorded.begin(), kRecorded.end(), end);
    return pairs;
}();

constexpr bool isFloatUnary(UnaryOp op)
{
    return op >= UnaryOp::FNeg && op <= UnaryOp::Rcp;
}

template <UnaryOp op, typename T>
constexpr Handler unaryFor(Form a)
{
    return a == Form::Scalar ? unaryScalar<op, T> : unaryLanes<op, T>;
}

template <size_t... I>
constexpr Handler pickUnary(UnaryOp op, LaneType type, Form a, std::index_sequence<I...>)
{
    Handler result = nullptr;
    auto consider = [&]<size_t index>() {
        constexpr auto candidate = static_cast<UnaryOp>(index);
        if (op != candidate)
            return;
        if constexpr (isFloatUnary(candidate))
            result = type == LaneType::F32 ? unaryFor<candidate, float>(a) : unaryFor<candidate, double>(a);
        else
            result = type == LaneType::I32 || type == LaneType::F32 ? unaryFor<candidate, int32_t>(a)
                                                                    : unaryFor<candidate, int64_t>(a);
    };
    (consider.template operator()<I>(), ...);
    return result;
}

constexpr Handler selectUnary(UnaryOp op, LaneType type, Form a)
{
    return pickUnary(op, type, a, std::make_index_sequence<static_cast<size_t>(UnaryOp::Count)>{});
}

template <CastOp op, typename From, typename To>
constexpr Handler castFor(Form a)
{
    return a == Form::Scalar ? castScalar<op, From, To> : castLanes<op, From, To>;
}

template <CastOp op, typename From>
constexpr Handler castToInteger(LaneType to, Form a)
{
    return to == LaneType::I32 ? castFor<op, From, uint32_t>(a) : castFor<op, From, uint64_t>(a);
}

template <CastOp op, typename From>
constexpr Handler castToFloat(LaneType to, Form a)
{
    return to == LaneType::F32 ? castFor<op, From, float>(a) : castFor<op, From, double>(a);
}

constexpr Handler selectCast(CastOp op, LaneType from, LaneType to, Form a)
{
    bool narrow = from == LaneType::I32 || from == LaneType::F32;
    switch (op) {
    case CastOp::Zext32To64:
        return castFor<CastOp::Zext32To64, uint32_t, uint64_t>(a);
    case CastOp::Sext:
        return narrow ? castToInteger<CastOp::Sext, uint32_t>(to, a) : castToInteger<CastOp::Sext, uint64_t>(to, a);
    case CastOp::Trunc:
        return narrow ? castToInteger<CastOp::Trunc, uint32_t>(to, a) : castToInteger<CastOp::Trunc, uint64_t>(to, a);
    case CastOp::Mask:
        return narrow ? castToInteger<CastOp::Mask, uint32_t>(to, a) : castToInteger<CastOp::Mask, uint64_t>(to, a);
    case CastOp::Bits32:
        return castFor<CastOp::Bits32, uint64_t, uint32_t>(a);
    case CastOp::SIToFP:
        return narrow ? castToFloat<CastOp::SIToFP, uint32_t>(to, a) : castToFloat<CastOp::SIToFP, uint64_t>(to, a);
    case CastOp::UIToFP:
        return narrow ? castToFloat<CastOp::UIToFP, uint32_t>(to, a) : castToFloat<CastOp::UIToFP, uint64_t>(to, a);
    case CastOp::FPToSI:
        return narrow ? castToInteger<CastOp::FPToSI, float>(to, a) : castToInteger<CastOp::FPToSI, double>(to, a);
    case CastOp::FPToUI:
        return narrow ? castToInteger<CastOp::FPToUI, float>(to, a) : castToInteger<CastOp::FPToUI, double>(to, a);
    case CastOp::F32ToF64:
        return castFor<CastOp::F32ToF64, float, double>(a);
    case CastOp::F64ToF32:
        return castFor<CastOp::F64ToF32, double, float>(a);
    case CastOp::Count:
        break;
    }
    return nullptr;
}

template <TernaryOp op, typename T>
constexpr Handler ternaryFor(bool scalar)
{
    return scalar ? ternaryScalar<op, T> : ternaryLanes<op, T>;
}

constexpr Handler selectTernary(TernaryOp op, LaneType type, bool scalar)
{
    if (op == TernaryOp::Fma)
        return type == LaneType::F32 ? ternaryFor<TernaryOp::Fma, float>(scalar)
                                     : ternaryFor<TernaryOp::Fma, double>(scalar);
    if (op == TernaryOp::FunnelLeft)
        return type == LaneType::I32 ? ternaryFor<TernaryOp::FunnelLeft, int32_t>(scalar)
                                     : ternaryFor<TernaryOp::FunnelLeft, int64_t>(scalar);
    return type == LaneType::I32 ? ternaryFor<TernaryOp::FunnelRight, int32_t>(scalar)
                                 : ternaryFor<TernaryOp::FunnelRight, int64_t>(scalar);
}

constexpr bool isNarrow(LaneType type)
{
    return type == LaneType::I32 || type == LaneType::F32;
}

constexpr Handler selectSelect(LaneType type, Form condition, bool scalarResult)
{
    if (scalarResult)
        return selectScalar;
    if (isNarrow(type))
        return condition == Form::Scalar ? selectLanes<uint32_t, SplatArg> : selectLanes<uint32_t, VectorArg>;
    return condition == Form::Scalar ? selectLanes<uint64_t, SplatArg> : selectLanes<uint64_t, VectorArg>;
}

constexpr Handler selectBroadcast(LaneType type)
{
    return isNarrow(type) ? broadcastLanes<uint32_t> : broadcastLanes<uint64_t>;
}
constexpr Handler selectFirstLane(LaneType type)
{
    return isNarrow(type) ? firstLaneOf<uint32_t> : firstLaneOf<uint64_t>;
}
constexpr Handler selectAddress()
{
    return addressLanes;
}
constexpr Handler selectAddressScalar()
{
    return addressUniform;
}
constexpr Handler selectNotePattern(bool wide)
{
    return wide ? notePattern<int64_t> : notePattern<int32_t>;
}
constexpr Handler selectCheckShape()
{
    return checkShape;
}

#include "core/simt/machine/handler_lists.inl"

#ifndef LS_BITCODE
#include "core/simt/machine/ops_pieces.inl"
#endif

}  // namespace

#ifndef LS_BITCODE
const HandlerSet& LS_ISA_FUNCTION()
{
    static constexpr HandlerSet kSet{
        LS_ISA_NAME,
        selectBinary,
        selectCompare,
        selectUnary,
        selectCast,
        selectTernary,
        selectSelect,
        selectBroadcast,
        selectFirstLane,
        selectAddress,
        selectAddressScalar,
        selectNotePattern,
        selectShuffle,
        selectCheckShape,
        selectLoad,
        selectStore,
        selectRecord,
        selectBranch,
        selectJump,
        switchLanes,
        kFused,
        kPairs,
        enterLanes<false>,
        enterLanes<true>,
        {kPlain.all(), 2 * kShuffles.size(), kAccesses.all(), kChecks, kTerminators.all(), &kCallees, sizeof kCallees}};
    return kSet;
}
#endif

}  // namespace lanescope::simt
