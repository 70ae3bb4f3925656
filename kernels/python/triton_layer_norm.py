# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Triton: normalises each row to mean 0 and variance 1, then scales and shifts it. 8x100 elements.
import sys

import numpy
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(in_ptr, out_ptr, weight_ptr, bias_ptr, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(in_ptr + row * columns + offsets, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scale = tl.load(weight_ptr + offsets, mask=mask)
    shift = tl.load(bias_ptr + offsets, mask=mask)
    tl.store(out_ptr + row * columns + offsets, centred / tl.sqrt(variance + epsilon) * scale + shift, mask=mask)


rows, columns, epsilon = 8, 100, 1e-5
random = numpy.random.default_rng(1)
x = random.standard_normal((rows, columns), dtype=numpy.float32)
weight = random.standard_normal(columns, dtype=numpy.float32)
bias = random.standard_normal(columns, dtype=numpy.float32)
out = numpy.zeros_like(x)
layer_norm_kernel[(rows,)](
    x, out, weight, bias, columns, epsilon, BLOCK=128
)
centred = x - x.mean(axis=1, keepdims=True)
expected = centred / numpy.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon) * weight + bias
print("out:     ", *out[0, :4], "...")
print("expected:", *expected[0, :4], "...")
sys.exit(0 if numpy.allclose(out, expected, rtol=1e-4, atol=1e-5) else 1)
