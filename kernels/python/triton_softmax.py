# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton: a row of a matrix in each program instance, its largest element and its sum across all lanes. 16x200 elements.
import sys

import numpy
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(in_ptr + row * columns + offsets, mask=mask, other=-float("inf"))
    exponentials = tl.exp(values - tl.max(values, axis=0))
    tl.store(out_ptr + row * columns + offsets, exponentials / tl.sum(exponentials, axis=0), mask=mask)


rows, columns = 16, 200
values = numpy.random.default_rng(1).standard_normal((rows, columns), dtype=numpy.float32)
out = numpy.zeros_like(values)
softmax_kernel[(rows,)](out, values, columns, BLOCK=triton.next_power_of_2(columns))
exponentials = numpy.exp(values - values.max(axis=1, keepdims=True))
expected = exponentials / exponentials.sum(axis=1, keepdims=True)
print("out:     ", *out[0, :4], "...")
print("expected:", *expected[0, :4], "...")
sys.exit(0 if numpy.allclose(out, expected, rtol=1e-4, atol=1e-6) else 1)
