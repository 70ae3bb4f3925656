# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Asynchronous copies of four bytes through plain pointers, past which nobody reads. 150 elements.
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace, async_copy, async_copy_commit_group, async_copy_wait_group, async_copy_wait_all
from layout import TileTensor, row_major, stack_allocation

comptime T = 64

def stage(out_: Pointer[Float32, MutAnyOrigin], a: Pointer[Float32, MutAnyOrigin], n: Int32):
    var s = stack_allocation[DType.float32, address_space=AddressSpace.SHARED](row_major[T]())
    var i = block_idx.x * T + thread_idx.x
    if i < Int(n):
        async_copy[4](a.unsafe_offset(i).unsafe_address_space_cast[AddressSpace.GLOBAL](), s.ptr.unsafe_offset(thread_idx.x))
    async_copy_commit_group()
    async_copy_wait_all()
    barrier()
    var j = block_idx.x * T + T - 1 - thread_idx.x
    if j < Int(n):
        out_[unsafe_offset=j] = rebind[Float32](s[T - 1 - thread_idx.x]) + 1

def main() raises:
    var ctx = DeviceContext()
    comptime N = 150
    var a = ctx.enqueue_create_buffer[DType.float32](N)
    var o = ctx.enqueue_create_buffer[DType.float32](N)
    with a.map_to_host() as h:
        for i in range(N):
            h[i] = Float32(i)
    ctx.enqueue_function[stage](o, a, Int32(N), grid_dim=3, block_dim=T)
    with o.map_to_host() as h:
        for i in range(N):
            if h[i] != Float32(i + 1):
                raise Error("wrong")
    print("ok")
