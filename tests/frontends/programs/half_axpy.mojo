# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Half precision through plain pointers, in a loop over the whole grid.
from max.gpu import block_dim, block_idx, thread_idx, grid_dim
from max.gpu.host import DeviceContext

comptime F = DType.float16


def axpy(y: Pointer[Scalar[F], MutAnyOrigin], x: Pointer[Scalar[F], MutAnyOrigin], alpha: Float32, n: Int32):
    var i = block_idx.x * block_dim.x + thread_idx.x
    var step = grid_dim.x * block_dim.x
    while i < Int(n):
        y[unsafe_offset=i] += Scalar[F](alpha) * x[unsafe_offset=i]
        i += step


def main() raises:
    var ctx = DeviceContext()
    var n = 101
    var x = ctx.enqueue_create_buffer[F](n)
    var y = ctx.enqueue_create_buffer[F](n)
    with x.map_to_host() as h:
        for i in range(n):
            h[i] = Scalar[F](i)
    y.enqueue_fill(1)
    ctx.enqueue_function[axpy](y, x, Float32(0.5), Int32(n), grid_dim=2, block_dim=32)
    with y.map_to_host() as h:
        for i in range(n):
            if h[i] != Scalar[F](1) + Scalar[F](0.5) * Scalar[F](i):
                raise Error("wrong")
    print("ok")
