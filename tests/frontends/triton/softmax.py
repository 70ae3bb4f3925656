# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy
import triton
import triton.language as tl
from device_array import DeviceArray


@triton.jit
def softmax(out, values, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(values + row * columns + offsets, inside, other=-float("inf"))
    x = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + offsets, x / tl.sum(x, axis=0), inside)


rows, columns = 4, 100
values = numpy.random.default_rng(1).standard_normal((rows, columns)).astype(numpy.float32)
out = DeviceArray(numpy.zeros_like(values))
softmax[(rows,)](out, DeviceArray(values), columns, BLOCK=128)
expected = numpy.exp(values - values.max(axis=1, keepdims=True))
expected /= expected.sum(axis=1, keepdims=True)
assert numpy.allclose(out.numpy(), expected, rtol=1e-5, atol=1e-7)
print("ok")
