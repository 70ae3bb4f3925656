// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code for a GPU of compute capability 9.0 calls instead of the instructions that this module takes apart: which
// bytes a copy of a tensor's box moves, and where a product finds the rows of its matrices. As the simulator has it
// (core/simt/machine/tensor_box.cpp, matrix_descriptors.cpp).
#include "core/device/kept_tensor_map.h"
#include "instrumented/device/warp.h"

using namespace lanescope::cuda;
using lanescope::device::KeptTensorMap;
using lanescope::device::kTensorMapMark;

namespace {

constexpr uint32_t kPieceBytes = 16;

/// By the numbers of CUtensorMapDataType.
LS_INLINE uint32_t elementBytes(const KeptTensorMap& map)
{
    switch (map.type) {
    case 0:
        return 1;
    case 1:
    case 6:
    case 9:
        return 2;
    case 4:
    case 5:
    case 8:
        return 8;
    default:
        return 4;
    }
}

LS_INLINE uint32_t swizzledBytes(const KeptTensorMap& map)
{
    return map.swizzle == 0 ? 0 : 16u << map.swizzle;
}

LS_INLINE uint32_t rowBytes(const KeptTensorMap& map)
{
    return (map.lastOfBox[0] + 1u) * elementBytes(map);
}

/// Bytes from one row to the next in shared memory.
LS_INLINE uint32_t pitchOf(const KeptTensorMap& map)
{
    const uint32_t bytes = rowBytes(map), swizzled = swizzledBytes(map);
    return bytes > swizzled ? bytes : swizzled;
}

LS_INLINE uint32_t countAlong(const KeptTensorMap& map, uint32_t dimension)
{
    return (map.lastOfBox[dimension] + map.elementStrides[dimension]) / map.elementStrides[dimension];
}

LS_INLINE uint32_t rowsOf(const KeptTensorMap& map)
{
    uint32_t rows = 1;
    for (uint32_t i = 1; i < map.rank; ++i)
        rows *= countAlong(map, i);
    return rows;
}

LS_INLINE int64_t atMost(int64_t value, int64_t limit)
{
    return value < limit ? value : limit;
}
LS_INLINE int64_t atLeast(int64_t value, int64_t limit)
{
    return value > limit ? value : limit;
}

LS_INLINE uint32_t ownRank()
{
    uint32_t rank = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/// Where shared memory of that block begins, in the cluster's window.
LS_INLINE uint32_t sharedOf(uint32_t rank)
{
    uint32_t begin = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(begin) : "r"(0), "r"(rank));
    return begin;
}

/// Of an address of the window.
LS_INLINE uint64_t genericOf(uint32_t window)
{
    uint64_t generic = 0;
    asm("cvta.shared.u64 %0, %1;" : "=l"(generic) : "l"((uint64_t)window));
    return generic;
}

struct Descriptor {
    uint64_t start, leading, stride;
    uint64_t width;  ///< pieces that follow each other
    bool exchanges;

    LS_INLINE explicit Descriptor(uint64_t bits)
        : start((bits & 0x3fff) * kPieceBytes), leading((bits >> 16 & 0x3fff) * kPieceBytes),
          stride((bits >> 32 & 0x3fff) * kPieceBytes), width(bits >> 62 == 0 ? 1 : 16 >> (bits >> 62)),
          exchanges(bits >> 62 != 0)
    {
    }
    LS_INLINE uint64_t at(uint64_t offset) const
    {
        const uint64_t straight = start + offset;
        const uint64_t place = straight ^ ((straight >> 7 & (width - 1)) << 4);
        // Of a block of a cluster, addresses have its rank above the 18 bits of a descriptor.
        return genericOf(sharedOf(ownRank()) | (uint32_t)place);
    }
};

}  // namespace

/// Bytes that a barrier counts for a box, and on top, from bit 32 on, those from its beginning to its end. A map that
/// is none, or not for tiles of \p rank dimensions, ends the kernel.
LS_EXPORT LS_APART uint64_t __lanescope_box(const KeptTensorMap* map, uint32_t rank)
{
    if (map->mark != kTensorMapMark || map->rank != rank || map->interleave != 0 || map->flags != 0)
        __builtin_trap();
    const uint32_t rows = rowsOf(*map);
    return (uint64_t)(rows * rowBytes(*map)) | (uint64_t)(rows * pitchOf(*map)) << 32;
}

/// Pieces of 16 bytes of a box.
LS_EXPORT LS_APART uint32_t __lanescope_box_pieces(const KeptTensorMap* map)
{
    return rowsOf(*map) * (rowBytes(*map) / kPieceBytes);
}

/// Of a piece: piece[0] is its first byte in global memory, piece[1] that in shared memory, both of the whole piece;
/// bytes piece[2] to piece[3] of it are inside the tensor.
LS_EXPORT LS_APART void __lanescope_box_piece(const KeptTensorMap* map, uint64_t tile, int32_t x, int32_t y, int32_t z,
                                              int32_t u, int32_t v, uint32_t index, uint64_t* piece)
{
    const int32_t corner[KeptTensorMap::kDimensions] = {x, y, z, u, v};
    const uint32_t perRow = rowBytes(*map) / kPieceBytes, inRow = index % perRow * kPieceBytes;
    uint32_t row = index / perRow, offset = row * pitchOf(*map) + inRow;
    if (const uint32_t bytes = swizzledBytes(*map)) {
        const uint64_t straight = tile + offset;
        offset = (uint32_t)((straight ^ (straight >> 7 & (bytes / kPieceBytes - 1)) << 4) - tile);
    }
    const int64_t first = (int64_t)x * elementBytes(*map) + inRow;
    uint64_t address = map->address + (uint64_t)first;
    bool isInside = true;
    for (uint32_t i = 1; i < map->rank; ++i) {
        const uint32_t count = countAlong(*map, i);
        const int64_t at = corner[i] + (int64_t)(row % count) * map->elementStrides[i];
        row /= count;
        isInside &= at >= 0 && (uint64_t)at <= map->lastElements[i];
        address += (uint64_t)at * map->strides[i - 1];
    }
    const auto inside = (int64_t)(((uint64_t)map->lastElements[0] + 1) * elementBytes(*map));
    const int64_t begin = isInside ? atMost(atLeast(-first, 0), kPieceBytes) : 0;
    piece[0] = address;
    piece[1] = tile + offset;
    piece[2] = (uint64_t)begin;
    piece[3] = isInside ? (uint64_t)atMost(atLeast(inside - first, begin), kPieceBytes) : 0;
}

LS_EXPORT LS_APART uint64_t __lanescope_matrix_row_k(uint64_t descriptor, uint32_t row, uint32_t piece)
{
    const Descriptor matrix(descriptor);
    return matrix.at(row / 8 * matrix.stride + row % 8 * matrix.width * kPieceBytes +
                     piece * (matrix.exchanges ? kPieceBytes : matrix.leading));
}

LS_EXPORT LS_APART uint64_t __lanescope_matrix_row_mn(uint64_t descriptor, uint32_t piece, uint32_t k)
{
    const Descriptor matrix(descriptor);
    const uint64_t pieces = piece / matrix.width * (matrix.exchanges ? matrix.leading : matrix.stride);
    const uint64_t depth = k / 8 * (matrix.exchanges ? matrix.stride : matrix.leading);
    return matrix.at(piece % matrix.width * kPieceBytes + pieces + k % 8 * matrix.width * kPieceBytes + depth);
}

/// Of addresses of the shared window, which fit in 32 bits, and of generic ones.
LS_EXPORT LS_APART uint64_t __lanescope_map_rank(uint64_t address, uint32_t rank)
{
    if (address >> 32 == 0) {
        uint32_t mapped = 0;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"((uint32_t)address), "r"(rank));
        return mapped;
    }
    uint64_t mapped = 0;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
}

LS_EXPORT LS_APART uint32_t __lanescope_rank_of(uint64_t address)
{
    uint32_t rank = 0;
    if (address >> 32 == 0)
        asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"((uint32_t)address));
    else
        asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}

/// Where shared memory of the block of a rank begins, as a generic address; of this block for ranks there are not.
LS_EXPORT LS_APART uint64_t __lanescope_shared_of(uint32_t rank)
{
    uint32_t blocks = 0;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return genericOf(sharedOf(rank < blocks ? rank : ownRank()));
}

LS_EXPORT LS_APART uint32_t __lanescope_explicit_cluster()
{
    uint32_t explicitly = 0;
    asm("{\n.reg .pred has;\nmov.pred has, %%is_explicit_cluster;\nselp.u32 %0, 1, 0, has;\n}" : "=r"(explicitly));
    return explicitly;
}
