// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shuffles, votes, matches and reductions across a warp.
#include <bit>

#include "core/simt/checks/definedness.h"
#include "core/simt/checks/race_check.h"
#include "core/simt/machine/shuffle_source.h"
#include "core/simt/machine/warp_functions.h"
#include "core/simt/state/warp.h"

namespace lanescope::simt {
namespace {

uint64_t input(const WarpCall& call, Warp& warp, unsigned index, int lane)
{
    return call.wideIn[index] ? warp.vector<uint64_t>(call.in[index])[lane]
                              : warp.vector<uint32_t>(call.in[index])[lane];
}

void output(const WarpCall& call, Warp& warp, unsigned index, int lane, uint64_t bits)
{
    if (call.wideOut[index])
        warp.vector<uint64_t>(call.out[index])[lane] = bits;
    else
        warp.vector<uint32_t>(call.out[index])[lane] = static_cast<uint32_t>(bits);
}

template <typename F>
void forEachLane(LaneMask lanes, F f)
{
    for (; lanes; lanes &= lanes - 1)
        f(std::countr_zero(lanes));
}

constexpr uint64_t kIndex = static_cast<uint64_t>(ShuffleMode::Index), kUp = static_cast<uint64_t>(ShuffleMode::Up),
                   kDown = static_cast<uint64_t>(ShuffleMode::Down),
                   kButterfly = static_cast<uint64_t>(ShuffleMode::Butterfly);

/// Where each lane looks, by the registers \p b and \p c of shfl.sync; all lanes at once, as vectors.
template <ShuffleMode mode>
void findSources(const uint32_t* b, const uint32_t* c, uint32_t* sources, uint32_t* inRange)
{
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
        const ShuffleSource source = sourceOf(mode, static_cast<int32_t>(lane), b[lane], c[lane]);
        inRange[lane] = source.isInside;
        sources[lane] = source.isInside ? static_cast<uint32_t>(source.lane) : lane;
    }
}

void findSources(ShuffleMode mode, const uint32_t* b, const uint32_t* c, uint32_t* sources, uint32_t* inRange)
{
    switch (mode) {
    case ShuffleMode::Up:
        return findSources<ShuffleMode::Up>(b, c, sources, inRange);
    case ShuffleMode::Down:
        return findSources<ShuffleMode::Down>(b, c, sources, inRange);
    case ShuffleMode::Butterfly:
        return findSources<ShuffleMode::Butterfly>(b, c, sources, inRange);
    case ShuffleMode::Index:
        return findSources<ShuffleMode::Index>(b, c, sources, inRange);
    }
}

/// PTX shfl.sync: in = value, b, c. c holds the clamp in bits 0–4 and the segment mask in bits 8–12.
/// out = value, and whether the source lane was in range. A lane that does not take part gives 0, as GPUs mostly do.
void shuffle(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    uint32_t values[kWarpSize], sources[kWarpSize], inRange[kWarpSize];
    const uint32_t* const in = warp.vector<uint32_t>(call.in[0]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
        values[lane] = lanes >> lane & 1u ? in[lane] : 0;
    findSources(static_cast<ShuffleMode>(call.imm & 3), warp.vector<uint32_t>(call.in[1]),
                warp.vector<uint32_t>(call.in[2]), sources, inRange);
    uint32_t* const out = warp.vector<uint32_t>(call.out[0]);
    uint32_t* const tells = call.imm & kShuffleTellsRange ? warp.vector<uint32_t>(call.out[1]) : nullptr;
    for (LaneMask rest = lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        out[lane] = values[sources[lane] % kWarpSize];
        if (tells)
            tells[lane] = inRange[lane];
    }
    noteShuffle(warp, call, lanes, sources);
}

LaneMask ballotOf(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    LaneMask ballot = 0;
    forEachLane(lanes, [&](int lane) { ballot |= static_cast<LaneMask>(input(call, warp, 0, lane) != 0) << lane; });
    return ballot;
}

enum VoteMode : uint64_t { kAll, kAny, kUniform, kBallot };

void vote(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    LaneMask ballot = ballotOf(call, warp, lanes);
    uint32_t result = call.imm == kAll       ? ballot == lanes
                      : call.imm == kAny     ? ballot != 0
                      : call.imm == kUniform ? ballot == lanes || ballot == 0
                                             : ballot;
    forEachLane(lanes, [&](int lane) { output(call, warp, 0, lane, result); });
    // One lane that is sure may be enough to know.
    const LaneMask unsure = undefinedInputs(warp, call, lanes);
    const LaneMask yes = ballot & ~unsure, no = lanes & ~ballot & ~unsure;
    const bool isKnown = call.imm == kAll ? no != 0 : call.imm == kAny ? yes != 0 : call.imm == kUniform && yes && no;
    noteGathered(warp, call, lanes, unsure, call.imm == kBallot ? unsure : unsure && !isKnown ? 1 : 0);
}

/// What is computed of all values is undefined as soon as one of them is.
void gatherAll(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    const LaneMask unsure = undefinedInputs(warp, call, lanes);
    noteGathered(warp, call, lanes, unsure, unsure ? ~uint32_t{0} : 0);
}

void matchAny(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    LaneMask same[kWarpSize] = {};
    forEachLane(lanes, [&](int lane) {
        forEachLane(lanes, [&](int other) {
            if (input(call, warp, 0, lane) == input(call, warp, 0, other))
                same[lane] |= LaneMask{1} << other;
        });
    });
    forEachLane(lanes, [&](int lane) { output(call, warp, 0, lane, same[lane]); });
    gatherAll(call, warp, lanes);
}

/// imm: with a second result that says whether all are the same.
void matchAll(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    uint64_t first = input(call, warp, 0, std::countr_zero(lanes));
    bool all = true;
    forEachLane(lanes, [&](int lane) { all &= input(call, warp, 0, lane) == first; });
    forEachLane(lanes, [&](int lane) {
        output(call, warp, 0, lane, all ? lanes : 0);
        if (call.imm)
            output(call, warp, 1, lane, all);
    });
    gatherAll(call, warp, lanes);
}

enum ReduceMode : uint64_t { kAdd, kMin, kMax, kUMin, kUMax, kAnd, kOr, kXor };

uint32_t reduceTwo(uint64_t mode, uint32_t a, uint32_t b)
{
    auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
    switch (mode) {
    case kAdd:
        return a + b;
    case kMin:
        return sa < sb ? a : b;
    case kMax:
        return sa > sb ? a : b;
    case kUMin:
        return a < b ? a : b;
    case kUMax:
        return a > b ? a : b;
    case kAnd:
        return a & b;
    case kOr:
        return a | b;
    default:
        return a ^ b;
    }
}

void reduce(const WarpCall& call, Warp& warp, LaneMask lanes)
{
    auto result = static_cast<uint32_t>(input(call, warp, 0, std::countr_zero(lanes)));
    forEachLane(lanes & (lanes - 1), [&](int lane) {
        result = reduceTwo(call.imm, result, static_cast<uint32_t>(input(call, warp, 0, lane)));
    });
    forEachLane(lanes, [&](int lane) { output(call, warp, 0, lane, result); });
    gatherAll(call, warp, lanes);
}

constexpr WarpOperation kOperations[] = {
    {"bar.warp.sync", syncWarp, 0, 0, "__syncwarp"},
    {"shfl.sync.idx.i32", shuffle, kIndex, 0, "__shfl_sync", true},
    {"shfl.sync.idx.f32", shuffle, kIndex, 0, "__shfl_sync", true},
    {"shfl.sync.up.i32", shuffle, kUp, 0, "__shfl_up_sync", true},
    {"shfl.sync.up.f32", shuffle, kUp, 0, "__shfl_up_sync", true},
    {"shfl.sync.down.i32", shuffle, kDown, 0, "__shfl_down_sync", true},
    {"shfl.sync.down.f32", shuffle, kDown, 0, "__shfl_down_sync", true},
    {"shfl.sync.bfly.i32", shuffle, kButterfly, 0, "__shfl_xor_sync", true},
    {"shfl.sync.bfly.f32", shuffle, kButterfly, 0, "__shfl_xor_sync", true},
    {"shfl.sync.idx.i32p", shuffle, kIndex | kShuffleTellsRange, 0, "shfl.sync.idx"},
    {"shfl.sync.up.i32p", shuffle, kUp | kShuffleTellsRange, 0, "shfl.sync.up"},
    {"shfl.sync.down.i32p", shuffle, kDown | kShuffleTellsRange, 0, "shfl.sync.down"},
    {"shfl.sync.bfly.i32p", shuffle, kButterfly | kShuffleTellsRange, 0, "shfl.sync.bfly"},
    {"vote.all.sync", vote, kAll, 0, "__all_sync"},
    {"vote.any.sync", vote, kAny, 0, "__any_sync"},
    {"vote.uni.sync", vote, kUniform, 0, "__uni_sync"},
    {"vote.ballot.sync", vote, kBallot, 0, "__ballot_sync"},
    {"match.any.sync.i32", matchAny, 0, 0, "__match_any_sync"},
    {"match.any.sync.i64", matchAny, 0, 0, "__match_any_sync"},
    {"match.all.sync.i32p", matchAll, 1, 0, "__match_all_sync"},
    {"match.all.sync.i64p", matchAll, 1, 0, "__match_all_sync"},
    {"redux.sync.add", reduce, kAdd, 1, "__reduce_add_sync"},
    {"redux.sync.min", reduce, kMin, 1, "__reduce_min_sync"},
    {"redux.sync.max", reduce, kMax, 1, "__reduce_max_sync"},
    {"redux.sync.umin", reduce, kUMin, 1, "__reduce_min_sync"},
    {"redux.sync.umax", reduce, kUMax, 1, "__reduce_max_sync"},
    {"redux.sync.and", reduce, kAnd, 1, "__reduce_and_sync"},
    {"redux.sync.or", reduce, kOr, 1, "__reduce_or_sync"},
    {"redux.sync.xor", reduce, kXor, 1, "__reduce_xor_sync"},
};

}  // namespace

void syncWarp(const WarpCall&, Warp& warp, LaneMask lanes)
{
    meetLanes(warp, lanes);
}

const WarpOperation* warpOperation(std::string_view name)
{
    for (const WarpOperation& operation : kOperations)
        if (operation.name == name)
            return &operation;
    return nullptr;
}

}  // namespace lanescope::simt
