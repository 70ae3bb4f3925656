# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A prefix sum after Hillis and Steele: in round k every thread adds the element 2^k to its left. Each round reads one
# array and writes the other, so that nobody reads what a neighbour is writing. 8 elements, 1 block of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 8
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def hillis_steele(output: Vector, a: Vector):
    var shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[2, TPB]())
    var local_i = thread_idx.x
    var source = 0
    shared[source, local_i] = 0
    if local_i < SIZE:
        shared[source, local_i] = rebind[Scalar[dtype]](a[local_i])
    barrier()

    var offset = 1
    while offset < TPB:
        var sum = shared[source, local_i]
        if local_i >= offset:
            sum += shared[source, local_i - offset]
        shared[1 - source, local_i] = sum
        source = 1 - source
        offset *= 2
        barrier()
    if local_i < SIZE:
        output[local_i] = rebind[Scalar[dtype]](shared[source, local_i])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[hillis_steele](TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 10, 15, 21, 28])
