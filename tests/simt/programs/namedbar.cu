// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A producer and a consumer warp over named barriers.
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
    __shared__ int s[64];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    if (w == 0) {
        for (int i = 0; i < 4; i++) {
            asm volatile("bar.sync 1, 64;");
            s[l] = i * 100 + l;
            asm volatile("bar.arrive 2, 64;" ::);
        }
    } else {
        int t = 0;
        for (int i = 0; i < 4; i++) {
            asm volatile("bar.arrive 1, 64;");
            asm volatile("bar.sync 2, 64;" ::: "memory");
            t += s[31 - l];
        }
        o[l] = t;
    }
}
int main()
{
    int* o;
    CK(cudaMalloc(&o, 128));
    k<<<1, 64>>>(o);
    auto r = down(o, 32);
    OK(r[0] == 600 + 4 * 31 && r[31] == 600);
}
