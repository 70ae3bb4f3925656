# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from max.gpu import global_idx
from max.gpu.host import DeviceContext

comptime COUNT = 100


def add(
    result: Pointer[Float32, MutAnyOrigin], a: Pointer[Float32, MutAnyOrigin], count: Int32
):
    var i = global_idx.x
    if i < Int(count):
        result[unsafe_offset=i] = a[unsafe_offset=i] + 10.0


def main() raises:
    with DeviceContext() as context:
        var result = context.enqueue_create_buffer[DType.float32](COUNT)
        var a = context.enqueue_create_buffer[DType.float32](COUNT)
        result.enqueue_fill(0)
        with a.map_to_host() as host:
            for i in range(COUNT):
                host[i] = Float32(i)
        context.enqueue_function[add](
            result.unsafe_ptr(), a.unsafe_ptr(), Int32(COUNT), grid_dim=4, block_dim=32
        )
        context.synchronize()
        with result.map_to_host() as host:
            for i in range(COUNT):
                if host[i] != Float32(i) + 10.0:
                    raise Error("wrong at ", i)
    print("ok")
