# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes modules right after the program imports them, and costs nothing where it does not."""
import importlib
import importlib.util
import sys

from lanescope_frontends.machine_code import REFUSED

# By module: which module of ours changes it, by its function change(module).
_CHANGES = {
    "cuda.pathfinder": "nvidia_libraries",
    "cupy": "cupy_memory",
    "cupy.cuda.thrust": "cupy_thrust",
    "cupy_backends.cuda.api.runtime": "linked_runtime",
    "cupy_backends.cuda.libs.curand": "cupy_random",
    "numba.cuda.cudaimpl": "numba_arrays",
    "numba.cuda.lowering": "numba_arrays",
    "torch": "torch_on_cpu",
    "triton.runtime.jit": "triton_kernels",
    "triton.runtime.autotuner": "triton_tuning",
    "triton.runtime._allocation": "triton_scratch",
    "triton.testing": "triton_testing",
    "triton.backends.nvidia.compiler": "triton_variables",
    "triton.backends.nvidia.driver": "triton_launcher",
}


class _Loader:
    """Another loader, whose modules are changed after they ran."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        importlib.import_module(f"lanescope_frontends.{_CHANGES[module.__name__]}").change(module)


class _Finder:
    def __init__(self):
        self._looking_for = set()

    def find_spec(self, name, path=None, target=None):
        if name in REFUSED:
            raise ImportError(REFUSED[name])
        if name not in _CHANGES or name in self._looking_for:
            return None
        self._looking_for.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._looking_for.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def wait():
    sys.meta_path.insert(0, _Finder())
