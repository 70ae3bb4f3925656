// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small layout tensor. A layout is shape and stride; where an element lies is the dot product of its index with the
// strides. Slices, tiles and each thread's share are layouts again, over the same data.
#pragma once

#include <cassert>

#if defined(__CUDACC__)
#define TENSOR_FUNCTION __host__ __device__
#else
#define TENSOR_FUNCTION
#endif

struct Layout {
    int rows;
    int cols;
    int row_stride;  // elements from a row to the next
    int col_stride;  // elements from a column to the next

    TENSOR_FUNCTION int operator()(int row, int col) const { return row * row_stride + col * col_stride; }
};

TENSOR_FUNCTION inline Layout row_major(int rows, int cols)
{
    return {rows, cols, cols, 1};
}

TENSOR_FUNCTION inline Layout column_major(int rows, int cols)
{
    return {rows, cols, 1, rows};
}

/// Elements that lie elsewhere, seen through a layout. Trivially copyable: pass it to kernels by value.
template <class T>
struct Tensor {
    T* data;
    Layout layout;

    TENSOR_FUNCTION int rows() const { return layout.rows; }
    TENSOR_FUNCTION int cols() const { return layout.cols; }

    TENSOR_FUNCTION T& operator()(int row, int col) const
    {
        assert(row >= 0 && row < layout.rows && col >= 0 && col < layout.cols);
        return data[layout(row, col)];
    }

    /// Tile (i, j) of a partition into tiles of tile_rows x tile_cols.
    TENSOR_FUNCTION Tensor tile(int tile_rows, int tile_cols, int i, int j) const
    {
        return {data + layout(i * tile_rows, j * tile_cols),
                {tile_rows, tile_cols, layout.row_stride, layout.col_stride}};
    }

    /// Every vector of vector_rows x vector_cols as one element: where its first element is.
    TENSOR_FUNCTION Tensor vectorize(int vector_rows, int vector_cols) const
    {
        return {data,
                {layout.rows / vector_rows, layout.cols / vector_cols, layout.row_stride * vector_rows,
                 layout.col_stride * vector_cols}};
    }

    /// The share of one thread when threads, laid out as \p threads, take elements in turn: every threads.rows-th row
    /// and every threads.cols-th column. \p thread: which one, in the order of the thread layout's own strides.
    TENSOR_FUNCTION Tensor distribute(const Layout& threads, int thread) const
    {
        const int row = thread / threads.row_stride % threads.rows;
        const int col = thread / threads.col_stride % threads.cols;
        return {data + layout(row, col),
                {layout.rows / threads.rows, layout.cols / threads.cols, layout.row_stride * threads.rows,
                 layout.col_stride * threads.cols}};
    }
};

#undef TENSOR_FUNCTION
