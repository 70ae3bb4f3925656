# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A convolution in one dimension, in one block: input and taps in shared memory. 6 elements, 3 taps, 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 6
comptime CONV = 3  # taps
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime taps = row_major[CONV]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]
comptime Taps = TileTensor[dtype, type_of(taps), MutAnyOrigin]


def conv_1d_simple(output: Vector, a: Vector, b: Taps):
    var shared_a = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var shared_b = stack_allocation[dtype, address_space=AddressSpace.SHARED](taps)
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x
    if global_i < SIZE:
        shared_a[local_i] = rebind[Scalar[dtype]](a[global_i])
    if local_i < CONV:
        shared_b[local_i] = b[local_i]
    barrier()

    if global_i < SIZE:
        var sum: Scalar[dtype] = 0
        for j in range(CONV):
            if local_i + j < SIZE:
                sum += rebind[Scalar[dtype]](shared_a[local_i + j]) * rebind[Scalar[dtype]](shared_b[j])
        output[global_i] = sum


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(CONV))
    ctx.enqueue_function[conv_1d_simple](
        TileTensor(output, vector), TileTensor(a, vector), TileTensor(b, taps), grid_dim=1, block_dim=TPB
    )
    report(ctx, output, [5, 8, 11, 14, 5, 0])
