// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overflow-checked arithmetic of several widths.
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
__global__ void k(int* o)
{
    int t = threadIdx.x;
    int r;
    long long l;
    unsigned u;
    int f = 0;
    f |= __builtin_add_overflow(2147483640, t, &r);
    f |= __builtin_mul_overflow(3000000000ll * t, 4000000000ll, &l) << 1;
    f |= __builtin_sub_overflow(5u, (unsigned)t, &u) << 2;
    short s;
    f |= __builtin_add_overflow((short)32760, (short)t, &s) << 3;
    o[t] = f;
}
int main()
{
    int* o;
    CK(cudaMalloc(&o, 128));
    k<<<1, 32>>>(o);
    auto r = down(o, 32);
    bool ok = true;
    for (int t = 0; t < 32; t++) {
        int x;
        long long l;
        unsigned u;
        short s;
        int f = __builtin_add_overflow(2147483640, t, &x);
        f |= __builtin_mul_overflow(3000000000ll * t, 4000000000ll, &l) << 1;
        f |= __builtin_sub_overflow(5u, (unsigned)t, &u) << 2;
        f |= __builtin_add_overflow((short)32760, (short)t, &s) << 3;
        ok &= f == r[t];
    }
    OK(ok);
}
