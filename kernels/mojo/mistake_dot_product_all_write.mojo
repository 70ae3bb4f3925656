# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: every thread adds its product to output[0] with `+=`. Reading, adding and writing are three steps: threads
# that read the same value lose each other's additions. The corrected twin is 10_dot_product.mojo.
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
    barrier()

    if global_i < SIZE:
        output[0] += rebind[Scalar[dtype]](shared[local_i])


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, 1)
    var a = to_device(ctx, iota(SIZE))
    var b = to_device(ctx, iota(SIZE))
    ctx.enqueue_function[dot_product](
        TileTensor(output, single), TileTensor(a, vector), TileTensor(b, vector), grid_dim=1, block_dim=TPB
    )
    report(ctx, output, [140])
