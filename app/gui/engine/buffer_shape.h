// SPDX-License-Identifier: GPL-3.0-or-later
// How a buffer of any number of dimensions lies flat: rows and columns of cells. Long one-dimensional
// buffers fold into rows, outer dimensions stack downwards.
#pragma once

#include <QString>

#include "core/trace/model.h"

namespace lanescope::gui {

/// A cell's place in a drawn matrix; int64 so that ghost cells outside can be named too.
struct Cell {
    int64_t row = 0;
    int64_t column = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
};

struct BufferShape {
    uint64_t rows = 1;
    uint64_t columns = 1;
    uint64_t elements = 1;  ///< rows * columns, less in a ragged last row

    static BufferShape of(const trace::Buffer& buffer);

    [[nodiscard]] Cell cellOf(uint64_t element) const
    {
        return {static_cast<int64_t>(element / columns), static_cast<int64_t>(element % columns)};
    }
    [[nodiscard]] uint64_t elementOf(Cell cell) const
    {
        return static_cast<uint64_t>(cell.row) * columns + static_cast<uint64_t>(cell.column);
    }
};

/// "a[4][5]": the element by the buffer's own dims.
QString cellName(const trace::Buffer& buffer, uint64_t element);
/// "float[9][9]".
QString shapeText(const trace::Buffer& buffer);
/// "shared", "global", …
QString spaceText(trace::Space space);

}  // namespace lanescope::gui
