# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Numba: a matrix product out of tiles in shared memory. 9x9 matrices, tiles and blocks of 3x3.
import sys

import numpy
from numba import cuda, float32

TPB = 3


@cuda.jit(lineinfo=True)
def matmul_tiled(out, a, b):
    a_shared = cuda.shared.array((TPB, TPB), float32)
    b_shared = cuda.shared.array((TPB, TPB), float32)
    local_row = cuda.threadIdx.y
    local_col = cuda.threadIdx.x
    row = cuda.blockIdx.y * TPB + local_row
    col = cuda.blockIdx.x * TPB + local_col
    acc = float32(0)
    for tile in range(a.shape[1] // TPB):
        a_shared[local_row, local_col] = a[row, tile * TPB + local_col]
        b_shared[local_row, local_col] = b[tile * TPB + local_row, col]
        cuda.syncthreads()
        for k in range(TPB):
            acc += a_shared[local_row, k] * b_shared[k, local_col]
        cuda.syncthreads()
    out[row, col] = acc


size = 9
a = numpy.arange(size * size, dtype=numpy.float32).reshape(size, size)
b = 2 * a
out = cuda.to_device(numpy.zeros_like(a))
matmul_tiled[(size // TPB, size // TPB), (TPB, TPB)](out, cuda.to_device(a), cuda.to_device(b))
result = out.copy_to_host()
print("out:     ", *result[0], "...")
print("expected:", *(a @ b)[0], "...")
sys.exit(0 if numpy.array_equal(result, a @ b) else 1)
