# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
import triton
import triton.language as tl
from device_array import DeviceArray


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    tl.store(out + offsets, tl.load(x + offsets, inside) + tl.load(y + offsets, inside), inside)


count = 300
x = DeviceArray(numpy.arange(count, dtype=numpy.float32))
y = DeviceArray(numpy.ones(count, dtype=numpy.float32))
out = DeviceArray(numpy.zeros(count, dtype=numpy.float32))
add[(triton.cdiv(count, 128),)](x, y, out, count, BLOCK=128)
assert (out.numpy() == numpy.arange(count) + 1).all()
print("ok")
