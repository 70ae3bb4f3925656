# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Steps of a relaxation, with a barrier of the whole grid between them. 64 cells, 3 steps.
import numpy as np
from numba import cuda

CELLS, STEPS = 64, 3


@cuda.jit(lineinfo=True)
def relax(rows):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for step in range(STEPS):
        left = rows[step, max(i - 1, 0)]
        right = rows[step, min(i + 1, CELLS - 1)]
        rows[step + 1, i] = (left + right) * 0.5
        grid.sync()


rows = np.zeros((STEPS + 1, CELLS), np.float32)
rows[0] = np.arange(CELLS) ** 2
expected = rows.copy()
for step in range(STEPS):
    padded = np.pad(expected[step], 1, mode="edge")
    expected[step + 1] = (padded[:-2] + padded[2:]) * np.float32(0.5)
on_device = cuda.to_device(rows)
relax[2, 32](on_device)
assert np.array_equal(on_device.copy_to_host(), expected)
print("ok")
