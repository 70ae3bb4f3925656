# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A convolution over several blocks: each needs the first elements of the next block as well, its halo, and loads them
# too. Past the end both are zero. 15 elements, 4 taps, 2 blocks of 8 threads, a halo of 3.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 15
comptime CONV = 4  # taps
comptime TPB = 8
comptime HALO = CONV - 1  # elements of the next block
comptime vector = row_major[SIZE]()
comptime taps = row_major[CONV]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]
comptime Taps = TileTensor[dtype, type_of(taps), MutAnyOrigin]


def conv_1d_block_boundary(output: Vector, a: Vector, b: Taps):
    var shared_a = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB + HALO]())
    var shared_b = stack_allocation[dtype, address_space=AddressSpace.SHARED](taps)
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x

    shared_a[local_i] = 0
    if global_i < SIZE:
        shared_a[local_i] = rebind[Scalar[dtype]](a[global_i])
    if local_i < HALO:
        shared_a[local_i + TPB] = 0
        if global_i + TPB < SIZE:
            shared_a[local_i + TPB] = rebind[Scalar[dtype]](a[global_i + TPB])
    if local_i < CONV:
        shared_b[local_i] = b[local_i]
    barrier()

    if global_i < SIZE:
        var sum: Scalar[dtype] = 0
        for j in range(CONV):
            sum += rebind[Scalar[dtype]](shared_a[local_i + j]) * rebind[Scalar[dtype]](shared_b[j])
        output[global_i] = sum


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(CONV))
    ctx.enqueue_function[conv_1d_block_boundary](
        TileTensor(output, vector), TileTensor(a, vector), TileTensor(b, taps), grid_dim=2, block_dim=TPB
    )
    report(ctx, output, [14, 20, 26, 32, 38, 44, 50, 56, 62, 68, 74, 80, 41, 14, 0])
