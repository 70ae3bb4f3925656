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

void movePiece(Warp& warp, const MemoryInfo& access, LaneMask mask, unsigned bytes, Piece& piece, bool isWrite)
{
    MemoryInfo info = access;
    info.bytes = static_cast<uint8_t>(bytes);
    info.components = 1;
    LaneMask outer = warp.mask;
    warp.mask = mask;
    for (LaneMask rest = mask; rest; rest &= rest - 1) {
        int lane = std::countr_zero(rest);
        auto index = static_cast<size_t>(lane);
        std::byte* host = checkedAddress(warp, info, lane, piece.addresses[index], isWrite);
        if (host)
            checkLaneAt(warp, info, lane, piece.addresses[index], bytes, isWrite ? piece.data[index].data() : nullptr,
                        false);
        if (host && isWrite) {
            std::memcpy(host, piece.data[index].data(), bytes);
            for (unsigned at = 0; at < bytes; at += 8)
                setDefinedBits(warp, lane, piece.addresses[index] + at, std::min(bytes - at, 8u),
                               piece.undefined[index][at / 8]);
        } else if (host) {
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
        std::memmove(target.host, source.host, lengths[index]);
        if (target.defined && source.defined)
            std::memmove(target.defined, source.defined, lengths[index]);
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
