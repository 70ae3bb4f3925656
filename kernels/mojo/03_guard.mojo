# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# More threads than elements: a guard keeps the rest away. 4 elements, 1 block of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 4
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def add_10_guard(output: Vector, a: Vector):
    var i = thread_idx.x
    if i < SIZE:
        output[i] = a[i] + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[add_10_guard](
        TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=TPB
    )
    report(ctx, output, [10, 11, 12, 13])
