// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small layout tensor. A layout is shape and stride: where an element lies is the dot product of its index with the
// strides. A mode (rows, columns) may be split in two, each part with a stride of its own, which gives tiled layouts.
// Slices, tiles and each thread's share are layouts again, over the same data. `lanescope layout` prints any of them.
#pragma once

#include <cassert>

#if defined(__CUDACC__)
#define TENSOR_FUNCTION __host__ __device__ constexpr
#else
#define TENSOR_FUNCTION constexpr
#endif

struct Part {
    int extent = 1;
    int stride = 0;  // elements from one index to the next
};

/// The rows or the columns of a layout. Index i lies at i % inner.extent in the inner part, i / inner.extent in the
/// outer one.
struct Mode {
    Part inner;
    Part outer = {};

    TENSOR_FUNCTION int extent() const { return inner.extent * outer.extent; }
    TENSOR_FUNCTION bool is_split() const { return outer.extent > 1; }
    TENSOR_FUNCTION int operator()(int i) const
    {
        if (!is_split())
            return i * inner.stride;
        return i % inner.extent * inner.stride + i / inner.extent * outer.stride;
    }

    /// Whether the first \p count indices, or every \p count-th, are a mode again.
    TENSOR_FUNCTION bool divides(int count) const
    {
        return count > 0 && extent() % count == 0 && (inner.extent % count == 0 || count % inner.extent == 0);
    }
    /// The first \p count indices.
    TENSOR_FUNCTION Mode first(int count) const
    {
        assert(divides(count));
        if (count <= inner.extent)
            return {{count, inner.stride}};
        return {inner, {count / inner.extent, outer.stride}};
    }
    /// Every \p step-th index.
    TENSOR_FUNCTION Mode every(int step) const
    {
        assert(divides(step));
        if (step < inner.extent)
            return {{inner.extent / step, inner.stride * step}, outer};
        if (!is_split())
            return {{1, inner.stride * step}};
        return {{extent() / step, outer.stride * (step / inner.extent)}};
    }
};

struct Layout {
    Mode rows;
    Mode cols;

    TENSOR_FUNCTION int operator()(int row, int col) const { return rows(row) + cols(col); }
};

TENSOR_FUNCTION Layout row_major(int rows, int cols)
{
    return {{{rows, cols}}, {{cols, 1}}};
}

TENSOR_FUNCTION Layout column_major(int rows, int cols)
{
    return {{{rows, 1}}, {{cols, rows}}};
}

/// Tiles of tile_rows x tile_cols one after the other, row by row, and so the elements of each.
TENSOR_FUNCTION Layout tiled(int rows, int cols, int tile_rows, int tile_cols)
{
    assert(rows % tile_rows == 0 && cols % tile_cols == 0);
    return {{{tile_rows, tile_cols}, {rows / tile_rows, tile_rows * cols}},
            {{tile_cols, 1}, {cols / tile_cols, tile_rows * tile_cols}}};
}

/// Part of what a layout covers: it begins `offset` elements on.
struct Slice {
    Layout layout;
    int offset;
};

/// Tile (i, j) of a partition into tiles of tile_rows x tile_cols.
TENSOR_FUNCTION Slice tile_of(const Layout& whole, int tile_rows, int tile_cols, int i, int j)
{
    return {{whole.rows.first(tile_rows), whole.cols.first(tile_cols)}, whole(i * tile_rows, j * tile_cols)};
}

/// Every vector of vector_rows x vector_cols as one element: where its first element is.
TENSOR_FUNCTION Slice vectors_of(const Layout& whole, int vector_rows, int vector_cols)
{
    return {{whole.rows.every(vector_rows), whole.cols.every(vector_cols)}, 0};
}

/// The share of one thread when threads, numbered as \p threads says, take elements in turn: every so many rows and
/// columns as there are threads.
TENSOR_FUNCTION Slice share_of(const Layout& whole, const Layout& threads, int thread)
{
    for (int row = 0; row < threads.rows.extent(); ++row)
        for (int col = 0; col < threads.cols.extent(); ++col)
            if (threads(row, col) == thread)
                return {{whole.rows.every(threads.rows.extent()), whole.cols.every(threads.cols.extent())},
                        whole(row, col)};
    assert(!"no such thread in the layout");
    return {whole, 0};
}

/// A layout whose numbers are known when compiling: it takes no registers.
template <int Rows, int Cols, int RowStride = Cols, int ColStride = 1>
struct StaticLayout {
    TENSOR_FUNCTION operator Layout() const { return {{{Rows, RowStride}}, {{Cols, ColStride}}}; }
    TENSOR_FUNCTION int operator()(int row, int col) const { return row * RowStride + col * ColStride; }
};

/// Elements that lie elsewhere, seen through a layout. Trivially copyable: pass it to kernels by value.
template <class T, class Shape = Layout>
struct Tensor {
    T* data;
    Shape layout;

    TENSOR_FUNCTION int rows() const { return Layout(layout).rows.extent(); }
    TENSOR_FUNCTION int cols() const { return Layout(layout).cols.extent(); }

    TENSOR_FUNCTION T& operator()(int row, int col) const
    {
        assert(row >= 0 && row < rows() && col >= 0 && col < cols());
        return data[layout(row, col)];
    }

    TENSOR_FUNCTION Tensor<T> slice(const Slice& slice) const { return {data + slice.offset, slice.layout}; }
    TENSOR_FUNCTION Tensor<T> tile(int tile_rows, int tile_cols, int i, int j) const
    {
        return slice(tile_of(layout, tile_rows, tile_cols, i, j));
    }
    TENSOR_FUNCTION Tensor<T> vectorize(int vector_rows, int vector_cols) const
    {
        return slice(vectors_of(layout, vector_rows, vector_cols));
    }
    TENSOR_FUNCTION Tensor<T> distribute(const Layout& threads, int thread) const
    {
        return slice(share_of(layout, threads, thread));
    }
};

#undef TENSOR_FUNCTION
