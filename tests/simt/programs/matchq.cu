// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp-aggregated atomics with match and activemask.
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
__global__ void agg(int* c, const int* k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned act = __activemask();
        unsigned m = __match_any_sync(act, k[i]);
        int l = __ffs(m) - 1;
        if ((threadIdx.x & 31) == l)
            atomicAdd(&c[k[i]], __popc(m));
    }
}
__device__ int aggInc(int* p)
{
    unsigned a = __activemask();
    int leader = __ffs(a) - 1, lane = threadIdx.x & 31, base;
    if (lane == leader)
        base = atomicAdd(p, __popc(a));
    base = __shfl_sync(a, base, leader);
    return base + __popc(a & ((1u << lane) - 1));
}
__global__ void filter(int* o, int* cnt, const int* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0)
        o[aggInc(cnt)] = in[i];
}
int main()
{
    int n = 500;
    std::vector<int> k(n);
    for (int i = 0; i < n; i++)
        k[i] = (i * i) % 7;
    auto d = up(k);
    int *c, *o;
    CK(cudaMalloc(&c, 40));
    CK(cudaMemset(c, 0, 40));
    CK(cudaMalloc(&o, n * 4));
    agg<<<4, 128>>>(c, d, n);
    auto r = down(c, 7);
    bool ok = true;
    for (int j = 0; j < 7; j++)
        ok &= r[j] == std::count(k.begin(), k.end(), j);
    CK(cudaMemset(c, 0, 40));
    filter<<<4, 128>>>(o, c, d, n);
    ok &= down(c, 1)[0] == std::count_if(k.begin(), k.end(), [](int x) { return x % 3 == 0; });
    OK(ok);
}
