// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes of tensors (cp.async.bulk.tensor and its kin), piece by piece, each an access of the thread that asks
// for the copy.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "core/device/tensor_map.h"
#include "core/simt/checks/access_check.h"
#include "core/simt/checks/async_reads.h"
#include "core/simt/machine/handlers.h"
#include "core/simt/machine/late_copies.h"
#include "core/simt/machine/pieces.h"
#include "core/simt/machine/tensor_box.h"
#include "core/simt/state/block.h"
#include "core/simt/state/grid_state.h"
#include "core/simt/state/lane_memory.h"

namespace lanescope::simt {
namespace {

using device::TensorMap;

/// As a GPU ends a kernel over an illegal instruction.
void refuse(Warp& warp, const TensorCopy& copy, int lane, FindingKind kind, const std::string& message,
            const char* help)
{
    reportProgramFault(warp, kind, copy.global.staticSite, lane, message, help);
    warp.block->stop = true;
    warp.block->trapped = true;
    warp.block->stopReason = {kind, message};
}

/// Of one lane's copy. None: it must not be made, which has been reported.
class CopyRequest {
public:
    CopyRequest(Warp& warp, const TensorCopy& copy, int lane) : m_warp(warp), m_copy(copy), m_lane(lane) {}

    [[nodiscard]] std::optional<TensorMap> map() const
    {
        const uint64_t address = wide(m_copy.mapAddress);
        const std::byte* bytes = checkedAddress(m_warp, m_copy.map, m_lane, address, false);
        if (!bytes)
            return std::nullopt;
        const std::optional<TensorMap> map = device::readTensorMap(std::span(bytes, TensorMap::kBytes));
        const std::string problem = map ? problemOf(*map)
                                        : "is none that cuTensorMapEncodeTiled or "
                                          "cuTensorMapEncodeIm2col has made, or was written over";
        if (problem.empty())
            return map;
        refuse(m_warp, m_copy, m_lane, FindingKind::OutOfBounds, "the tensor map of this copy " + problem,
               "hand the map that the host has encoded to the kernel as a const __grid_constant__ parameter, or copy "
               "its 128 bytes, and copy by as many coordinates, and in the mode, that it was encoded for");
        return std::nullopt;
    }

    [[nodiscard]] TensorBox::Coordinates corner() const
    {
        TensorBox::Coordinates all{};
        for (unsigned i = 0; i < m_copy.rank; ++i)
            all[i] = m_warp.vector<int32_t>(m_copy.coordinates[i])[m_lane];
        return all;
    }
    [[nodiscard]] TensorBox::Offsets offsets() const
    {
        TensorBox::Offsets all{};
        for (unsigned i = 0; i < all.size() && m_copy.offsets[i] != UINT32_MAX; ++i)
            all[i] = static_cast<uint16_t>(m_warp.vector<uint32_t>(m_copy.offsets[i])[m_lane]);
        return all;
    }

    [[nodiscard]] uint64_t tile() const { return wide(m_copy.sharedAddress); }

    /// Whether an H100 would make the copy, whose accesses are looked at one by one; what not is reported.
    [[nodiscard]] bool isAllowed(const TensorMap& map) const
    {
        constexpr uint64_t kTileAlignment = 128;
        const TensorBox::Coordinates at = corner();
        const int64_t first = int64_t{at[0]} * map.innermostBytes();
        const bool writesTensor = m_copy.way == TensorCopy::Way::Store || m_copy.way == TensorCopy::Way::Reduce;
        if (first % TensorBox::kPieceBytes != 0) {
            refuse(m_warp, m_copy, m_lane, FindingKind::Misaligned,
                   fmt::format("the box begins at element {} of a row, at byte {}, which is no multiple of {}", at[0],
                               first, TensorBox::kPieceBytes),
                   "copy boxes that begin at whole 16 bytes of a row");
            return false;
        }
        if (m_copy.way != TensorCopy::Way::Prefetch && placeInBlock() % kTileAlignment != 0) {
            refuse(m_warp, m_copy, m_lane, FindingKind::Misaligned,
                   fmt::format("the box lies at byte {} of the block's shared memory, which is not aligned to {} bytes",
                               placeInBlock(), kTileAlignment),
                   "keep what is copied in bulk where shared memory is aligned: alignas(128), or 1024 where 128 bytes "
                   "are swizzled");
            return false;
        }
        const auto* before = std::ranges::find_if(at, [](int32_t each) { return each < 0; });
        if (!writesTensor || before == at.end())
            return true;
        refuse(m_warp, m_copy, m_lane, FindingKind::OutOfBounds,
               fmt::format("a copy to a tensor begins at coordinate {}: only copies from one may begin before it",
                           *before),
               "begin inside the tensor; what lies behind its end is left out");
        return false;
    }

    /// Where the tile begins in its block's shared memory. Outside of all arrays: as if there were one; the accesses
    /// say so.
    [[nodiscard]] uint64_t placeInBlock() const
    {
        const ObjectEntry* object = objectOf(m_warp, tile());
        const std::byte* shared = ownerOf(m_warp, tile()).shared;
        return offsetIn(m_warp, tile()) + (object ? static_cast<uint64_t>(object->host - shared) : 0);
    }

private:
    [[nodiscard]] uint64_t wide(uint32_t reg) const { return m_warp.vector<uint64_t>(reg)[m_lane]; }

    [[nodiscard]] std::string problemOf(const TensorMap& map) const
    {
        if (std::string problem = tensorMapProblem(map); !problem.empty())
            return "breaks a rule: " + problem;
        if (map.rank != m_copy.rank)
            return fmt::format("is of a tensor of {} dimensions, and the instruction has {} coordinates", map.rank,
                               m_copy.rank);
        if (map.isIm2col != m_copy.isIm2col)
            return map.isIm2col ? "is for im2col, and the instruction copies tiles"
                                : "is for tiles, and the instruction copies im2col";
        return {};
    }

    Warp& m_warp;
    const TensorCopy& m_copy;
    int m_lane;
};

/// What floating-point elements outside the tensor are, on request.
constexpr uint16_t kNaNFill = 0x7ff7;

/// To the nearest with 10 fraction bits, ties to even.
uint32_t roundedToTf32(uint32_t bits)
{
    constexpr uint32_t kInfinity = 0x7f800000, kNaN = 0x7fffe000, kCut = 0x1fff;
    if ((bits & 0x7fffffff) > kInfinity)
        return kNaN;
    return (bits + (kCut >> 1) + (bits >> 13 & 1)) & ~kCut;
}

/// One lane's copy of a box, and the accesses that it is made of.
class BoxMover {
public:
    BoxMover(Warp& warp, const TensorCopy& copy, int lane, const TensorMap& map)
        : m_warp(warp), m_copy(copy), m_map(map), m_lane(static_cast<size_t>(lane))
    {
    }

    void load(const TensorBox::Piece& piece, uint64_t tile)
    {
        auto& data = m_piece.data[m_lane];
        auto& undefined = m_piece.undefined[m_lane];
        undefined = {};
        if (piece.first < piece.end)
            access(m_copy.global, piece.address + piece.first, piece.end - piece.first, false);
        shift(data.data(), piece);
        shift(reinterpret_cast<std::byte*>(undefined.data()), piece);
        for (uint32_t at = 0; at < TensorBox::kPieceBytes; at += 2)
            if (at < piece.first || at >= piece.end)
                fill(data.data() + at, std::min(2u, TensorBox::kPieceBytes - at));
        if (m_map.type == TensorMap::Type::TFloat32 || m_map.type == TensorMap::Type::TFloat32Ftz)
            round(piece);
        access(m_copy.shared, tile + piece.offset, TensorBox::kPieceBytes, true);
    }

    void store(const TensorBox::Piece& piece, uint64_t tile)
    {
        if (piece.first >= piece.end)
            return;
        access(m_copy.shared, tile + piece.offset + piece.first, piece.end - piece.first, false);
        access(m_copy.global, piece.address + piece.first, piece.end - piece.first, true);
    }

    /// \p isLate: memory stays as it is until the copy's wait.
    void reduce(const TensorBox::Piece& piece, uint64_t tile, const AtomicInfo& info, bool isLate)
    {
        if (piece.first >= piece.end)
            return;
        if (isLate)
            m_warp.block->late->postponeUpdate(
                m_warp, static_cast<int>(m_lane), endOfGroups(m_warp, AsyncStream::Bulk, static_cast<int>(m_lane), 0),
                piece.address + piece.first, tile + piece.offset + piece.first, piece.end - piece.first, info);
        AtomicInfo made = info;
        if (isLate) {
            made.op = AtomicOp::Or;  // of no bits
            made.isFloat = false;
        }
        access(m_copy.shared, tile + piece.offset + piece.first, piece.end - piece.first, false);
        const LaneMask outer = m_warp.mask;
        m_warp.mask = LaneMask{1} << m_lane;
        for (uint32_t at = 0; at < piece.end - piece.first; at += info.memory.bytes) {
            uint64_t value = 0;
            UpdatedLanes after{};
            if (!isLate)
                std::memcpy(&value, m_piece.data[m_lane].data() + at, info.memory.bytes);
            m_piece.addresses[m_lane] = piece.address + piece.first + at;
            updateAt(m_warp, made, static_cast<int>(m_lane), m_piece.addresses[m_lane], value, 0, after[m_lane][0]);
            if (m_warp.recorder)
                recordAccess(m_warp, info.memory, m_piece.addresses, after.data(), 16);
        }
        m_warp.mask = outer;
    }

private:
    using UpdatedLanes = std::array<std::array<uint64_t, 2>, kWarpSize>;

    void access(const MemoryInfo& info, uint64_t address, unsigned bytes, bool isWrite)
    {
        m_piece.addresses[m_lane] = address;
        movePiece(m_warp, info, LaneMask{1} << m_lane, bytes, m_piece, isWrite);
    }
    /// What was read from its first byte on goes to where it is in the piece; undefined: bits of zero are defined.
    static void shift(std::byte* bytes, const TensorBox::Piece& piece)
    {
        std::memmove(bytes + piece.first, bytes, piece.end - piece.first);
        std::memset(bytes, 0, piece.first);
        std::memset(bytes + piece.end, 0, TensorBox::kPieceBytes - piece.end);
    }
    void fill(std::byte* at, unsigned bytes) const
    {
        if (m_map.fillsWithNaN)
            std::memcpy(at, &kNaNFill, bytes);
    }
    void round(const TensorBox::Piece& piece)
    {
        for (uint32_t at = piece.first; at < piece.end; at += 4) {
            uint32_t bits = 0;
            std::memcpy(&bits, m_piece.data[m_lane].data() + at, 4);
            bits = roundedToTf32(bits);
            std::memcpy(m_piece.data[m_lane].data() + at, &bits, 4);
        }
    }

    Warp& m_warp;
    const TensorCopy& m_copy;
    const TensorMap& m_map;
    size_t m_lane;
    Piece m_piece;
};

std::optional<AtomicOp> sumOf(TensorMap::Type type)
{
    switch (type) {
    case TensorMap::Type::Float16:
        return AtomicOp::HalfAdd;
    case TensorMap::Type::BFloat16:
        return AtomicOp::BFloatAdd;
    case TensorMap::Type::Float32:
    case TensorMap::Type::Float32Ftz:
    case TensorMap::Type::Float64:
        return AtomicOp::FAdd;
    case TensorMap::Type::UInt32:
    case TensorMap::Type::Int32:
    case TensorMap::Type::UInt64:
    case TensorMap::Type::Int64:
        return AtomicOp::Add;
    default:
        return std::nullopt;
    }
}

std::optional<AtomicOp> extremeOf(TensorMap::Type type, bool larger)
{
    switch (type) {
    case TensorMap::Type::Float16:
        return larger ? AtomicOp::HalfMax : AtomicOp::HalfMin;
    case TensorMap::Type::BFloat16:
        return larger ? AtomicOp::BFloatMax : AtomicOp::BFloatMin;
    case TensorMap::Type::UInt32:
    case TensorMap::Type::UInt64:
        return larger ? AtomicOp::UMax : AtomicOp::UMin;
    case TensorMap::Type::Int32:
    case TensorMap::Type::Int64:
        return larger ? AtomicOp::Max : AtomicOp::Min;
    default:
        return std::nullopt;
    }
}

/// None: elements of that type cannot be reduced so.
std::optional<AtomicOp> operationOf(TensorCopy::Reduction reduction, const TensorMap& map)
{
    using Reduction = TensorCopy::Reduction;
    const bool isWord = !map.isFloat() && map.elementBytes() >= 4;
    switch (reduction) {
    case Reduction::Add:
        return sumOf(map.type);
    case Reduction::Min:
    case Reduction::Max:
        return extremeOf(map.type, reduction == Reduction::Max);
    case Reduction::Inc:
    case Reduction::Dec:
        if (map.type != TensorMap::Type::UInt32)
            return std::nullopt;
        return reduction == Reduction::Inc ? AtomicOp::Inc : AtomicOp::Dec;
    case Reduction::And:
        return isWord ? std::optional(AtomicOp::And) : std::nullopt;
    case Reduction::Or:
        return isWord ? std::optional(AtomicOp::Or) : std::nullopt;
    case Reduction::Xor:
        return isWord ? std::optional(AtomicOp::Xor) : std::nullopt;
    }
    return std::nullopt;
}

void store(Warp& warp, int lane, BoxMover& mover, const TensorBox::Piece& piece, uint64_t tile)
{
    if (LateCopies* late = warp.block->late; late && piece.first < piece.end)
        late->beginWrite(warp, lane, piece.address + piece.first, tile + piece.offset + piece.first,
                         piece.end - piece.first);
    mover.store(piece, tile);
}

void move(Warp& warp, const TensorCopy& copy, int lane, const TensorMap& map, const TensorBox& box)
{
    const CopyRequest request(warp, copy, lane);
    const uint64_t tile = request.tile(), place = request.placeInBlock();
    BoxMover mover(warp, copy, lane, map);
    AtomicInfo info;
    if (copy.way == TensorCopy::Way::Reduce) {
        const std::optional<AtomicOp> operation = operationOf(copy.reduction, map);
        if (!operation)
            return refuse(warp, copy, lane, FindingKind::OutOfBounds,
                          "elements of the tensor map's type cannot be reduced by this operation",
                          "encode the map with a type that the reduction is for");
        info.op = *operation;
        info.isFloat = map.isFloat();
        info.memory = copy.global;
        info.memory.bytes = static_cast<uint8_t>(map.elementBytes());
        info.memory.components = 1;
        info.memory.alignment = map.elementBytes();
    }
    const bool isLate = copy.way == TensorCopy::Way::Reduce && warp.block->late && warp.block->late->isNextLate();
    for (uint32_t i = 0; i < box.pieces() && !warp.block->stop; ++i) {
        const TensorBox::Piece piece = box.piece(i, place);
        if (copy.way == TensorCopy::Way::Load)
            mover.load(piece, tile);
        else if (copy.way == TensorCopy::Way::Store)
            store(warp, lane, mover, piece, tile);
        else
            mover.reduce(piece, tile, info, isLate);
    }
}

/// For who wants to know what lies in shared memory. Boxes whose rows lie apart there are no arrays; slices of
/// interleaved ones have elements that the map's dimensions do not name.
void noteBox(Warp& warp, const TensorMap& map, const TensorBox& box, uint64_t tile)
{
    if (map.isIm2col || map.isInterleaved() || box.span() != box.bytes())
        return;
    CopiedBox noted{{}, map.rank, map.elementBytes()};
    for (unsigned i = 0; i < map.rank; ++i)
        noted.extents[i] = map.taken(i);
    warp.block->grid->noteBox(addressInBlock(warp, tile), noted);
}

void copyBox(Warp& warp, const TensorCopy& copy, int lane)
{
    const CopyRequest request(warp, copy, lane);
    const std::optional<TensorMap> map = request.map();
    if (!map || !request.isAllowed(*map) || copy.way == TensorCopy::Way::Prefetch)
        return;
    const TensorBox box(*map, request.corner(), request.offsets());
    warp.vector<uint32_t>(copy.bytes)[lane] = box.bytes();
    warp.vector<uint32_t>(copy.span)[lane] = box.span();
    if (warp.recorder && copy.way == TensorCopy::Way::Load)
        noteBox(warp, *map, box, request.tile());
    if (LateCopies* late = warp.block->late; late && copy.way == TensorCopy::Way::Load)
        late->begin(warp, lane, request.tile(), box.span());
    move(warp, copy, lane, *map, box);
}

}  // namespace

const Instr* runTensorCopy(const Instr* instr, Warp& warp)
{
    const auto& copy = *reinterpret_cast<const TensorCopy*>(instr->imm);
    for (LaneMask rest = warp.mask; rest && !warp.block->stop; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        warp.vector<uint32_t>(copy.bytes)[lane] = warp.vector<uint32_t>(copy.span)[lane] = 0;
        copyBox(warp, copy, lane);
    }
    if (!warp.block->stop)
        return instr + 1;
    warp.splits[warp.current].ip = instr;
    return nullptr;
}

}  // namespace lanescope::simt
