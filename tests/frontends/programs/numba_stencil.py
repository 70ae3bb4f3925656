# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stencil over an array that knows its extents.
import numpy as np
from numba import cuda
@cuda.jit(lineinfo=True)
def step(dst, src):
    y, x = cuda.grid(2)
    if 0 < y < src.shape[0] - 1 and 0 < x < src.shape[1] - 1:
        dst[y, x] = 0.25 * (src[y - 1, x] + src[y + 1, x] + src[y, x - 1] + src[y, x + 1])
a = np.arange(7 * 9, dtype=np.float64).reshape(7, 9); d = np.zeros_like(a)
step[(2, 2), (4, 8)](d, a)
assert np.allclose(d[1:-1, 1:-1], a[1:-1, 1:-1]); print("ok")
