# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shuffles and an atomic addition.
import numpy as np
from numba import cuda
@cuda.jit(lineinfo=True)
def total(out, a):
    i = cuda.grid(1)
    v = a[i] if i < a.size else 0
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xffffffff, v, d)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, v)
a = np.arange(100, dtype=np.int32); o = np.zeros(1, np.int32)
total[2, 64](o, a)
assert o[0] == a.sum(), o; print("ok")
