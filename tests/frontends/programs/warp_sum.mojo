# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A row per block, added up by the lanes of a warp.
from max.gpu import block_dim, block_idx, thread_idx, lane_id
from max.gpu.host import DeviceContext
from max.gpu.primitives import warp


def rows(out_: Pointer[Int32, MutAnyOrigin], a: Pointer[Int32, MutAnyOrigin], n: Int32):
    var row = block_idx.x
    var total: Int32 = 0
    var i = thread_idx.x
    while i < Int(n):
        total += a[unsafe_offset=row * Int(n) + i]
        i += 32
    total = warp.sum(total)
    if thread_idx.x == 0:
        out_[unsafe_offset=row] = total


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.int32](5 * 77)
    var o = ctx.enqueue_create_buffer[DType.int32](5)
    with a.map_to_host() as h:
        for i in range(5 * 77):
            h[i] = Int32(i % 13)
    o.enqueue_fill(0)
    ctx.enqueue_function[rows](o, a, Int32(77), grid_dim=5, block_dim=32)
    with o.map_to_host() as h:
        for r in range(5):
            var want: Int32 = 0
            for i in range(77):
                want += Int32((r * 77 + i) % 13)
            if h[r] != want:
                raise Error("wrong")
    print("ok")
