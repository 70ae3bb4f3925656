// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 128-bit integers, and a loop that optimisation turns into a 65-bit product.
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
__global__ void k(unsigned long long* o, unsigned long long a, unsigned long long b)
{
    int t = threadIdx.x;
    unsigned __int128 p = (unsigned __int128)(a + t) * b;
    p += ((unsigned __int128)t << 90);
    p >>= t;
    o[2 * t] = (unsigned long long)p;
    o[2 * t + 1] = (unsigned long long)(p >> 64) + (unsigned long long)(p % 1000003);
    __int128 s = -(__int128)p;
    if (s < 0)
        o[2 * t] ^= 1;
    unsigned long long m = 0;
    for (unsigned long long i = 0; i < a % 100 + t; i++)
        m += i * i;
    o[2 * t] += m;
}
int main()
{
    unsigned long long a = 0x123456789abcdefull, b = 0xfedcba987654321ull;
    unsigned long long* o;
    CK(cudaMalloc(&o, 64 * 8));
    k<<<1, 32>>>(o, a, b);
    auto r = down(o, 64);
    bool ok = true;
    for (int t = 0; t < 32; t++) {
        unsigned __int128 p = (unsigned __int128)(a + t) * b;
        p += ((unsigned __int128)t << 90);
        p >>= t;
        unsigned long long x = p, y = (unsigned long long)(p >> 64) + (unsigned long long)(p % 1000003);
        __int128 s = -(__int128)p;
        if (s < 0)
            x ^= 1;
        for (unsigned long long i = 0; i < a % 100 + t; i++)
            x += i * i;
        ok &= r[2 * t] == x && r[2 * t + 1] == y;
    }
    OK(ok);
}
