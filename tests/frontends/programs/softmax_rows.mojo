# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Softmax of rows that no block divides, by reductions in shared memory. 5x37 elements.
from std.math import exp
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace
from layout import TileTensor, row_major, stack_allocation

comptime ROWS = 5
comptime COLS = 37
comptime TPB = 32

def softmax(out_: Pointer[Float32, MutAnyOrigin], a: Pointer[Float32, MutAnyOrigin], cols: Int32):
    var scratch = stack_allocation[DType.float32, address_space=AddressSpace.SHARED](row_major[TPB]())
    var t = thread_idx.x
    var base = block_idx.x * Int(cols)
    var m: Float32 = -1e30
    var i = t
    while i < Int(cols):
        m = max(m, a[unsafe_offset=base + i])
        i += TPB
    scratch[t] = m
    barrier()
    var half = TPB // 2
    while half > 0:
        if t < half:
            scratch[t] = max(scratch[t], scratch[t + half])
        barrier()
        half //= 2
    m = rebind[Float32](scratch[0])
    barrier()
    var s: Float32 = 0
    i = t
    while i < Int(cols):
        s += exp(a[unsafe_offset=base + i] - m)
        i += TPB
    scratch[t] = s
    barrier()
    half = TPB // 2
    while half > 0:
        if t < half:
            scratch[t] = scratch[t] + scratch[t + half]
        barrier()
        half //= 2
    s = rebind[Float32](scratch[0])
    i = t
    while i < Int(cols):
        out_[unsafe_offset=base + i] = exp(a[unsafe_offset=base + i] - m) / s
        i += TPB

def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.float32](ROWS * COLS)
    var o = ctx.enqueue_create_buffer[DType.float32](ROWS * COLS)
    with a.map_to_host() as h:
        for i in range(ROWS * COLS):
            h[i] = Float32(i % 7) * 0.25
    ctx.enqueue_function[softmax](o, a, Int32(COLS), grid_dim=ROWS, block_dim=TPB)
    with o.map_to_host() as h:
        for r in range(ROWS):
            var s: Float32 = 0
            for c in range(COLS):
                s += h[r * COLS + c]
            if abs(s - 1) > 1e-5:
                raise Error("wrong")
    print("ok")
