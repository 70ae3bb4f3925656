# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy_backends.cuda.libs.curand: cuRAND's host library is machine code; who wants numbers of it is told."""


def change(curand):
    def refuse(*_, **__):
        raise RuntimeError(
            "cuRAND is machine code for GPUs, which the simulator does not run: cupy.random cannot draw numbers here; "
            "draw them with numpy.random and copy them with cupy.asarray"
        )

    curand.createGenerator = refuse
