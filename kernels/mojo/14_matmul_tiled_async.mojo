# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Matrix product, tiled, as one writes it today: tiles of tensors, copied to shared memory asynchronously, each thread
# its share. A thread waits for its own copies, and the barrier makes them everybody's. 9x9 matrices.
from gallery import dtype, iota, multiplied, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from layout.tile_io import copy_dram_to_sram_async
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace, async_copy_commit_group, async_copy_wait_all

comptime SIZE = 9
comptime TPB = 3  # threads per block and tile width, each way
comptime matrix = row_major[SIZE, SIZE]()
comptime tile = row_major[TPB, TPB]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]


def matmul_tiled_async(output: Matrix, a: Matrix, b: Matrix):
    var a_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var b_shared = stack_allocation[dtype, address_space=AddressSpace.SHARED](tile)
    var local_row = thread_idx.y
    var local_col = thread_idx.x

    var acc: Scalar[dtype] = 0
    for step in range(SIZE // TPB):
        copy_dram_to_sram_async[thread_layout=tile](a_shared, a.tile[TPB, TPB](block_idx.y, step))
        copy_dram_to_sram_async[thread_layout=tile](b_shared, b.tile[TPB, TPB](step, block_idx.x))
        async_copy_commit_group()
        async_copy_wait_all()
        barrier()

        for k in range(TPB):
            acc += a_shared[local_row, k] * b_shared[k, local_col]
        barrier()
    var mine = output.tile[TPB, TPB](block_idx.y, block_idx.x)
    comptime assert mine.flat_rank == 2
    mine[local_row, local_col] = acc


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, SIZE * SIZE)
    var a = to_device(ctx, iota(SIZE * SIZE))
    var b = to_device(ctx, iota(SIZE * SIZE, 2))
    ctx.enqueue_function[matmul_tiled_async](
        TileTensor(output, matrix),
        TileTensor(a, matrix),
        TileTensor(b, matrix),
        grid_dim=(SIZE // TPB, SIZE // TPB),
        block_dim=(TPB, TPB),
    )
    report(ctx, output, multiplied(iota(SIZE * SIZE), iota(SIZE * SIZE, 2), SIZE))
