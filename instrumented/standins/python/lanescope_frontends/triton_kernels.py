# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""triton.runtime.jit: arrays of numpy are arguments, too."""
from lanescope_frontends.host_memory import as_argument


def change(jit):
    run = jit.JITFunction.run

    def run_with_arrays(self, *arguments, **named):
        arguments = [as_argument(each) for each in arguments]
        return run(self, *arguments, **{name: as_argument(each) for name, each in named.items()})

    jit.JITFunction.run = run_with_arrays
