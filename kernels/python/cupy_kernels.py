# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CuPy: its own kernels, for elements, for sums, and those that it makes of an expression. 100 elements.
import sys

import cupy
import numpy

squared_difference = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")

values = numpy.arange(100, dtype=numpy.float32)
x = cupy.asarray(values)
differences = cupy.asnumpy(squared_difference(x, x[::-1]))
norms = cupy.asnumpy(norm(x.reshape(10, 10), axis=1))
total = float(cupy.sin(x).sum())
print("out:     ", *differences[:4], "...", *norms[:4], "...", total)
expected = (values - values[::-1]) ** 2
expected_norms = numpy.sqrt((values.reshape(10, 10) ** 2).sum(axis=1))
print("expected:", *expected[:4], "...", *expected_norms[:4], "...", numpy.sin(values).sum())
is_right = numpy.array_equal(differences, expected) and numpy.allclose(norms, expected_norms)
sys.exit(0 if is_right and abs(total - numpy.sin(values).sum()) < 1e-4 else 1)
