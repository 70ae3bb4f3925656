# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: a round of the scan reads and writes one array with one barrier. A thread may read its neighbour's cell
# before or after the neighbour has added to it. The corrected twin is 12_prefix_sum_hillis_steele.mojo.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def prefix_sum(output: Vector, a: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var local_i = thread_idx.x
    if local_i < SIZE:
        shared[local_i] = rebind[Scalar[dtype]](a[local_i])
    barrier()

    var offset = 1
    while offset < TPB:
        if local_i >= offset and local_i < SIZE:
            shared[local_i] += shared[local_i - offset]
        barrier()
        offset *= 2
    if local_i < SIZE:
        output[local_i] = rebind[Scalar[dtype]](shared[local_i])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[prefix_sum](TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 10, 15, 21, 28])
