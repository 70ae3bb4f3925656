# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The game of life on a torus, buffers in turn. 13x9 bytes.
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext

comptime W = 13
comptime H = 9

def step(now: Pointer[UInt8, MutAnyOrigin], then: Pointer[UInt8, MutAnyOrigin], w: Int32, h: Int32):
    var x = Int32(block_idx.x * block_dim.x + thread_idx.x)
    var y = Int32(block_idx.y * block_dim.y + thread_idx.y)
    if x >= w or y >= h:
        return
    var alive = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dx == 0 and dy == 0:
                continue
            var nx = (x + Int32(dx) + w) % w
            var ny = (y + Int32(dy) + h) % h
            alive += Int(now[unsafe_offset=Int(ny * w + nx)])
    var me = now[unsafe_offset=Int(y * w + x)]
    then[unsafe_offset=Int(y * w + x)] = UInt8(1) if alive == 3 or (alive == 2 and me == 1) else UInt8(0)

def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.uint8](W * H)
    var b = ctx.enqueue_create_buffer[DType.uint8](W * H)
    a.enqueue_fill(0)
    with a.map_to_host() as h:
        h[1 * W + 2] = 1
        h[2 * W + 3] = 1
        h[3 * W + 1] = 1
        h[3 * W + 2] = 1
        h[3 * W + 3] = 1
    for i in range(2):
        ctx.enqueue_function[step](a, b, Int32(W), Int32(H), grid_dim=(2, 2), block_dim=(8, 8))
        ctx.enqueue_function[step](b, a, Int32(W), Int32(H), grid_dim=(2, 2), block_dim=(8, 8))
    with a.map_to_host() as h:
        var n = 0
        for i in range(W * H):
            n += Int(h[i])
        if n != 5 or h[2 * W + 3] != 1:
            raise Error("wrong")
    print("ok")
