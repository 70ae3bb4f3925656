# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A module of CUDA C++: templates by name, a constant that the host fills, halos in shared memory.
import cupy as cp
import numpy as np
src = r'''
#include <cuda_fp16.h>
template<typename T> __global__ void axpy(T a, const T* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__constant__ float taps[3];
extern "C" __global__ void conv(const float* in, float* out, int n) {
  __shared__ float tile[66];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) tile[threadIdx.x + 1] = in[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 63 || i == n - 1) tile[threadIdx.x + 2] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = taps[0] * tile[threadIdx.x] + taps[1] * tile[threadIdx.x + 1] + taps[2] * tile[threadIdx.x + 2];
}
'''
m = cp.RawModule(code=src, options=("-std=c++17",), name_expressions=["axpy<float>", "axpy<double>"])
x = cp.arange(100, dtype=cp.float64); y = cp.ones(100, dtype=cp.float64)
m.get_function("axpy<double>")((4,), (32,), (2.0, x, y, np.int32(100)))
assert (y.get() == 2 * np.arange(100) + 1).all()
t = cp.ndarray(3, cp.float32, m.get_global("taps"))
t[...] = cp.asarray([1, 2, 1], dtype=cp.float32)
a = cp.arange(130, dtype=cp.float32); o = cp.zeros_like(a)
m.get_function("conv")((3,), (64,), (a, o, np.int32(130)))
w = np.convolve(a.get(), [1, 2, 1], "same")
assert np.array_equal(o.get(), w)
print("ok")
