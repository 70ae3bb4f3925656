# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton: each program instance adds a block of two vectors. 1000 elements, blocks of 256.
import sys

import numpy
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, size, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < size
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


size = 1000
x = numpy.arange(size, dtype=numpy.float32)
y = numpy.full(size, 0.5, dtype=numpy.float32)
out = numpy.zeros(size, dtype=numpy.float32)
add_kernel[(triton.cdiv(size, 256),)](x, y, out, size, BLOCK=256)
print("out:     ", *out[:8], "...", out[-1])
print("expected:", *(x + y)[:8], "...", (x + y)[-1])
sys.exit(0 if numpy.array_equal(out, x + y) else 1)
