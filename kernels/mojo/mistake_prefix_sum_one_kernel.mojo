# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: one kernel for a sum over two blocks. Each block leaves its total in `output`, waits at a barrier, and
# adds the total of the block before; but a barrier waits for the threads of one block only. Block 1 reads what block 0
# may not have written yet: a race across blocks. The corrected twin is 12_prefix_sum_block_boundary.mojo.
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


def prefix_sum(output: Extended, a: Vector):
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
    if local_i == TPB - 1:
        output[SIZE + block_idx.x] = rebind[Scalar[dtype]](shared[local_i])

    barrier()  # meant for all blocks

    var before: Scalar[dtype] = 0
    if block_idx.x > 0:
        before = rebind[Scalar[dtype]](output[SIZE + block_idx.x - 1])
    if global_i < SIZE:
        output[global_i] = rebind[Scalar[dtype]](shared[local_i]) + before


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE + BLOCKS)
    var a = to_device(ctx, iota(SIZE))
    var sums = TileTensor(output, extended)
    ctx.enqueue_function[prefix_sum](sums, TileTensor(a, vector), grid_dim=BLOCKS, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66, 78, 91, 105])
