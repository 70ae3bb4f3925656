# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that have NVIDIA's runtime linked in: its functions jump to the stand-in's from here on."""
import ctypes
import os


def change(_):
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    ctypes.CDLL(os.path.join(folder, "liblanescope_linked.so")).lanescopeReplaceLinkedRuntimes()
