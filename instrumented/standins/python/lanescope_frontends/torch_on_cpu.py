# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch: what a program puts on the device "cuda" lies on the CPU, where the simulator's kernels reach it. Its tensors
call themselves the device's, all of them, so that programs which ask find what they find on a GPU. torch's own
operations run on the CPU; kernels that it compiled for GPUs are never called."""
import torch
from torch.overrides import TorchFunctionMode

from lanescope_frontends import host_memory, torch_cuda


def _is_cuda(value):
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.split(":")[0] == "cuda"


def _moves():
    """Methods of tensors that copy to another device; what is one here would be two tensors there."""
    return {torch.Tensor.cuda, torch.Tensor.cpu, torch.Tensor.to, torch.Tensor.pin_memory}


def _names_a_device(arguments, named):
    return named.get("device") is not None or any(
        isinstance(each, torch.device) or (isinstance(each, str) and each.split(":")[0] in ("cuda", "cpu"))
        for each in arguments[1:]
    )


def _move(function, arguments, named):
    """function: one of _moves."""
    tensor = arguments[0]
    if function is torch.Tensor.pin_memory:
        return tensor
    if function is not torch.Tensor.to:
        return tensor.clone()
    moved = function(*_on_cpu(arguments), **_named_on_cpu(named))
    return moved.clone() if moved is tensor and _names_a_device(arguments, named) else moved


def _on_cpu(arguments):
    return tuple(torch.device("cpu") if _is_cuda(each) else each for each in arguments)


def _named_on_cpu(named):
    """A number names a device, too: a GPU."""
    device = named.get("device")
    if _is_cuda(device) or (isinstance(device, int) and not isinstance(device, bool)):
        named = {**named, "device": torch.device("cpu")}
    # Pinned memory is memory of the host: all is.
    return {name: value for name, value in named.items() if name != "pin_memory"} if named.get("pin_memory") else named


def _array_interface(tensor):
    """How Numba and CuPy ask for a tensor's memory."""
    host = tensor.detach().numpy().__array_interface__
    address = host_memory.device_address(tensor, tensor.data_ptr())
    return {**host, "data": (address, False), "version": 2}


def _mode():
    device = torch.device("cuda", 0)
    answers = {
        torch.Tensor.device.__get__: device,
        torch.Tensor.is_cuda.__get__: True,
        torch.Tensor.is_cpu.__get__: False,
        torch.Tensor.get_device: 0,
    }
    interface = torch.Tensor.__cuda_array_interface__.__get__
    moves = _moves()

    class CudaIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function, types, arguments=(), named=None):
            named = named or {}
            if function in answers:
                return answers[function]
            if function is torch.Tensor.data_ptr:
                return host_memory.device_address(arguments[0], function(*arguments))
            if function is interface:
                return _array_interface(arguments[0])
            if function is torch.device:
                return function(*arguments, **named)
            if function in moves:
                return _move(function, arguments, named)
            return function(*_on_cpu(arguments), **_named_on_cpu(named))

    return CudaIsTheCpu()


def _patch_generators():
    """Random numbers of the device are the CPU's."""

    class Generator(torch.Generator):
        def __new__(cls, device="cpu"):
            return super().__new__(cls, device="cpu")

    torch.Generator = Generator


def change(_):
    torch_cuda.change()
    _patch_generators()
    set_default_device = torch.set_default_device
    torch.set_default_device = lambda device: set_default_device("cpu" if _is_cuda(device) else device)
    # It stays for as long as the program runs.
    _mode().__enter__()
