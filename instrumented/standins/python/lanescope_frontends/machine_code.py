# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of NVIDIA's that are machine code for GPUs: importing what binds to them says so, instead of failing later."""

_WHY = (
    "{library} is machine code for GPUs, which the simulator does not run: {what} cannot be recorded here; "
    "write them as a kernel (cupy.RawKernel, cupy.ElementwiseKernel), or compute them with numpy"
)

REFUSED = {
    name: _WHY.format(library=library, what=what)
    for name, library, what in (
        ("cupy_backends.cuda.libs.cublas", "cuBLAS", "CuPy's matrix products (@, dot, tensordot, einsum)"),
        ("cupy_backends.cuda.libs.cusolver", "cuSOLVER", "CuPy's decompositions and solvers (cupy.linalg)"),
        ("cupy_backends.cuda.libs.cusparse", "cuSPARSE", "CuPy's sparse matrices (cupyx.scipy.sparse)"),
        ("cupy.cuda.cufft", "cuFFT", "CuPy's Fourier transforms (cupy.fft)"),
    )
}
