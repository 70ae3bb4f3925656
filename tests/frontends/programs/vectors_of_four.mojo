# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Loads and stores of four numbers at a time, and what is left over.
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext


def double4(p: Pointer[Float32, MutAnyOrigin], n: Int32):
    var i = (block_idx.x * block_dim.x + thread_idx.x) * 4
    if i + 4 <= Int(n):
        var v = p.unsafe_offset(i).load[width=4]()
        p.unsafe_offset(i).store(v * 2)
    else:
        while i < Int(n):
            p[unsafe_offset=i] *= 2
            i += 1


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.float32](30)
    with a.map_to_host() as h:
        for i in range(30):
            h[i] = Float32(i)
    ctx.enqueue_function[double4](a, Int32(30), grid_dim=1, block_dim=8)
    with a.map_to_host() as h:
        for i in range(30):
            if h[i] != Float32(2 * i):
                raise Error("wrong")
    print("ok")
