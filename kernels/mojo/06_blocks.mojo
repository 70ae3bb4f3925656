# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Several blocks share the elements: a thread's element is its place in the grid. 9 elements, 3 blocks of 4 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 9
comptime TPB = 4
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def add_10_blocks(output: Vector, a: Vector):
    var i = block_dim.x * block_idx.x + thread_idx.x
    if i < SIZE:
        output[i] = a[i] + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[add_10_blocks](
        TileTensor(output, vector), TileTensor(a, vector), grid_dim=3, block_dim=TPB
    )
    report(ctx, output, [10, 11, 12, 13, 14, 15, 16, 17, 18])
