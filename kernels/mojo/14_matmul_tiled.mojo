# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Matrix product, tiled: each block computes one 3x3 tile of the result and walks over the tiles of A's rows and B's
# columns that it needs, through shared memory. 9x9 matrices.
from gallery import dtype, iota, multiplied, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 9
comptime TPB = 3  # threads per block and tile width, each way
comptime matrix = row_major[SIZE, SIZE]()
comptime tile = row_major[TPB, TPB]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]


def matmul_tiled(output: Matrix, a: Matrix, b: Matrix):
    var a_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var b_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var local_row = thread_idx.y
    var local_col = thread_idx.x
    var row = block_idx.y * TPB + local_row
    var col = block_idx.x * TPB + local_col

    var acc: Scalar[dtype] = 0
    for step in range(SIZE // TPB):
        a_shared[local_row, local_col] = a[row, step * TPB + local_col]
        b_shared[local_row, local_col] = b[step * TPB + local_row, col]
        barrier()

        for k in range(TPB):
            acc += a_shared[local_row, k] * b_shared[k, local_col]
        barrier()
    output[row, col] = acc


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, iota(SIZE * SIZE))
    var b = to_device(ctx, iota(SIZE * SIZE, 2))
    ctx.enqueue_function[matmul_tiled](
        TileTensor(output, matrix),
        TileTensor(a, matrix),
        TileTensor(b, matrix),
        grid_dim=(SIZE // TPB, SIZE // TPB),
        block_dim=(TPB, TPB),
    )
    report(ctx, output, multiplied(iota(SIZE * SIZE), iota(SIZE * SIZE, 2), SIZE))
