# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Matrix product out of global memory: one thread per element of the result. 2x2 matrices, a block of 3x3 threads.
from gallery import dtype, iota, multiplied, report, to_device, zeros
from layout import TileTensor, row_major
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

comptime SIZE = 2
comptime TPB = 3  # threads per block, each way
comptime matrix = row_major[SIZE, SIZE]()
comptime Matrix = TileTensor[dtype, type_of(matrix), MutAnyOrigin]


def matmul_naive(output: Matrix, a: Matrix, b: Matrix):
    var row = block_dim.y * block_idx.y + thread_idx.y
    var col = block_dim.x * block_idx.x + thread_idx.x
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
    ctx.enqueue_function[matmul_naive](
        TileTensor(output, matrix),
        TileTensor(a, matrix),
        TileTensor(b, matrix),
        grid_dim=1,
        block_dim=(TPB, TPB),
    )
    report(ctx, output, multiplied(iota(SIZE * SIZE), iota(SIZE * SIZE, 2), SIZE))
