# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.cuda.thrust: sorts are the host's, as those of Thrust are in programs that Lanescope compiles. They are stable,
and not-a-numbers come last, as CuPy has them."""
import numpy

_TO_DEVICE, _TO_HOST = 1, 2


def _read(address, dtype, shape):
    from cupy.cuda import runtime

    array = numpy.empty(tuple(shape), dtype)
    if array.nbytes:
        runtime.memcpy(array.ctypes.data, address, array.nbytes, _TO_HOST)
    return array


def _write(address, array):
    from cupy.cuda import runtime

    array = numpy.ascontiguousarray(array)
    if array.nbytes:
        runtime.memcpy(address, array.ctypes.data, array.nbytes, _TO_DEVICE)


def _sort(dtype, data, keys, shape):
    _write(data, numpy.sort(_read(data, dtype, shape), axis=-1, kind="stable"))


def _argsort(dtype, indices, data, keys, shape):
    values = _read(data, dtype, shape)
    order = numpy.argsort(values, axis=-1, kind="stable")
    _write(indices, order.astype(numpy.intp))
    _write(data, numpy.take_along_axis(values, order, axis=-1))


def _lexsort(dtype, indices, keys, count, size):
    _write(indices, numpy.lexsort(_read(keys, dtype, (count, size))).astype(numpy.intp))


def change(thrust):
    thrust.sort, thrust.argsort, thrust.lexsort = _sort, _argsort, _lexsort
