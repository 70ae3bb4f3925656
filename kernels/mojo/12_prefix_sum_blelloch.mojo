# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A prefix sum after Blelloch: an up-sweep adds pairs into a tree, a down-sweep hands the sums of everything to the
# left back down. 8 elements, 1 block of 8 threads.
from gallery import dtype, iota, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 8  # a power of two
comptime vector = row_major[SIZE]()
comptime Vector = TileTensor[dtype, type_of(vector), MutAnyOrigin]


def blelloch(output: Vector, a: Vector):
    var tree = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TPB]())
    var local_i = thread_idx.x
    var own: Scalar[dtype] = 0
    if local_i < SIZE:
        own = rebind[Scalar[dtype]](a[local_i])
    tree[local_i] = own
    barrier()

    var stride = 1
    while stride < TPB:  # up-sweep
        var right = (local_i + 1) * 2 * stride - 1
        if right < TPB:
            tree[right] += tree[right - stride]
        stride *= 2
        barrier()
    if local_i == 0:
        tree[TPB - 1] = 0
    barrier()

    stride = TPB // 2
    while stride > 0:  # down-sweep
        var right = (local_i + 1) * 2 * stride - 1
        if right < TPB:
            var left = tree[right - stride]
            tree[right - stride] = tree[right]
            tree[right] += left
        stride //= 2
        barrier()
    if local_i < SIZE:
        output[local_i] = rebind[Scalar[dtype]](tree[local_i]) + own  # everything to the left, and the element itself


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE)
    var a = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[blelloch](TileTensor(output, vector), TileTensor(a, vector), grid_dim=1, block_dim=TPB)
    report(ctx, output, [0, 1, 3, 6, 10, 15, 21, 28])
