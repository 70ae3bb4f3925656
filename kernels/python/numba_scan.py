# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Numba: a prefix sum after Hillis and Steele, from one array to the other and back. 8 elements, 1 block of 8 threads.
import sys

import numpy
from numba import cuda, float32

TPB = 8


@cuda.jit(lineinfo=True)
def hillis_steele(out, a):
    shared = cuda.shared.array((2, TPB), float32)
    local_i = cuda.threadIdx.x
    source = 0
    shared[source, local_i] = a[local_i]
    cuda.syncthreads()
    offset = 1
    while offset < TPB:
        total = shared[source, local_i]
        if local_i >= offset:
            total += shared[source, local_i - offset]
        shared[1 - source, local_i] = total
        source = 1 - source
        offset *= 2
        cuda.syncthreads()
    out[local_i] = shared[source, local_i]


a = numpy.arange(TPB, dtype=numpy.float32)
out = cuda.to_device(numpy.zeros_like(a))
hillis_steele[1, TPB](out, cuda.to_device(a))
result = out.copy_to_host()
print("out:     ", *result)
print("expected:", *numpy.cumsum(a))
sys.exit(0 if numpy.array_equal(result, numpy.cumsum(a)) else 1)
