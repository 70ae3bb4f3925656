# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One thread per element: each adds ten to its own. 4 elements, 1 block of 4 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 4
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def add_10(output: Vector, a: Vector):
    var i = thread_idx.x
    output[i] = a[i] + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[add_10](TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=SIZE)
    report(ctx, output, [10, 11, 12, 13])
