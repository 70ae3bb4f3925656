# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A scan of one block.
import numpy as np, triton, triton.language as tl
@triton.jit
def scan(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.cumsum(tl.load(x + i, mask=i < n, other=0), 0), mask=i < n)
x = np.arange(200, dtype=np.int32); y = np.zeros_like(x)
scan[(1,)](x, y, 200, B=256)
assert (y == x.cumsum()).all(); print("ok")
