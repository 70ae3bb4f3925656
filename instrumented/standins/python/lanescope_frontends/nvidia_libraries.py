# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.pathfinder finds NVIDIA's libraries in wheels before it asks the system, but first of all what is loaded: the
stand-ins are, of the version that the program's bindings are for."""
import ctypes
import importlib.metadata
import os


def _major():
    try:
        return importlib.metadata.version("cuda-bindings").split(".")[0]
    except importlib.metadata.PackageNotFoundError:
        return "12"


def change(_):
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    libraries = [f"lib{each}.so.{_major()}" for each in ("nvJitLink", "nvrtc", "cudart")]
    for name in ("libcuda.so.1", "libnvidia-ml.so.1", *libraries):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            ctypes.CDLL(path)
