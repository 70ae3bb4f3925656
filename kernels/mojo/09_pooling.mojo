# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pooling: each element becomes the sum of itself and the two before it, read from shared memory. 8 elements, 1 block
# of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def pooling(output: Vector, a: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x
    if global_i < SIZE:
        shared[local_i] = a[global_i]
    barrier()
    if global_i < SIZE:
        var sum = shared[local_i]
        if local_i > 0:
            sum += shared[local_i - 1]
        if local_i > 1:
            sum += shared[local_i - 2]
        output[global_i] = sum


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[pooling](TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 9, 12, 15, 18])
