# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Numba: a dot product, a tree in shared memory. 8 elements, 1 block of 8 threads.
import sys

import numpy
from numba import cuda, float32

TPB = 8


@cuda.jit(lineinfo=True)
def dot_product(out, a, b):
    shared = cuda.shared.array(TPB, float32)
    local_i = cuda.threadIdx.x
    shared[local_i] = a[local_i] * b[local_i]
    cuda.syncthreads()
    stride = TPB // 2
    while stride > 0:
        if local_i < stride:
            shared[local_i] += shared[local_i + stride]
        cuda.syncthreads()
        stride //= 2
    if local_i == 0:
        out[0] = shared[0]


a = numpy.arange(TPB, dtype=numpy.float32)
out = cuda.to_device(numpy.zeros(1, dtype=numpy.float32))
dot_product[1, TPB](out, cuda.to_device(a), cuda.to_device(a))
result = out.copy_to_host()[0]
print("out:     ", result)
print("expected:", a @ a)
sys.exit(0 if result == a @ a else 1)
