# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python starts with this in the programs that `lanescope ... -- COMMAND` runs: it waits for torch and Triton."""
import importlib.machinery
import importlib.util
import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))


def _run_the_next():
    """Runs the sitecustomize that this one stands before."""
    others = [path for path in sys.path if os.path.abspath(path or ".") != _folder]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


from lanescope_frontends import imports  # noqa: E402 (it lies in this folder)

imports.wait()
_run_the_next()
