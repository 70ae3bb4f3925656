# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sum of a block as the standard library has it.
from max.gpu import block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.primitives import block


def total(out_: Pointer[Float32, MutAnyOrigin], a: Pointer[Float32, MutAnyOrigin], n: Int32):
    var v: Float32 = 0
    if thread_idx.x < Int(n):
        v = a[unsafe_offset=thread_idx.x]
    var s = block.sum[block_size=128](v)
    if thread_idx.x == 0:
        out_[unsafe_offset=0] = rebind[Float32](s)


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.float32](100)
    var o = ctx.enqueue_create_buffer[DType.float32](1)
    with a.map_to_host() as h:
        for i in range(100):
            h[i] = Float32(i)
    o.enqueue_fill(0)
    ctx.enqueue_function[total](o, a, Int32(100), grid_dim=1, block_dim=128)
    with o.map_to_host() as h:
        print(h[0])
        if h[0] != 4950:
            raise Error("wrong")
