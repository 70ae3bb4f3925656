# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from max.gpu import barrier, block_idx, thread_idx
from max.gpu.host import DeviceContext
from max.gpu.memory import AddressSpace
from std.memory import stack_allocation

comptime SIZE = 32
comptime TILE = 8


def multiply(
    c: Pointer[Float32, MutAnyOrigin], a: Pointer[Float32, MutAnyOrigin], b: Pointer[Float32, MutAnyOrigin]
):
    var a_tile = stack_allocation[TILE * TILE, Float32, address_space=AddressSpace.SHARED]()
    var b_tile = stack_allocation[TILE * TILE, Float32, address_space=AddressSpace.SHARED]()
    var row = block_idx.y * TILE + thread_idx.y
    var column = block_idx.x * TILE + thread_idx.x
    var mine = thread_idx.y * TILE + thread_idx.x
    var sum: Float32 = 0
    for tile in range(SIZE // TILE):
        a_tile[unsafe_offset=mine] = a[unsafe_offset=row * SIZE + tile * TILE + thread_idx.x]
        b_tile[unsafe_offset=mine] = b[unsafe_offset=(tile * TILE + thread_idx.y) * SIZE + column]
        barrier()
        for k in range(TILE):
            sum += a_tile[unsafe_offset=thread_idx.y * TILE + k] * b_tile[unsafe_offset=k * TILE + thread_idx.x]
        barrier()
    c[unsafe_offset=row * SIZE + column] = sum


def main() raises:
    with DeviceContext() as context:
        var a = context.enqueue_create_buffer[DType.float32](SIZE * SIZE)
        var b = context.enqueue_create_buffer[DType.float32](SIZE * SIZE)
        var c = context.enqueue_create_buffer[DType.float32](SIZE * SIZE)
        with a.map_to_host() as host:
            for i in range(SIZE * SIZE):
                host[i] = Float32(i % 7)
        with b.map_to_host() as host:
            for i in range(SIZE * SIZE):
                host[i] = Float32(i % 5)
        context.enqueue_function[multiply](
            c.unsafe_ptr(),
            a.unsafe_ptr(),
            b.unsafe_ptr(),
            grid_dim=(SIZE // TILE, SIZE // TILE),
            block_dim=(TILE, TILE),
        )
        context.synchronize()
        with c.map_to_host() as host:
            for row in range(SIZE):
                for column in range(SIZE):
                    var expected: Float32 = 0
                    for k in range(SIZE):
                        expected += Float32((row * SIZE + k) % 7) * Float32((k * SIZE + column) % 5)
                    if host[row * SIZE + column] != expected:
                        raise Error("wrong at ", row, ", ", column)
    print("ok")
