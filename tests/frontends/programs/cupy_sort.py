# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sorts, whose machine code for GPUs the host stands in for.
import cupy as cp, numpy as np
a = np.array([[3, 1, 2, 9], [0.5, np.nan, -1, 7]], np.float32)
assert np.array_equal(cp.asnumpy(cp.sort(cp.asarray(a))), np.sort(a), equal_nan=True)
assert np.array_equal(cp.asnumpy(cp.argsort(cp.asarray(a), axis=0)), np.argsort(a, axis=0, kind="stable"))
k = np.array([[1, 0, 1, 0], [2, 2, 1, 1]])
assert (cp.asnumpy(cp.lexsort(cp.asarray(k))) == np.lexsort(k)).all()
b = cp.arange(20)[::-1].copy(); b.sort()
assert (b == cp.arange(20)).all() and (cp.unique(cp.array([3, 1, 3])) == cp.array([1, 3])).all()
print("ok")
