# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: the tiles are loaded into shared memory, and then the product reads global memory. The result is right,
# the shared stores are dead. The corrected twin is 14_matmul_shared.mojo.
from gallery import dtype, iota, multiplied, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 2
comptime TPB = 3  # threads per block, each way
comptime matrix = row_major[SIZE, SIZE]()
comptime tile = row_major[TPB, TPB]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]


def matmul_single_block(output: Matrix, a: Matrix, b: Matrix):
    var a_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var b_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var row = thread_idx.y
    var col = thread_idx.x
    if row < SIZE and col < SIZE:
        a_shared[row, col] = rebind[Scalar[dtype]](a[row, col])
        b_shared[row, col] = rebind[Scalar[dtype]](b[row, col])
    barrier()

    if row < SIZE and col < SIZE:
        var acc: Scalar[dtype] = 0
        for k in range(SIZE):
            acc += rebind[Scalar[dtype]](a[row, k]) * rebind[Scalar[dtype]](b[k, col])
        output[row, col] = acc


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, iota(SIZE * SIZE))
    var b = to_device(ctx, iota(SIZE * SIZE, 2))
    ctx.enqueue_function[matmul_single_block](
        TileTensor(output, matrix),
        TileTensor(a, matrix),
        TileTensor(b, matrix),
        grid_dim=1,
        block_dim=(TPB, TPB),
    )
    report(ctx, output, multiplied(iota(SIZE * SIZE), iota(SIZE * SIZE, 2), SIZE))
