# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Integers of a matrix that is no multiple of its tiles, transposed through a padded tile.
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime ROWS = 7
comptime COLS = 11
comptime T = 4
comptime inL = row_major[ROWS, COLS]()
comptime outL = row_major[COLS, ROWS]()
comptime In = TileTensor[DType.int32, type_of(inL), MutAnyOrigin]
comptime Out = TileTensor[DType.int32, type_of(outL), MutAnyOrigin]


def transpose(dst: Out, src: In):
    var tile = stack_allocation[DType.int32, address_space=AddressSpace.SHARED](row_major[T, T + 1]())
    var r = block_idx.y * T + thread_idx.y
    var c = block_idx.x * T + thread_idx.x
    if r < ROWS and c < COLS:
        tile[thread_idx.y, thread_idx.x] = rebind[Int32](src[r, c])
    barrier()
    var rr = block_idx.x * T + thread_idx.y
    var cc = block_idx.y * T + thread_idx.x
    if rr < COLS and cc < ROWS:
        dst[rr, cc] = rebind[Int32](tile[thread_idx.x, thread_idx.y])


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.int32](ROWS * COLS)
    var b = ctx.enqueue_create_buffer[DType.int32](ROWS * COLS)
    with a.map_to_host() as h:
        for i in range(ROWS * COLS):
            h[i] = Int32(i)
    b.enqueue_fill(-1)
    ctx.enqueue_function[transpose](TileTensor(b, outL), TileTensor(a, inL), grid_dim=(3, 2), block_dim=(T, T))
    with b.map_to_host() as h:
        for r in range(ROWS):
            for c in range(COLS):
                if h[c * ROWS + r] != Int32(r * COLS + c):
                    raise Error("wrong")
    print("ok")
