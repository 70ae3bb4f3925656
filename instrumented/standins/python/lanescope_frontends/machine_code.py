# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of NVIDIA's that are machine code for GPUs: importing what binds to them says so, instead of failing later."""

_WHY = (
    "{library} is machine code for GPUs, which the simulator does not run: {what} cannot be recorded here; "
    "write them as a kernel (cupy.RawKernel, cupy.ElementwiseKernel), or compute them with numpy"
)

REFUSED = {
    f"cupy_backends.cuda.libs.{name}": _WHY.format(library=library, what=what)
    for name, library, what in (
        ("cublas", "cuBLAS", "CuPy's matrix products (@, dot, tensordot, einsum)"),
        ("cusolver", "cuSOLVER", "CuPy's decompositions and solvers (cupy.linalg)"),
        ("cusparse", "cuSPARSE", "CuPy's sparse matrices (cupyx.scipy.sparse)"),
    )
}
