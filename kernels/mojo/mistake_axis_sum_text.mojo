# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: the reduction's guard is `local_i < COLS` where `local_i < stride` is meant. A thread adds its neighbour's
# cell while the neighbour adds to it, a race, and threads near the end read past the tile. The corrected twin is
# 13_axis_sum_rows.mojo.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime ROWS = 4
comptime COLS = 6
comptime TPB = 8
comptime matrix = row_major[ROWS, COLS]()
comptime sums = row_major[ROWS, 1]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]
comptime Sums = TileTensor[dtype, type_of(sums), MutAnyOrigin]


def axis_sum_rows(output: Sums, a: Matrix):
    var cache = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var local_i = thread_idx.x
    var row = block_idx.y
    cache[local_i] = 0
    if local_i < COLS:
        cache[local_i] = rebind[Scalar[dtype]](a[row, local_i])
    barrier()

    var stride = TPB // 2
    while stride > 0:
        if local_i < COLS:
            cache[local_i] += cache[local_i + stride]
        barrier()
        stride //= 2
    if local_i == 0:
        output[row, 0] = rebind[Scalar[dtype]](cache[0])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, ROWS)
    var a = to_device(ctx, iota(ROWS * COLS))
    ctx.enqueue_function[axis_sum_rows](
        TileTensor(output, sums), TileTensor(a, matrix), grid_dim=(1, ROWS), block_dim=TPB
    )
    report(ctx, output, [15, 51, 87, 123])
