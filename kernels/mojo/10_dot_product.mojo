# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A dot product: every thread multiplies a pair, then a tree in shared memory adds the products, half as many threads
# each round. 8 elements, 1 block of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime single = row_major[1]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]
comptime Single = TileTensor[dtype, type_of(single), MutAnyOrigin]


def dot_product(output: Single, a: Vector, b: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x
    if global_i < SIZE:
        shared[local_i] = a[global_i] * b[global_i]
    else:
        shared[local_i] = 0
    barrier()

    var stride = TPB // 2
    while stride > 0:
        if local_i < stride:
            shared[local_i] += shared[local_i + stride]
        barrier()
        stride //= 2
    if local_i == 0:
        output[0] = rebind[Scalar[dtype]](shared[0])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, 1)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[dot_product](
        TileTensor(output, single), TileTensor(a, vector), TileTensor(b, vector), grid_dim=1, block_dim=TPB
    )
    report(ctx, output, [140])
