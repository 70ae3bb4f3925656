# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sum of each column: one thread per column walks down; the threads of a warp read neighbouring elements. 4x6
# elements, 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

comptime ROWS = 4
comptime COLS = 6
comptime TPB = 8
comptime matrix = row_major[ROWS, COLS]()
comptime sums = row_major[1, COLS]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]
comptime Sums = TileTensor[dtype, type_of(sums), MutAnyOrigin]


def axis_sum_columns(output: Sums, a: Matrix):
    var col = block_dim.x * block_idx.x + thread_idx.x
    if col >= COLS:
        return
    var sum: Scalar[dtype] = 0
    for row in range(ROWS):
        sum += rebind[Scalar[dtype]](a[row, col])
    output[0, col] = sum


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, COLS)
    var a = to_device(ctx, iota(ROWS * COLS))
    ctx.enqueue_function[axis_sum_columns](
        TileTensor(output, sums), TileTensor(a, matrix), grid_dim=1, block_dim=TPB
    )
    report(ctx, output, [36, 40, 44, 48, 52, 56])
