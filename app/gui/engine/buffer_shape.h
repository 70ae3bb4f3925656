// SPDX-License-Identifier: GPL-3.0-or-later
// How a buffer of any number of dimensions lies flat: rows and columns of cells. Long one-dimensional
// buffers fold into rows; of three and more dimensions the matrices of the last two stand side by side as slices.
#pragma once

#include <QString>

#include "core/base/result.h"
#include "core/trace/model.h"

namespace lanescope::gui {

/// A cell's place in a drawn matrix; int64 so that ghost cells outside can be named too.
struct Cell {
    int64_t row = 0;
    int64_t column = 0;
    friend bool operator==(const Cell&, const Cell&) = default;
};

/// A shape that the user gave a buffer.
struct ShapeChoice {
    uint64_t rows = 1;
    uint64_t columns = 1;
    bool columnMajor = false;  ///< neighbours in memory are below each other

    /// "32 x 64", "64" (columns alone), "32 x 64 columns" (column-major), for a buffer of \p elements; 0: of any
    /// size, rows given. An error says what was expected.
    static Result<ShapeChoice> parse(const QString& text, uint64_t elements);
    /// As parse() takes it.
    [[nodiscard]] QString text() const;
    friend bool operator==(const ShapeChoice&, const ShapeChoice&) = default;
};

struct BufferShape {
    uint64_t rows = 1;
    uint64_t columns = 1;
    uint64_t elements = 1;  ///< rows * columns, less in a ragged last row

    bool columnMajor = false;
    uint64_t sliceRows = 0;  ///< of one slice; 0: there are none
    uint64_t sliceColumns = 0;

    [[nodiscard]] bool hasSlices() const { return sliceRows != 0; }
    /// Elements that follow each other in memory and in a row.
    [[nodiscard]] uint64_t rowLength() const { return hasSlices() ? sliceColumns : columns; }

    static BufferShape of(const trace::Buffer& buffer);
    [[nodiscard]] BufferShape reshaped(const ShapeChoice& choice) const;

    [[nodiscard]] Cell cellOf(uint64_t element) const
    {
        if (hasSlices())
            return cellInSlices(element);
        if (columnMajor)
            return {static_cast<int64_t>(element % rows), static_cast<int64_t>(element / rows)};
        return {static_cast<int64_t>(element / columns), static_cast<int64_t>(element % columns)};
    }
    /// Cells that are no element's, in a ragged last row or where a slice is missing, give `elements` or more.
    [[nodiscard]] uint64_t elementOf(Cell cell) const
    {
        if (hasSlices())
            return elementInSlices(cell);
        if (columnMajor)
            return static_cast<uint64_t>(cell.column) * rows + static_cast<uint64_t>(cell.row);
        return static_cast<uint64_t>(cell.row) * columns + static_cast<uint64_t>(cell.column);
    }
    /// The number of the slice that a cell is in; 0 where there are none.
    [[nodiscard]] uint64_t sliceOf(Cell cell) const
    {
        if (!hasSlices())
            return 0;
        return static_cast<uint64_t>(cell.row) / sliceRows * (columns / sliceColumns) +
               static_cast<uint64_t>(cell.column) / sliceColumns;
    }
    /// A slice's first cell.
    [[nodiscard]] Cell sliceCorner(uint64_t slice) const
    {
        if (!hasSlices())
            return {};
        const uint64_t across = columns / sliceColumns;
        return {static_cast<int64_t>(slice / across * sliceRows), static_cast<int64_t>(slice % across * sliceColumns)};
    }
    /// A cell's row and column in its slice.
    [[nodiscard]] Cell withinSlice(Cell cell) const
    {
        const Cell corner = hasSlices() && cell.row >= 0 && cell.column >= 0 ? sliceCorner(sliceOf(cell)) : Cell{};
        return {cell.row - corner.row, cell.column - corner.column};
    }

private:
    [[nodiscard]] Cell cellInSlices(uint64_t element) const
    {
        const uint64_t within = element % (sliceRows * sliceColumns);
        const Cell corner = sliceCorner(element / (sliceRows * sliceColumns));
        return {corner.row + static_cast<int64_t>(within / sliceColumns),
                corner.column + static_cast<int64_t>(within % sliceColumns)};
    }
    [[nodiscard]] uint64_t elementInSlices(Cell cell) const
    {
        return sliceOf(cell) * sliceRows * sliceColumns + static_cast<uint64_t>(cell.row) % sliceRows * sliceColumns +
               static_cast<uint64_t>(cell.column) % sliceColumns;
    }
};

/// How many of \p slices slices of that many rows and columns stand beside each other, for a picture about as high as
/// wide.
uint64_t slicesAcross(uint64_t slices, uint64_t rows, uint64_t columns);

/// "a[4][5]": the element by the buffer's own dims.
QString cellName(const trace::Buffer& buffer, uint64_t element);
/// The buffer that \p finding is about; null where the trace has none of its name.
const trace::Buffer* bufferOf(const trace::Catalog& catalog, const trace::Finding& finding);
/// "a[4][5]", as the buffer's declared shape has it, also where the finding has a flat index of one with rows.
QString cellName(const trace::Catalog& catalog, const trace::Finding& finding);
/// "float[9][9]".
QString shapeText(const trace::Buffer& buffer);
/// "shared", "global", …
QString spaceText(trace::Space space);

}  // namespace lanescope::gui
