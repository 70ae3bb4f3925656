# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Three kernels over two buffers, which each calls by names of its own. 70 doubles.
from std.math import ceildiv, sqrt
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import DeviceContext
from layout import TileTensor, row_major

comptime N = 70
comptime vec = row_major[N]()
comptime Vec = TileTensor[DType.float64, type_of(vec), MutAnyOrigin]

def squares(result: Vec, count: Int32):
    var i = block_idx.x * block_dim.x + thread_idx.x
    if i < Int(count):
        result[i] = Float64(i * i)

def roots(values: Vec, roots_: Vec):
    var i = block_idx.x * block_dim.x + thread_idx.x
    if i < N:
        roots_[i] = sqrt(values[i])

def reverse(input: Vec, output: Vec):
    var i = block_idx.x * block_dim.x + thread_idx.x
    if i < N:
        output[i] = input[N - 1 - i]

def main() raises:
    var ctx = DeviceContext()
    var a = ctx.enqueue_create_buffer[DType.float64](N)
    var b = ctx.enqueue_create_buffer[DType.float64](N)
    var grid = ceildiv(N, 32)
    ctx.enqueue_function[squares](TileTensor(a, vec), Int32(N), grid_dim=grid, block_dim=32)
    ctx.enqueue_function[roots](TileTensor(a, vec), TileTensor(b, vec), grid_dim=grid, block_dim=32)
    ctx.enqueue_function[reverse](TileTensor(b, vec), TileTensor(a, vec), grid_dim=grid, block_dim=32)
    ctx.synchronize()
    with a.map_to_host() as h:
        for i in range(N):
            if h[i] != Float64(N - 1 - i):
                raise Error("wrong")
    print("ok")
