// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// alloca of a size known at run time, vector elements chosen at run time.
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
__global__ void k(int* o, int n)
{
    int* a = (int*)alloca((n + threadIdx.x) * 4);
    for (int i = 0; i < n + (int)threadIdx.x; i++)
        a[i] = i;
    int s = 0;
    for (int i = 0; i < n + (int)threadIdx.x; i++)
        s += a[i];
    float4 v = make_float4(1, 2, 3, 4);
    float* p = &v.x;
    o[threadIdx.x] = s + (int)p[threadIdx.x & 3];
    typedef float f4 __attribute__((ext_vector_type(4)));
    f4 q = {1, 2, 3, 4};
    q[threadIdx.x & 3] = 9;
    o[threadIdx.x] += (int)q[(threadIdx.x + 1) & 3];
}
int main()
{
    int* o;
    CK(cudaMalloc(&o, 128));
    k<<<1, 32>>>(o, 5);
    auto r = down(o, 32);
    bool ok = true;
    for (int t = 0; t < 32; t++) {
        int m = 5 + t;
        int q[4] = {1, 2, 3, 4};
        q[t & 3] = 9;
        ok &= r[t] == m * (m - 1) / 2 + (t & 3) + 1 + q[(t + 1) & 3];
    }
    OK(ok);
}
