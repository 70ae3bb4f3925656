# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton: a tile of the product in each program instance, in half precision with sums in float. 64x64x64, tiles of 32.
import sys

import numpy
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, TILE)
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, K, TILE):
        a = tl.load(a_ptr + rows[:, None] * K + (k + depth)[None, :])
        b = tl.load(b_ptr + (k + depth)[:, None] * N + columns[None, :])
        sums = tl.dot(a, b, sums)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], sums)


size, tile = 64, 32
random = numpy.random.default_rng(1)
a = random.standard_normal((size, size)).astype(numpy.float16)
b = random.standard_normal((size, size)).astype(numpy.float16)
c = numpy.zeros((size, size), dtype=numpy.float32)
matmul_kernel[(size // tile, size // tile)](a, b, c, size, size, size, TILE=tile)
expected = a.astype(numpy.float32) @ b.astype(numpy.float32)
print("out:     ", *c[0, :4], "...")
print("expected:", *expected[0, :4], "...")
sys.exit(0 if numpy.allclose(c, expected, rtol=1e-3, atol=1e-3) else 1)
