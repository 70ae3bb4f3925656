# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A convolution in two dimensions: each block loads its 8x8 tile and a halo, 10x10 cells, in a loop. 12x16 ones, 3x3
# taps.
from gallery import dtype, ones, report, to_device, zeros
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime HEIGHT = 12
comptime WIDTH = 16
comptime K = 3  # taps, each way
comptime TPB = 8  # threads per block, each way
comptime TILE = TPB + K - 1  # with the halo
comptime image = row_major[HEIGHT, WIDTH]()
comptime taps = row_major[K, K]()
comptime Image = TileTensor[dtype, type_of(image), MutAnyOrigin]
comptime Taps = TileTensor[dtype, type_of(taps), MutAnyOrigin]


def conv_2d_halo(output: Image, a: Image, b: Taps):
    var tile = stack_allocation[dtype, address_space=AddressSpace.SHARED](row_major[TILE, TILE]())
    var local_row = thread_idx.y
    var local_col = thread_idx.x
    for y in range(local_row, TILE, TPB):
        for x in range(local_col, TILE, TPB):
            var from_row = block_idx.y * TPB + y
            var from_col = block_idx.x * TPB + x
            tile[y, x] = 0
            if from_row < HEIGHT and from_col < WIDTH:
                tile[y, x] = rebind[Scalar[dtype]](a[from_row, from_col])
    barrier()

    var row = block_idx.y * TPB + local_row
    var col = block_idx.x * TPB + local_col
    if row < HEIGHT and col < WIDTH:
        var sum: Scalar[dtype] = 0
        for y in range(K):
            for x in range(K):
                var cell = rebind[Scalar[dtype]](tile[local_row + y, local_col + x])
                sum += cell * rebind[Scalar[dtype]](b[y, x])
        output[row, col] = sum


def main() raises:
    var ctx = DeviceContext()
    var output = zeros(ctx, HEIGHT * WIDTH)
    var a = to_device(ctx, ones(HEIGHT * WIDTH))
    var b = to_device(ctx, ones(K * K))
    ctx.enqueue_function[conv_2d_halo](
        TileTensor(output, image),
        TileTensor(a, image),
        TileTensor(b, taps),
        grid_dim=((WIDTH + TPB - 1) // TPB, (HEIGHT + TPB - 1) // TPB),
        block_dim=(TPB, TPB),
    )
    var expected = List[Scalar[dtype]]()
    for row in range(HEIGHT):
        for col in range(WIDTH):
            expected.append(Scalar[dtype](min(K, HEIGHT - row) * min(K, WIDTH - col)))
    report(ctx, output, expected)
