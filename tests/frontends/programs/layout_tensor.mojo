# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A tiled product of the older tensors, which come as structs with a pointer in them.
from layout import Layout, LayoutTensor
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace

comptime N = 6
comptime full = Layout.row_major(N, N)
comptime part = Layout.row_major(3, 3)


def product(
    c: LayoutTensor[DType.float32, full, MutAnyOrigin],
    a: LayoutTensor[DType.float32, full, MutAnyOrigin],
    b: LayoutTensor[DType.float32, full, MutAnyOrigin],
):
    var sa = LayoutTensor[DType.float32, part, MutAnyOrigin, address_space=AddressSpace.SHARED].stack_allocation()
    var sb = LayoutTensor[DType.float32, part, MutAnyOrigin, address_space=AddressSpace.SHARED].stack_allocation()
    var ty = thread_idx.y
    var tx = thread_idx.x
    var sum: Float32 = 0
    for t in range(2):
        sa[ty, tx] = a[block_idx.y * 3 + ty, t * 3 + tx]
        sb[ty, tx] = b[t * 3 + ty, block_idx.x * 3 + tx]
        barrier()
        for k in range(3):
            sum += rebind[Float32](sa[ty, k]) * rebind[Float32](sb[k, tx])
        barrier()
    c[block_idx.y * 3 + ty, block_idx.x * 3 + tx] = sum


def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.float32](N * N)
    var b = ctx.enqueue_create_buffer[DType.float32](N * N)
    var c = ctx.enqueue_create_buffer[DType.float32](N * N)
    with a.map_to_host() as h:
        for i in range(N * N):
            h[i] = Float32(i)
    with b.map_to_host() as h:
        for i in range(N * N):
            h[i] = Float32(1)
    c.enqueue_fill(0)
    ctx.enqueue_function[product](
        LayoutTensor[DType.float32, full](c),
        LayoutTensor[DType.float32, full](a),
        LayoutTensor[DType.float32, full](b),
        grid_dim=(2, 2),
        block_dim=(3, 3),
    )
    with c.map_to_host() as h:
        for r in range(N):
            for q in range(N):
                if h[r * N + q] != Float32(r * N * N + 15):
                    raise Error("wrong")
    print("ok")
