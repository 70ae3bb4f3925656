# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One thread per pair: each adds two elements. 4 elements, 1 block of 4 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 4
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def add(output: Vector, a: Vector, b: Vector):
    var i = thread_idx.x
    output[i] = a[i] + b[i]


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[add](
        TileTensor(output, vector), TileTensor(a, vector), TileTensor(b, vector), grid_dim=1, block_dim=SIZE
    )
    report(ctx, output, [0, 2, 4, 6])
