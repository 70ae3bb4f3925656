// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scan by shuffles across the warps of a block.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));                                          \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)
template <class T>
T* up(const std::vector<T>& v)
{
    T* d;
    CK(cudaMalloc(&d, v.size() * sizeof(T)));
    CK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}
template <class T>
std::vector<T> down(const T* d, size_t n)
{
    std::vector<T> v(n);
    CK(cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
}
#define OK(c)                                                                                                          \
    do {                                                                                                               \
        CK(cudaDeviceSynchronize());                                                                                   \
        printf("%s\n", (c) ? "ok" : "WRONG");                                                                          \
        return (c) ? 0 : 1;                                                                                            \
    } while (0)
__global__ void scan(int* d, int* part)
{
    __shared__ int sums[32];
    int id = blockIdx.x * blockDim.x + threadIdx.x, lane = id % warpSize, w = threadIdx.x / warpSize;
    int v = d[id];
#pragma unroll
    for (int i = 1; i <= 32; i *= 2) {
        unsigned mask = 0xffffffff;
        int n = __shfl_up_sync(mask, v, i, 32);
        if (lane >= i)
            v += n;
    }
    if (threadIdx.x % warpSize == warpSize - 1)
        sums[w] = v;
    __syncthreads();
    if (w == 0 && lane < (blockDim.x / warpSize)) {
        int ws = sums[lane];
        int mask = (1 << (blockDim.x / warpSize)) - 1;
        for (int i = 1; i <= (blockDim.x / warpSize); i *= 2) {
            int n = __shfl_up_sync(mask, ws, i, (blockDim.x / warpSize));
            if (lane >= i)
                ws += n;
        }
        sums[lane] = ws;
    }
    __syncthreads();
    int b = 0;
    if (w > 0)
        b = sums[w - 1];
    d[id] = v + b;
}
int main()
{
    int n = 256;
    std::vector<int> h(n, 1);
    auto d = up(h);
    scan<<<1, n>>>(d, nullptr);
    auto r = down(d, n);
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= r[i] == i + 1;
    OK(ok);
}
