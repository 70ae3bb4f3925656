# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One thread per element of a square. 2x2 elements, a block of 3x3 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 2
comptime TPB = 3
comptime square = row_major[SIZE, SIZE]()
comptime Square = TileTensor[dtype, type_of(square), MutAnyOrigin]


def add_10_2d(output: Square, a: Square):
    var row = thread_idx.y
    var col = thread_idx.x
    if row < SIZE and col < SIZE:
        output[row, col] = a[row, col] + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, iota(SIZE * SIZE))
    ctx.enqueue_function[add_10_2d](
        TileTensor(output, square), TileTensor(a, square), grid_dim=1, block_dim=(TPB, TPB)
    )
    report(ctx, output, [10, 11, 12, 13])
