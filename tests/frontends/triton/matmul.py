# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
import triton
import triton.language as tl
from device_array import DeviceArray


@triton.jit
def multiply(c, a, b, SIZE: tl.constexpr, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for first in range(0, SIZE, TILE):
        steps = first + tl.arange(0, TILE)
        total += tl.dot(
            tl.load(a + rows[:, None] * SIZE + steps[None, :]), tl.load(b + steps[:, None] * SIZE + columns[None, :])
        )
    tl.store(c + rows[:, None] * SIZE + columns[None, :], total)


size, tile = 64, 32
random = numpy.random.default_rng(1)
a = random.standard_normal((size, size)).astype(numpy.float16)
b = random.standard_normal((size, size)).astype(numpy.float16)
c = DeviceArray(numpy.zeros((size, size), dtype=numpy.float32))
multiply[(size // tile, size // tile)](c, DeviceArray(a), DeviceArray(b), SIZE=size, TILE=tile)
assert numpy.allclose(c.numpy(), a.astype(numpy.float32) @ b.astype(numpy.float32), rtol=1e-3, atol=1e-2)
print("ok")
