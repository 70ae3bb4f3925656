# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A choice, a sum and the largest of each row.
import cupy as cp, numpy as np
a = cp.arange(60, dtype=cp.float64).reshape(6, 10)
b = cp.where(a % 2 == 0, a, -a)
assert float(b.sum()) == -30 and np.allclose(cp.asnumpy(b.max(axis=1)), [8, 18, 28, 38, 48, 58]); print("ok")
