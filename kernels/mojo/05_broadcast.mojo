# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A column and a row, each repeated to a square and added. 2x2 elements, a block of 3x3 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 2
comptime TPB = 3
comptime square = row_major[SIZE, SIZE]()
comptime column = row_major[SIZE, 1]()
comptime line = row_major[1, SIZE]()
comptime Square = TileTensor[dtype, type_of(square), MutAnyOrigin]
comptime Column = TileTensor[dtype, type_of(column), MutAnyOrigin]
comptime Line = TileTensor[dtype, type_of(line), MutAnyOrigin]


def broadcast_add(output: Square, a: Column, b: Line):
    var row = thread_idx.y
    var col = thread_idx.x
    if row < SIZE and col < SIZE:
        output[row, col] = rebind[Scalar[dtype]](a[row, 0]) + rebind[Scalar[dtype]](b[0, col])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[broadcast_add](
        TileTensor(output, square),
        TileTensor(a, column),
        TileTensor(b, line),
        grid_dim=1,
        block_dim=(TPB, TPB),
    )
    report(ctx, output, [0, 1, 1, 2])
