// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each thread writes an element of its own, or nearly so: a matrix that is narrower than the grid, one buffer by two
// pointers, a stride over the grid that is one thread short.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void fill(float* matrix, int n, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
#ifdef FIXED
    if (x < n && y < rows)
#else
    if (x <= n && y < rows)
#endif
        matrix[y * n + x] = x;  // expect: global-race error
}

__global__ void shift(float* to, const float* from)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + 1;  // expect: global-race error
}

__global__ void twice(float* data, int n)
{
#ifdef FIXED
    const int stride = gridDim.x * blockDim.x;
#else
    const int stride = gridDim.x * blockDim.x - 1;
#endif
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        data[i] *= 2;  // expect: global-race error
}

struct View {
    float* data;
    int first;
};

__global__ void copy(View to, View from)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to.data[to.first + i] = from.data[from.first + i];  // expect: global-race error
}

int main()
{
    constexpr int kWidth = 33, kRows = 16, kCount = 1024;
    float* data = nullptr;
    cudaMalloc(&data, 2 * kCount * sizeof(float));
    cudaMemset(data, 0, 2 * kCount * sizeof(float));
    fill<<<dim3(2, 4), dim3(32, 4)>>>(data, kWidth, kRows);
#ifdef FIXED
    shift<<<4, 64>>>(data, data + kCount);
#else
    shift<<<4, 64>>>(data, data + 1);
#endif
    twice<<<2, 64>>>(data, kCount);
#ifdef FIXED
    copy<<<2, 64>>>({data, 8}, {data, 8});
#else
    copy<<<2, 64>>>({data, 8}, {data, 9});
#endif
    const cudaError_t error = cudaDeviceSynchronize();
    cudaFree(data);
    std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
