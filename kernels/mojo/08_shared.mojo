# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each block works on a copy in shared memory. 8 ones, 2 blocks of 4 threads.
from gallery import dtype, ones, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 4
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def add_10_shared(output: Vector, a: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x
    if global_i < SIZE:
        shared[local_i] = rebind[Scalar[dtype]](a[global_i])
    barrier()
    if global_i < SIZE:
        output[global_i] = rebind[Scalar[dtype]](shared[local_i]) + 10


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, ones(SIZE))
    ctx.enqueue_function[add_10_shared](
        TileTensor(output, vector), TileTensor(a, vector), grid_dim=2, block_dim=TPB
    )
    report(ctx, output, [11, 11, 11, 11, 11, 11, 11, 11])
