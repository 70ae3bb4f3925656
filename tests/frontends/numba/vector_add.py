# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
from numba import cuda


@cuda.jit(lineinfo=True)
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


count = 300
x = numpy.arange(count, dtype=numpy.float32)
out = numpy.zeros_like(x)
add[3, 128](x, numpy.ones_like(x), out)
assert (out == x + 1).all()
print("ok")
