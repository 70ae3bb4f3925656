# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CuPy: CUDA source in a string. A transpose through a padded tile in shared memory. 64x64 elements, tiles of 32x32.
import sys

import cupy
import numpy

transpose = cupy.RawKernel(
    r"""
extern "C" __global__ void transpose(float* out, const float* in, int size)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * size + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        out[(y + i) * size + x] = tile[threadIdx.x][threadIdx.y + i];
}
""",
    "transpose",
)

size = 64
values = numpy.arange(size * size, dtype=numpy.float32).reshape(size, size)
out = cupy.zeros((size, size), dtype=cupy.float32)
transpose((size // 32, size // 32), (32, 8), (out, cupy.asarray(values), numpy.int32(size)))
result = cupy.asnumpy(out)
print("out:     ", *result[0, :8], "...")
print("expected:", *values.T[0, :8], "...")
sys.exit(0 if numpy.array_equal(result, values.T) else 1)
