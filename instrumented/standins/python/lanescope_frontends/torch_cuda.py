# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cuda: what programs ask of it, answered for the simulator's one device. What is not here reaches torch's own
function, which finds no device and says so."""
import contextlib
import time
import types

import torch

from lanescope_frontends import driver

# The driver's numbers of attributes.
_MAX_SHARED_PER_BLOCK, _WARP_SIZE, _MULTIPROCESSORS, _L2_BYTES, _THREADS_PER_MULTIPROCESSOR = 8, 10, 16, 38, 39
_MAJOR, _MINOR, _SHARED_PER_MULTIPROCESSOR, _REGISTERS_PER_MULTIPROCESSOR, _SHARED_OPTIN = 75, 76, 81, 82, 97


class Event:
    """The host's time: kernels are done when a launch returns."""

    def __init__(self, *_, **__):
        self._time = None

    def record(self, stream=None):
        self._time = time.perf_counter()

    def elapsed_time(self, end):
        return (end._time - self._time) * 1e3

    def query(self):
        return True

    def synchronize(self):
        driver.synchronize()

    def wait(self, stream=None):
        pass


class Stream:
    """The one stream that there is."""

    cuda_stream = 0
    stream_id = 0
    device_index = 0

    def __init__(self, *_, **__):
        pass

    def synchronize(self):
        driver.synchronize()

    def query(self):
        return True

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Device(contextlib.nullcontext):
    """with torch.cuda.device(...)"""

    def __init__(self, device=None):
        super().__init__()
        self.idx = 0


def _capability(device=None):
    return driver.attribute(_MAJOR), driver.attribute(_MINOR)


def _properties(device=None):
    major, minor = _capability()
    return types.SimpleNamespace(
        name=driver.name(),
        major=major,
        minor=minor,
        total_memory=driver.total_memory(),
        multi_processor_count=driver.attribute(_MULTIPROCESSORS),
        warp_size=driver.attribute(_WARP_SIZE),
        max_threads_per_multi_processor=driver.attribute(_THREADS_PER_MULTIPROCESSOR),
        regs_per_multiprocessor=driver.attribute(_REGISTERS_PER_MULTIPROCESSOR),
        shared_memory_per_block=driver.attribute(_MAX_SHARED_PER_BLOCK),
        shared_memory_per_block_optin=driver.attribute(_SHARED_OPTIN),
        shared_memory_per_multiprocessor=driver.attribute(_SHARED_PER_MULTIPROCESSOR),
        L2_cache_size=driver.attribute(_L2_BYTES),
        is_integrated=0,
        is_multi_gpu_board=0,
    )


def _answers():
    def nothing(*_, **__):
        return None

    def synchronize(device=None):
        driver.synchronize()

    def seed(number):
        torch.default_generator.manual_seed(number)

    stream = Stream()
    return {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": nothing,
        "_lazy_init": nothing,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": nothing,
        "device": Device,
        "device_of": Device,
        "synchronize": synchronize,
        "get_device_name": lambda device=None: driver.name(),
        "get_device_capability": _capability,
        "get_device_properties": _properties,
        "is_bf16_supported": lambda *_, **__: True,
        "Event": Event,
        "Stream": Stream,
        "ExternalStream": Stream,
        "stream": lambda which: which if which is not None else stream,
        "set_stream": nothing,
        "current_stream": lambda device=None: stream,
        "default_stream": lambda device=None: stream,
        "manual_seed": seed,
        "manual_seed_all": seed,
        "empty_cache": nothing,
        "mem_get_info": lambda device=None: (driver.total_memory(), driver.total_memory()),
        "memory_allocated": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0,
        "memory_reserved": lambda device=None: 0,
        "max_memory_reserved": lambda device=None: 0,
        "reset_peak_memory_stats": nothing,
        "reset_max_memory_allocated": nothing,
    }


def change():
    for name, answer in _answers().items():
        setattr(torch.cuda, name, answer)
    # Triton asks for the stream's handle where torch has it.
    torch._C._cuda_getCurrentRawStream = lambda device: 0
