# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
from numba import cuda, float32

TILE = 8


@cuda.jit(lineinfo=True)
def multiply(c, a, b):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * TILE + y, cuda.blockIdx.x * TILE + x
    total = float32(0)
    for tile in range(a.shape[1] // TILE):
        a_tile[y, x] = a[row, tile * TILE + x]
        b_tile[y, x] = b[tile * TILE + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += a_tile[y, k] * b_tile[k, x]
        cuda.syncthreads()
    c[row, column] = total


size = 32
a = (numpy.arange(size * size) % 7).reshape(size, size).astype(numpy.float32)
b = (numpy.arange(size * size) % 5).reshape(size, size).astype(numpy.float32)
c = numpy.zeros_like(a)
multiply[(size // TILE, size // TILE), (TILE, TILE)](c, a, b)
assert (c == a @ b).all()
print("ok")
