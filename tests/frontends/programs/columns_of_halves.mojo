# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rows of halves through a padded tile into columns. 21x34 elements, tiles of 8x8.
from layout import Layout, LayoutTensor
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime R = 21
comptime C = 34
comptime T = 8
comptime F = DType.float16
comptime src = Layout.row_major(R, C)
comptime dst = Layout.col_major(R, C)
comptime pad = Layout.row_major(T, T + 1)

def copy(o: LayoutTensor[F, dst, MutAnyOrigin], a: LayoutTensor[F, src, MutAnyOrigin]):
    var tile = LayoutTensor[F, pad, MutAnyOrigin, address_space=AddressSpace.SHARED].stack_allocation()
    var x = block_idx.x * T + thread_idx.x
    var y = block_idx.y * T + thread_idx.y
    if x < C and y < R:
        tile[thread_idx.y, thread_idx.x] = a[y, x]
    barrier()
    var tx = block_idx.x * T + thread_idx.y
    var ty = block_idx.y * T + thread_idx.x
    if tx < C and ty < R:
        o[ty, tx] = tile[thread_idx.x, thread_idx.y]

def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[F](R * C)
    var o = ctx.enqueue_create_buffer[F](R * C)
    with a.map_to_host() as h:
        for i in range(R * C):
            h[i] = Scalar[F](i)
    o.enqueue_fill(0)
    ctx.enqueue_function[copy](LayoutTensor[F, dst](o), LayoutTensor[F, src](a), grid_dim=((C + T - 1) // T, (R + T - 1) // T), block_dim=(T, T))
    with o.map_to_host() as h:
        for r in range(R):
            for c in range(C):
                if h[c * R + r] != Scalar[F](r * C + c):
                    raise Error("wrong")
    print("ok")
