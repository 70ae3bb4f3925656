# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Atomic additions in shared and in global memory.
from std.atomic import Atomic
from layout import TileTensor, row_major, stack_allocation
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime N = 300
comptime BINS = 10


def histogram(bins: Pointer[Int32, MutAnyOrigin], data: Pointer[Int32, MutAnyOrigin]):
    var local = stack_allocation[DType.int32, address_space=AddressSpace.SHARED](row_major[BINS]())
    if thread_idx.x < BINS:
        local[thread_idx.x] = 0
    barrier()
    var i = block_idx.x * block_dim.x + thread_idx.x
    if i < N:
        _ = Atomic.fetch_add(local.ptr.unsafe_offset(Int(data[unsafe_offset=i])), 1)
    barrier()
    if thread_idx.x < BINS:
        _ = Atomic.fetch_add(bins.unsafe_offset(thread_idx.x), rebind[Int32](local[thread_idx.x]))


def main() raises:
    var ctx = DeviceContext()
    var d = ctx.enqueue_create_buffer[DType.int32](N)
    var b = ctx.enqueue_create_buffer[DType.int32](BINS)
    with d.map_to_host() as h:
        for i in range(N):
            h[i] = Int32(i * i % BINS)
    b.enqueue_fill(0)
    ctx.enqueue_function[histogram](b, d, grid_dim=5, block_dim=64)
    with b.map_to_host() as h:
        var t: Int32 = 0
        for i in range(BINS):
            t += h[i]
        if t != N or h[0] != 30:
            raise Error("wrong")
    print("ok")
