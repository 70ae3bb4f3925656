// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The box of a tensor that one copy moves: which bytes of global memory go where in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/device/tensor_map.h"

namespace lanescope::simt {

/// In pieces of 16 bytes, which neither swizzling nor the edge of a dimension but the innermost one divides. As an
/// H100, interleaved an H200, does it (tests/simt/programs/tensor_copies.cu).
class TensorBox {
public:
    static constexpr uint32_t kPieceBytes = 16;
    using Coordinates = std::array<int32_t, device::TensorMap::kMostDimensions>;
    using Offsets = std::array<uint16_t, device::TensorMap::kMostDimensions - 2>;

    /// \p corner: elements, of the innermost dimension first; of a map for im2col, the first pixel. \p offsets: added
    /// to a pixel's place where it is read. The map obeys CUDA's rules.
    TensorBox(const device::TensorMap& map, const Coordinates& corner, const Offsets& offsets);

    [[nodiscard]] uint32_t pieces() const { return static_cast<uint32_t>(m_rows.size()) * m_rowPieces; }
    /// What a barrier counts: all elements, those outside the tensor too.
    [[nodiscard]] uint32_t bytes() const { return pieces() * kPieceBytes; }
    /// Of shared memory from the box's beginning to its end, bytes between the rows included.
    [[nodiscard]] uint32_t span() const { return static_cast<uint32_t>(m_rows.size()) * m_pitch; }

    struct Piece {
        uint64_t address = 0;  ///< in global memory, of its first byte, were that inside
        uint32_t offset = 0;   ///< in shared memory, from the box's beginning
        uint32_t first = 0;    ///< bytes [first, end) of it are inside the tensor
        uint32_t end = 0;
    };
    /// \p place: where the box begins in the block's shared memory; swizzling goes by the bits of addresses there.
    [[nodiscard]] Piece piece(uint32_t index, uint64_t place) const;

private:
    struct Row {
        uint64_t address = 0;  ///< of the innermost coordinate 0
        bool isInside = false;
    };
    void addTiledRows(const Coordinates& corner);
    void addPixels(const Coordinates& corner, const Offsets& offsets);
    /// The innermost dimension counts places of pixels: each has a row of its own.
    [[nodiscard]] bool hasRowForEachPlace() const { return m_map.isIm2col && m_map.firstPlace() == 0; }
    void addRow(const std::array<int64_t, device::TensorMap::kMostDimensions>& at);

    device::TensorMap m_map;
    int64_t m_firstByte;  ///< of a row, from the innermost coordinate 0
    uint32_t m_unit;      ///< bytes that follow each other in both memories
    uint32_t m_step;      ///< bytes from one unit to the next in global memory
    uint32_t m_rowPieces;
    uint32_t m_pitch;  ///< bytes from one row to the next in shared memory
    std::vector<Row> m_rows;
};

}  // namespace lanescope::simt
