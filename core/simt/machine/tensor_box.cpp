// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/simt/machine/tensor_box.h"

#include <algorithm>

namespace lanescope::simt {
namespace {

using device::TensorMap;

/// Bytes whose pieces are exchanged among each other; 0: none are.
uint32_t swizzledBytes(TensorMap::Swizzle swizzle)
{
    return swizzle == TensorMap::Swizzle::None ? 0 : 16u << static_cast<unsigned>(swizzle);
}

}  // namespace

TensorBox::TensorBox(const TensorMap& map, const Coordinates& corner, const Offsets& offsets)
    : m_map(map), m_firstByte(hasRowForEachPlace() ? 0 : int64_t{corner[0]} * map.innermostBytes())
{
    const uint32_t rowBytes = map.rowBytes();
    m_unit = map.isInterleaved() ? map.innermostBytes() : rowBytes;
    m_step = map.isInterleaved() ? m_unit * map.elementStrides[0] : rowBytes;
    m_rowPieces = rowBytes / kPieceBytes;
    m_pitch = map.isInterleaved() ? rowBytes : std::max(rowBytes, swizzledBytes(map.swizzle));
    if (map.isIm2col)
        addPixels(corner, offsets);
    else
        addTiledRows(corner);
}

void TensorBox::addRow(const std::array<int64_t, TensorMap::kMostDimensions>& at)
{
    Row row{m_map.address, true};
    if (hasRowForEachPlace()) {
        row.isInside = at[0] >= 0 && static_cast<uint64_t>(at[0]) < m_map.extents[0];
        row.address += static_cast<uint64_t>(at[0]) * m_map.innermostBytes();
    }
    for (unsigned i = 1; i < m_map.rank; ++i) {
        row.isInside &= at[i] >= 0 && static_cast<uint64_t>(at[i]) < m_map.extents[i];
        row.address += static_cast<uint64_t>(at[i]) * m_map.strides[i - 1];
    }
    m_rows.push_back(row);
}

/// Elements follow each other by their strides.
void TensorBox::addTiledRows(const Coordinates& corner)
{
    std::array<uint32_t, TensorMap::kMostDimensions> counts{}, index{};
    uint32_t rows = 1;
    for (unsigned i = 1; i < m_map.rank; ++i) {
        counts[i] = m_map.taken(i);
        rows *= counts[i];
    }
    m_rows.reserve(rows);
    for (uint32_t row = 0; row < rows; ++row) {
        std::array<int64_t, TensorMap::kMostDimensions> at{};
        for (unsigned i = 1; i < m_map.rank; ++i)
            at[i] = int64_t{corner[i]} + int64_t{index[i]} * m_map.elementStrides[i];
        addRow(at);
        for (unsigned i = 1; i < m_map.rank && ++index[i] == counts[i]; ++i)
            index[i] = 0;
    }
}

/// Pixels follow each other inside the bounding box, from image to image. Their places are the dimensions between the
/// channels and the images, of an interleaved tensor those before the slices of channels, of which one is taken.
void TensorBox::addPixels(const Coordinates& corner, const Offsets& offsets)
{
    const unsigned begin = m_map.firstPlace(), places = m_map.rank - 2, image = m_map.rank - 1;
    std::array<int64_t, TensorMap::kMostDimensions> pixel{};
    std::ranges::copy(corner, pixel.begin());
    for (uint32_t count = 0; count < m_map.pixels; ++count) {
        std::array<int64_t, TensorMap::kMostDimensions> at = pixel;
        for (unsigned i = 0; i < places; ++i)
            at[begin + i] += offsets[i];
        addRow(at);
        unsigned i = 0;
        for (; i < places; ++i) {
            pixel[begin + i] += m_map.elementStrides[begin + i];
            if (pixel[begin + i] < static_cast<int64_t>(m_map.extents[begin + i]) + m_map.upperCorner[i])
                break;
            pixel[begin + i] = m_map.lowerCorner[i];
        }
        if (i == places)
            pixel[image] += m_map.elementStrides[image];
    }
}

TensorBox::Piece TensorBox::piece(uint32_t index, uint64_t place) const
{
    const Row& row = m_rows[index / m_rowPieces];
    const uint32_t inRow = index % m_rowPieces * kPieceBytes;
    Piece piece;
    piece.offset = index / m_rowPieces * m_pitch + inRow;
    if (const uint32_t bytes = swizzledBytes(m_map.swizzle)) {
        // Bits 4 to 6 of an address, as far as pieces are exchanged, by bits 7 to 9.
        const uint64_t straight = place + piece.offset;
        piece.offset = static_cast<uint32_t>((straight ^ (straight >> 7 & (bytes / kPieceBytes - 1)) << 4) - place);
    }
    const int64_t first = m_firstByte + int64_t{inRow / m_unit} * m_step + inRow % m_unit;
    piece.address = row.address + static_cast<uint64_t>(first);
    if (!row.isInside)
        return piece;
    const auto inside = static_cast<int64_t>(m_map.extents[0] * m_map.innermostBytes());
    piece.first = static_cast<uint32_t>(std::clamp<int64_t>(-first, 0, kPieceBytes));
    piece.end = static_cast<uint32_t>(std::clamp<int64_t>(inside - first, piece.first, kPieceBytes));
    return piece;
}

}  // namespace lanescope::simt
