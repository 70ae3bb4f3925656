# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Atomic additions to cells that the data names.
import numpy as np, triton, triton.language as tl
@triton.jit
def hist(x, h, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(h + v, 1, mask=i < n)
x = (np.arange(500, dtype=np.int32) ** 2) % 7; h = np.zeros(7, np.int32)
hist[(4,)](x.astype(np.int32), h, 500, B=128)
assert (h == np.bincount(x, minlength=7)).all(), h; print("ok")
