# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on memory of the host, as Triton launches them on torch's tensors of the CPU. torch is a stand-in here that
has what lanescope_frontends asks of a tensor; the kernel's PTX is below. The first argument says how many elements to
scale, a second leaves at once, with that status."""
import ctypes
import os
import sys
import types

from lanescope_frontends import driver, host_memory

PTX = b"""
.version 8.5
.target sm_90
.address_size 64
.visible .entry scale(.param .u64 scale_param_0, .param .u32 scale_param_1)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<5>;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [scale_param_0];
    ld.param.u32 %r1, [scale_param_1];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra $done;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    ld.global.f32 %f1, [%rd4];
    add.f32 %f2, %f1, %f1;
    st.global.f32 [%rd4], %f2;
$done:
    ret;
}
"""


class Storage:
    def __init__(self, values):
        self.memory = (ctypes.c_float * len(values))(*values)
        self.device = types.SimpleNamespace(type="cpu")

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def nbytes(self):
        return ctypes.sizeof(self.memory)


class Tensor:
    dtype = "torch.float32"

    def __init__(self, storage, shape, begin=0):
        self.storage, self.shape, self.begin = storage, shape, begin

    def is_contiguous(self):
        return True

    def untyped_storage(self):
        return self.storage

    def data_ptr(self):
        return self.storage.data_ptr() + 4 * self.begin


def launch(library, tensor, count):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    driver.check(library.cuModuleLoadData(ctypes.byref(module), PTX), "cuModuleLoadData")
    driver.check(library.cuModuleGetFunction(ctypes.byref(kernel), module, b"scale"), "cuModuleGetFunction")
    address = ctypes.c_uint64(host_memory.device_address(tensor, tensor.data_ptr()))
    size = ctypes.c_uint32(count)
    arguments = (ctypes.c_void_p * 2)(ctypes.addressof(address), ctypes.addressof(size))
    driver.check(
        library.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, arguments, None),
        "cuLaunchKernel",
    )
    library.cuStreamSynchronize(None)


def main():
    sys.modules["torch"] = types.SimpleNamespace(Tensor=Tensor)
    library = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    driver.check(library.cuInit(0), "cuInit")
    driver.check(library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), "cuDevicePrimaryCtxRetain")
    driver.check(library.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    whole = Tensor(Storage([1, 2, 3, 4, 5, 6, 7, 8]), (2, 4))
    tensor = Tensor(whole.storage, (6,), begin=2)
    host_memory.register(whole)
    host_memory.register((tensor, 3, [tensor]))
    launch(library, tensor, int(sys.argv[1]))
    if len(sys.argv) > 2:
        os._exit(int(sys.argv[2]))
    print(*tensor.storage.memory)
    address = tensor.data_ptr()
    print("registered:", len(host_memory._registered))
    del whole, tensor
    print("after it is gone:", len(host_memory._registered))
    try:
        driver.device_address(address)
    except RuntimeError as error:
        print(error)


main()
