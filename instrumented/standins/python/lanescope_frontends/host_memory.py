# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of the host that kernels may touch: what a tensor or an array lies in, registered with the driver for as
long as it lives. Its extent is the buffer's, so that an access outside is told."""
import sys
import weakref

from lanescope_frontends import driver

_registered = {}  # Address to size.


def _forget(address):
    if _registered.pop(address, None) is not None:
        driver.unregister(address)


def _register(owner, address, size, dtype="", shape=()):
    """owner: what the memory goes with; dtype, shape: what it holds, where that is all of it."""
    if size == 0 or _registered.get(address) == size:
        return
    for other, bytes_of_other in list(_registered.items()):
        if other < address + size and address < other + bytes_of_other:
            _forget(other)
    driver.register(address, size)
    _registered[address] = size
    if shape:
        driver.declare(address, dtype, shape)
    weakref.finalize(owner, _forget, address).atexit = False


def register_array(array):
    """array: numpy's; what it is a view of is registered."""
    numpy = sys.modules["numpy"]
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    bounds = getattr(numpy.lib, "array_utils", numpy).byte_bounds(array)
    shape = array.shape if array.flags.c_contiguous else ()
    _register(array, bounds[0], bounds[1] - bounds[0], str(array.dtype), shape)


def register_tensor(tensor):
    """tensor: torch's; where it is on the CPU, its storage is registered."""
    if tensor.untyped_storage().device.type != "cpu":
        return
    storage = tensor.untyped_storage()
    dtype = str(getattr(tensor, "dtype", "")).split(".")[-1]
    shape = tuple(tensor.shape) if dtype and tensor.is_contiguous() else ()
    _register(storage, storage.data_ptr(), storage.nbytes(), dtype, shape)


def device_address(tensor, address):
    """Where kernels find what is at address in the host's memory of the tensor, which is registered."""
    register_tensor(tensor)
    return driver.device_address(address) if address and tensor.untyped_storage().nbytes() else address


def register(value):
    """Registers what is a tensor or an array in an argument of a kernel."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if isinstance(value, (tuple, list)):
        for each in value:
            register(each)
    elif torch is not None and isinstance(value, torch.Tensor):
        register_tensor(value)
    elif numpy is not None and isinstance(value, numpy.ndarray):
        register_array(value)
    elif hasattr(value, "base") and hasattr(value.base, "data_ptr"):
        # A tensor's descriptor, or a tensor as another type.
        register(value.base)


class Array:
    """A numpy array as Triton wants its tensors: with an address."""

    def __init__(self, array):
        self.array = array

    def __getattr__(self, name):
        return getattr(self.array, name)

    def data_ptr(self):
        register_array(self.array)
        return driver.device_address(self.array.ctypes.data) if self.array.size else 0

    def element_size(self):
        return self.array.itemsize


def as_argument(value):
    """What Triton is given in place of an argument."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return value
    if isinstance(value, numpy.ndarray):
        return Array(value)
    # A number of numpy's is the number that it is.
    return value.item() if isinstance(value, numpy.generic) else value
