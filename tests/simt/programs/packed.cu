// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed 128-bit loads of float and bfloat16.
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
template <class E>
struct alignas(16) Packed128 {
    static constexpr int size = 16 / sizeof(E);
    E p[size];
    Packed128() = default;
    __device__ explicit Packed128(int4 b) { memcpy(p, &b, 16); }
    __device__ E& operator[](int i) { return p[i]; }
    __device__ int4 bits() const
    {
        int4 b;
        memcpy(&b, p, 16);
        return b;
    }
};
template <class E>
__device__ Packed128<E> load128(const E* a)
{
    return Packed128<E>{*reinterpret_cast<const int4*>(a)};
}
template <class E>
__device__ Packed128<E> load128cs(const E* a)
{
    return Packed128<E>{__ldcs(reinterpret_cast<const int4*>(a))};
}
template <class E>
__device__ void store128(E* a, Packed128<E> v)
{
    *reinterpret_cast<int4*>(a) = v.bits();
}
#include <cuda_bf16.h>
template <class E>
__global__ void add(E* o, const E* a, const E* b, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * Packed128<E>::size;
    if (i < n) {
        auto x = load128cs(a + i), y = load128(b + i);
        Packed128<E> z;
        for (int k = 0; k < Packed128<E>::size; k++)
            z[k] = (E)((float)x[k] + (float)y[k]);
        store128(o + i, z);
    }
}
int main()
{
    int n = 256;
    std::vector<float> a(n), b(n);
    std::vector<__nv_bfloat16> c(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
        c[i] = __float2bfloat16(i % 100);
    }
    auto da = up(a), db = up(b), o = up(a);
    add<<<1, 64>>>(o, da, db, n);
    auto r = down(o, n);
    auto dc = up(c), oc = up(c);
    add<<<1, 64>>>(oc, dc, dc, n);
    auto q = down(oc, n);
    OK(r[255] == 765 && __bfloat162float(q[99]) == 198);
}
