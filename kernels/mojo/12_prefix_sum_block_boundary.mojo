# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A prefix sum over two blocks, with two kernels: the first scans each block and leaves its total in the tail of
# `output`, the second adds the total of the block before. Only the end of a kernel makes all blocks wait for each
# other. 15 elements, 2 blocks of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 15
comptime TPB = 8
comptime BLOCKS = 2
comptime vector = row_major[SIZE]()
comptime extended = row_major[SIZE + BLOCKS]()  # with the blocks' totals
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]
comptime Extended = TileTensor[dtype, type_of(extended), MutAnyOrigin]


def scan_blocks(output: Extended, a: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    var local_i = thread_idx.x
    shared[local_i] = 0
    if global_i < SIZE:
        shared[local_i] = rebind[Scalar[dtype]](a[global_i])
    barrier()

    var offset = 1
    while offset < TPB:
        var left: Scalar[dtype] = 0
        if local_i >= offset:
            left = rebind[Scalar[dtype]](shared[local_i - offset])
        barrier()  # everybody has read before anybody writes
        shared[local_i] += left
        barrier()
        offset *= 2
    if global_i < SIZE:
        output[global_i] = rebind[Scalar[dtype]](shared[local_i])
    if local_i == TPB - 1:
        output[SIZE + block_idx.x] = rebind[Scalar[dtype]](shared[local_i])


def add_totals(output: Extended):
    var global_i = block_dim.x * block_idx.x + thread_idx.x
    if block_idx.x > 0 and global_i < SIZE:
        output[global_i] += output[SIZE + block_idx.x - 1]


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE + BLOCKS)
    var a = to_device(ctx, iota(SIZE))
    var sums = TileTensor(output, extended)
    ctx.enqueue_function[scan_blocks](sums, TileTensor(a, vector), grid_dim=BLOCKS, block_dim=TPB)
    ctx.enqueue_function[add_totals](sums, grid_dim=BLOCKS, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105])
