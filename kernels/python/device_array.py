# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A numpy array's copy on the device, which Triton takes for a tensor: it has data_ptr() and dtype."""
import ctypes

import numpy
import triton.language as tl

_driver = ctypes.CDLL("libcuda.so.1")
_types = {"float32": tl.float32, "float16": tl.float16, "int32": tl.int32}


def _check(error):
    if error:
        raise RuntimeError(f"CUDA error {error}")


def _start():
    context = ctypes.c_void_p()
    _check(_driver.cuInit(0))
    _check(_driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    _check(_driver.cuCtxSetCurrent(context))


_start()


class DeviceArray:
    def __init__(self, values):
        self._host = numpy.ascontiguousarray(values)
        self.dtype = _types[str(self._host.dtype)]
        self.shape = self._host.shape
        address = ctypes.c_uint64()
        _check(_driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(self._host.nbytes)))
        self._address = address.value
        _check(_driver.cuMemcpyHtoD_v2(address, self._data(), ctypes.c_size_t(self._host.nbytes)))

    def _data(self):
        return self._host.ctypes.data_as(ctypes.c_void_p)

    def data_ptr(self):
        return self._address

    def numpy(self):
        _check(_driver.cuMemcpyDtoH_v2(self._data(), ctypes.c_uint64(self._address), ctypes.c_size_t(self._host.nbytes)))
        return self._host
