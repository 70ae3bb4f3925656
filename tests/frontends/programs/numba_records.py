# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Records, arrays of a thread, a function of the device.
import math

import numpy as np
from numba import cuda, float64
rec = np.dtype([("x", np.float32), ("y", np.float32), ("id", np.int32)], align=True)
@cuda.jit(device=True)
def poly(c, x):
    r = 0.0
    for i in range(4):
        r = r * x + c[i]
    return r
@cuda.jit(lineinfo=True)
def k(pts, out):
    i = cuda.grid(1)
    c = cuda.local.array(4, float64)
    for j in range(4):
        c[j] = j + 1
    if i < pts.shape[0]:
        out[i] = poly(c, pts[i].x) + math.sin(pts[i].y) + pts[i].id
pts = np.zeros(100, rec)
pts["x"] = np.linspace(0, 1, 100); pts["y"] = np.linspace(0, 2, 100); pts["id"] = np.arange(100)
out = cuda.device_array(100, np.float64)
k[4, 32](cuda.to_device(pts), out)
x = pts["x"].astype(np.float64)
want = ((1 * x + 2) * x + 3) * x + 4 + np.sin(pts["y"]) + pts["id"]
assert np.allclose(out.copy_to_host(), want, atol=1e-5), out.copy_to_host() - want
print("ok")
