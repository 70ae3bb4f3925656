# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CUDA's driver, as far as Python calls it here; the stand-in answers."""
import ctypes
import functools
import os


@functools.lru_cache(maxsize=None)
def _library():
    library = ctypes.CDLL("libcuda.so.1")
    library.cuMemHostRegister_v2.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    library.cuMemHostGetDevicePointer_v2.argtypes = [ctypes.POINTER(ctypes.c_uint64), ctypes.c_void_p, ctypes.c_uint]
    library.cuMemHostUnregister.argtypes = [ctypes.c_void_p]
    library.cuStreamSynchronize.argtypes = [ctypes.c_void_p]
    library.cuInit(0)
    return library


def check(error, what):
    if error:
        raise RuntimeError(f"{what}: CUDA error {error}")


def register(address, size):
    check(_library().cuMemHostRegister_v2(address, size, 0), "cuMemHostRegister")


@functools.lru_cache(maxsize=None)
def _runtime():
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    runtime = ctypes.CDLL(os.path.join(folder, "liblanescope_runtime.so"))
    declare = runtime.__getattr__("__lanescopeDeclareBuffer")
    declare.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.POINTER(ctypes.c_uint64)]
    declare.restype = None
    return declare


def declare(address, dtype, shape):
    """Says what is at address in registered memory: dtype is a name, "float16"."""
    _runtime()(address, dtype.encode(), len(shape), (ctypes.c_uint64 * len(shape))(*shape))


def device_address(address):
    """address: in registered memory."""
    found = ctypes.c_uint64()
    check(_library().cuMemHostGetDevicePointer_v2(ctypes.byref(found), address, 0), "cuMemHostGetDevicePointer")
    return found.value


def unregister(address):
    # The memory may be gone for other reasons: at the end of the process, nobody is left to be told.
    _library().cuMemHostUnregister(address)


def synchronize(stream=0):
    check(_library().cuStreamSynchronize(stream), "cuStreamSynchronize")


def attribute(number):
    value = ctypes.c_int()
    check(_library().cuDeviceGetAttribute(ctypes.byref(value), number, 0), "cuDeviceGetAttribute")
    return value.value


def name():
    text = ctypes.create_string_buffer(256)
    check(_library().cuDeviceGetName(text, len(text), 0), "cuDeviceGetName")
    return text.value.decode()


def total_memory():
    size = ctypes.c_size_t()
    check(_library().cuDeviceTotalMem_v2(ctypes.byref(size), 0), "cuDeviceTotalMem")
    return size.value
