// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A grid-stride loop over an odd number of elements, in place.
#include <cstdio>
#include <vector>

template <typename T>
__global__ void saxpy(T* y, const T* x, T a, size_t n)
{
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const size_t n = 1537;
    std::vector<double> h(n, 1.0);
    double *x, *y;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    cudaMemcpy(x, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(y, h.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    saxpy<double><<<5, 96>>>(y, x, 2.0, n);
    cudaMemcpy(h.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
    for (double v : h)
        if (v != 3.0) return 1;
    return 0;
}
