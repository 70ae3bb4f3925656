// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A warp scan in inline PTX with predicates.
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
#include <cassert>
__device__ __forceinline__ unsigned lane_id()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
__device__ __forceinline__ unsigned bfe(unsigned x, unsigned b, unsigned n)
{
    unsigned r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(b), "r"(n));
    return r;
}
__device__ int warp_scan(int v)
{
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int n;
        asm volatile("{ .reg .s32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %1, %2, 0x0, 0xffffffff; @p add.s32 r0, r0, "
                     "%1; @!p mov.s32 r0, %1; mov.s32 %0, r0; }"
                     : "=r"(n)
                     : "r"(v), "r"(o));
        v = n;
    }
    return v;
}
__global__ void k(int* o)
{
    int v = threadIdx.x + 1;
    assert(blockDim.x == 32);
    o[threadIdx.x] = warp_scan(v) + bfe(0xff00, 8, 4) + lane_id();
}
int main()
{
    int* o;
    CK(cudaMalloc(&o, 128));
    k<<<1, 32>>>(o);
    auto r = down(o, 32);
    bool ok = true;
    for (int i = 0; i < 32; i++)
        ok &= r[i] == (i + 1) * (i + 2) / 2 + 15 + i;
    OK(ok);
}
