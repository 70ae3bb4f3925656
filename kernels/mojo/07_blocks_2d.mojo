# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Blocks in two dimensions. 5x5 ones, 2x2 blocks of 3x3 threads.
from gallery import dtype, ones, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 5
comptime TPB = 3
comptime square = row_major[SIZE, SIZE]()
comptime Square = TileTensor[dtype, type_of(square), MutAnyOrigin]


def add_10_blocks_2d(output: Square, a: Square):
    var row = block_dim.y * block_idx.y + thread_idx.y
    var col = block_dim.x * block_idx.x + thread_idx.x
    if row < SIZE and col < SIZE:
        output[row, col] = a[row, col] + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, ones(SIZE * SIZE))
    ctx.enqueue_function[add_10_blocks_2d](
        TileTensor(output, square), TileTensor(a, square), grid_dim=(2, 2), block_dim=(TPB, TPB)
    )
    var expected = List[Scalar[dtype]]()
    for _ in range(SIZE * SIZE):
        expected.append(11)
    report(ctx, output, expected)
