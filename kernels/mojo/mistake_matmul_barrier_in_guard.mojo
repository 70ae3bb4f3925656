# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The defect: 8x8 matrices and 3x3 tiles, and the barriers are inside the guard that keeps threads off the matrix's
# edge. Threads outside the matrix skip them: a divergent barrier.
from gallery import dtype, iota, multiplied, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime SIZE = 8
comptime TPB = 3  # threads per block and tile width, each way
comptime BLOCKS = (SIZE + TPB - 1) // TPB
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
    for step in range(BLOCKS):
        if row < SIZE and step * TPB + local_col < SIZE:
            a_shared[local_row, local_col] = a[row, step * TPB + local_col]
        if step * TPB + local_row < SIZE and col < SIZE:
            b_shared[local_row, local_col] = b[step * TPB + local_row, col]
        if row < SIZE and col < SIZE:
            barrier()
            for k in range(min(TPB, SIZE - step * TPB)):
                acc += a_shared[local_row, k] * b_shared[k, local_col]
            barrier()
    if row < SIZE and col < SIZE:
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
        grid_dim=(BLOCKS, BLOCKS),
        block_dim=(TPB, TPB),
    )
    report(ctx, output, multiplied(iota(SIZE * SIZE), iota(SIZE * SIZE, 2), SIZE))
