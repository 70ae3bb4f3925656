// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills of memory by the byte: structs whole where that is all there is to it, else in pieces, lane by lane.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/simt/checks/access_check.h"
#include "core/simt/checks/definedness.h"
#include "core/simt/checks/product_registers.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/lane_functions.h"
#include "core/simt/machine/pieces.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {

namespace {

/// Where the lanes of a piece find their bytes.
struct Places {
    std::array<std::byte*, kWarpSize> hosts{};
    LaneMask sound = 0;                   ///< lanes that may access theirs
    const ObjectEntry* object = nullptr;  ///< of the block's own or the grid's, if all of these are in one
    uint32_t offsets[kWarpSize]{};        ///< there
};

Places findPlaces(Warp& warp, const MemoryInfo& info, const uint64_t* addresses, bool isWrite)
{
    Places found;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto index = static_cast<size_t>(lane);
        found.hosts[index] = checkedAddress(warp, info, lane, addresses[index], isWrite);
        if (!found.hosts[index])
            continue;
        const ObjectEntry* object = namedBlock(warp, addresses[index]) ? nullptr : objectOf(warp, addresses[index]);
        found.object = found.sound == 0 || found.object == object ? object : nullptr;
        found.offsets[index] = offsetIn(warp, addresses[index]);
        found.sound |= LaneMask{1} << lane;
    }
    return found;
}

/// Of the lanes that may access their bytes, those whose race check is to be made one by one.
LaneMask lanesToCheck(Warp& warp, const MemoryInfo& info, const Places& places, bool isWrite)
{
    if (!places.sound || !places.object)
        return places.sound;
    if (!places.object->races)
        return 0;
    static const HandlerSet& handlers = bestHandlers();
    return (isWrite ? handlers.enterWrites : handlers.enterReads)(warp, info, *places.object, places.offsets,
                                                                  places.sound);
}

}  // namespace

void movePiece(Warp& warp, const MemoryInfo& access, LaneMask mask, unsigned bytes, Piece& piece, bool isWrite)
{
    MemoryInfo info = access;
    info.bytes = static_cast<uint8_t>(bytes);
    info.components = 1;
    LaneMask outer = warp.mask;
    warp.mask = mask;
    const Places places = findPlaces(warp, info, piece.addresses, isWrite);
    const LaneMask toCheck = lanesToCheck(warp, info, places, isWrite);
    for (LaneMask rest = places.sound; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto index = static_cast<size_t>(lane);
        std::byte* host = places.hosts[index];
        if (toCheck >> lane & 1)
            checkLaneAt(warp, info, lane, piece.addresses[index], bytes, isWrite ? piece.data[index].data() : nullptr,
                        false);
        if (isWrite) {
            std::memcpy(host, piece.data[index].data(), bytes);
            for (unsigned at = 0; at < bytes; at += 8)
                setDefinedBits(warp, lane, piece.addresses[index] + at, std::min(bytes - at, 8u),
                               piece.undefined[index][at / 8]);
        } else {
            std::memcpy(piece.data[index].data(), host, bytes);
            for (unsigned at = 0; at < bytes; at += 8)
                piece.undefined[index][at / 8] =
                    undefinedBits(warp, lane, piece.addresses[index] + at, std::min(bytes - at, 8u));
        }
    }
    if (warp.recorder)
        recordAccess(warp, info, piece.addresses, piece.data.data(), 16);
    warp.mask = outer;
}

namespace {

/// Lanes that still have at least \p bytes to go at \p done.
LaneMask lanesWithRest(Warp& warp, const uint64_t* lengths, uint64_t done, uint64_t bytes)
{
    LaneMask mask = 0;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        if (lengths[lane] >= done + bytes)
            mask |= LaneMask{1} << lane;
    }
    return mask;
}

/// Calls step(mask, done, bytes) for pieces of a power of two that cover every lane's length.
template <typename Step>
void forPieces(Warp& warp, const uint64_t* lengths, Step step)
{
    uint64_t done = 0;
    while (lanesWithRest(warp, lengths, done, 1)) {
        unsigned bytes = 16;
        while (bytes > 1 && lanesWithRest(warp, lengths, done, bytes) != lanesWithRest(warp, lengths, done, 1))
            bytes /= 2;
        step(lanesWithRest(warp, lengths, done, bytes), done, bytes);
        done += bytes;
    }
}

/// Where a lane's bytes begin in memory that no other thread uses; null `host`: they are not such bytes.
struct PrivateBytes {
    std::byte* host = nullptr;
    std::byte* defined = nullptr;  ///< as ObjectEntry::defined
    uint64_t laneStride = 0;       ///< to where the next lane has the same address

    [[nodiscard]] PrivateBytes ofLaneBehind(int lanes) const
    {
        const uint64_t way = laneStride * static_cast<unsigned>(lanes);
        return {host + way, defined ? defined + way : nullptr, laneStride};
    }
};

PrivateBytes privateBytes(const Warp& warp, const MemoryInfo& info, int lane, uint64_t address, uint64_t bytes,
                          bool isWrite)
{
    const ObjectEntry* object = objectOf(warp, address);
    const uint64_t offset = static_cast<uint32_t>(address);
    if (!object || object->freed || object->heap || object->races || offset + bytes > object->bytes ||
        (address & (info.alignment - 1)) != 0 || object->partlyUndefined ||
        (isWrite && (object->readOnly || object->laneStride == 0)))
        return {};
    const uint64_t own = offset + laneOffset(warp, *object, lane);
    return {object->host + own, object->defined ? object->defined + own : nullptr, object->laneStride};
}

template <size_t bytes>
void moveExactly(std::byte* to, const std::byte* from)
{
    std::array<std::byte, bytes> between;
    std::memcpy(between.data(), from, bytes);
    std::memcpy(to, between.data(), bytes);
}

/// As memmove, which takes longer to be called than to move what most structs are.
void moveBytes(std::byte* to, const std::byte* from, size_t bytes)
{
    switch (bytes) {
    case 2:
        return moveExactly<2>(to, from);
    case 4:
        return moveExactly<4>(to, from);
    case 8:
        return moveExactly<8>(to, from);
    case 12:
        return moveExactly<12>(to, from);
    case 16:
        return moveExactly<16>(to, from);
    case 32:
        return moveExactly<32>(to, from);
    default:
        std::memmove(to, from, bytes);
    }
}

/// Structs that are copied to local memory: with nothing to record and nobody to race with, whole. False: something is
/// not so, and nothing has been copied.
bool copyPrivately(Warp& warp, const MemoryInfo* infos, const uint64_t* to, const uint64_t* from,
                   const uint64_t* lengths)
{
    if (warp.recorder)
        return false;
    std::array<PrivateBytes, kWarpSize> sources, targets;
    int before = -1;
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const auto index = static_cast<size_t>(lane), last = static_cast<size_t>(before);
        // A variable has one address for all lanes.
        if (before >= 0 && from[index] == from[last] && to[index] == to[last] && lengths[index] == lengths[last]) {
            sources[index] = sources[last].ofLaneBehind(lane - before);
            targets[index] = targets[last].ofLaneBehind(lane - before);
        } else {
            sources[index] = privateBytes(warp, infos[0], lane, from[index], lengths[index], false);
            targets[index] = privateBytes(warp, infos[1], lane, to[index], lengths[index], true);
            if (!sources[index].host || !targets[index].host)
                return false;
        }
        before = lane;
    }
    for (LaneMask rest = warp.mask; rest; rest &= rest - 1) {
        const auto index = static_cast<size_t>(std::countr_zero(rest));
        const PrivateBytes &source = sources[index], &target = targets[index];
        moveBytes(target.host, source.host, lengths[index]);
        if (target.defined && source.defined)
            moveBytes(target.defined, source.defined, lengths[index]);
        else if (target.defined)
            std::memset(target.defined, 0xff, lengths[index]);
    }
    return true;
}

}  // namespace

const Instr* runMemoryCopy(const Instr* instr, Warp& warp)
{
    const auto* infos = reinterpret_cast<const MemoryInfo*>(instr->imm);  // [0] source, [1] destination
    std::array<uint64_t, kWarpSize> to, from, lengths;
    std::memcpy(to.data(), warp.vector<uint64_t>(instr->dst), sizeof to);
    std::memcpy(from.data(), warp.vector<uint64_t>(instr->a), sizeof from);
    std::memcpy(lengths.data(), warp.vector<uint64_t>(instr->b), sizeof lengths);
    if (const auto first = static_cast<size_t>(std::countr_zero(warp.mask)); warp.products)
        warp.products->copy(warp, to[first], from[first], lengths[first],
                            warp.block->program->sites[infos[1].staticSite].where);
    if (copyPrivately(warp, infos, to.data(), from.data(), lengths.data()))
        return instr + 1;
    forPieces(warp, lengths.data(), [&](LaneMask mask, uint64_t done, unsigned bytes) {
        Piece piece;
        for (size_t i = 0; i < kWarpSize; ++i)
            piece.addresses[i] = from[i] + done;
        movePiece(warp, infos[0], mask, bytes, piece, false);
        for (size_t i = 0; i < kWarpSize; ++i)
            piece.addresses[i] = to[i] + done;
        movePiece(warp, infos[1], mask, bytes, piece, true);
    });
    return instr + 1;
}

const Instr* runMemorySet(const Instr* instr, Warp& warp)
{
    const auto& info = *reinterpret_cast<const MemoryInfo*>(instr->imm);
    std::array<uint64_t, kWarpSize> to, lengths;
    std::memcpy(to.data(), warp.vector<uint64_t>(instr->dst), sizeof to);
    std::memcpy(lengths.data(), warp.vector<uint64_t>(instr->b), sizeof lengths);
    const uint32_t* values = warp.vector<uint32_t>(instr->a);
    forPieces(warp, lengths.data(), [&](LaneMask mask, uint64_t done, unsigned bytes) {
        Piece piece;
        for (size_t i = 0; i < kWarpSize; ++i) {
            piece.addresses[i] = to[i] + done;
            piece.data[i].fill(static_cast<std::byte>(values[i]));
        }
        movePiece(warp, info, mask, bytes, piece, true);
    });
    return instr + 1;
}

}  // namespace lanescope::simt
