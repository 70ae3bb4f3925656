# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The largest of some numbers in bfloat16, as a tree.
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime B = DType.bfloat16
comptime v = row_major[33]()
comptime V = TileTensor[B, type_of(v), MutAnyOrigin]


def biggest(dst: V, a: V):
    var s = stack_allocation[B, address_space=AddressSpace.SHARED](row_major[64]())
    var t = thread_idx.x
    s[t] = rebind[Scalar[B]](a[t]) if t < 33 else Scalar[B](-1)
    barrier()
    var half = 32
    while half > 0:
        if t < half:
            s[t] = max(rebind[Scalar[B]](s[t]), rebind[Scalar[B]](s[t + half]))
        barrier()
        half //= 2
    if t < 33:
        dst[t] = rebind[Scalar[B]](s[0])


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[B](33)
    var o = ctx.enqueue_create_buffer[B](33)
    with a.map_to_host() as h:
        for i in range(33):
            h[i] = Scalar[B]((i * 7) % 33)
    o.enqueue_fill(0)
    ctx.enqueue_function[biggest](TileTensor(o, v), TileTensor(a, v), grid_dim=1, block_dim=64)
    with o.map_to_host() as h:
        if h[0] != 32 or h[32] != 32:
            raise Error("wrong")
    print("ok")
