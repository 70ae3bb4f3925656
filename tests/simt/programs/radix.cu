// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radix sort in one block, with counting in shared memory.
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
__global__ void radix(unsigned* keys, unsigned* tmp, int n)
{
    __shared__ unsigned cnt[257];
    __shared__ unsigned s[256];
    for (int sh = 0; sh < 32; sh += 8) {
        cnt[threadIdx.x] = 0;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += 256)
            atomicAdd(&cnt[keys[i] >> sh & 255], 1);
        __syncthreads();
        unsigned v = cnt[threadIdx.x];
        s[threadIdx.x] = v;
        __syncthreads();
        for (int o = 1; o < 256; o <<= 1) {
            unsigned t = threadIdx.x >= o ? s[threadIdx.x - o] : 0;
            __syncthreads();
            s[threadIdx.x] += t;
            __syncthreads();
        }
        cnt[threadIdx.x] = s[threadIdx.x] - v;
        __syncthreads();
        if (threadIdx.x == 0)
            for (int i = 0; i < n; i++)
                tmp[cnt[keys[i] >> sh & 255]++] = keys[i];
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += 256)
            keys[i] = tmp[i];
        __syncthreads();
    }
}
int main()
{
    int n = 700;
    std::vector<unsigned> h(n);
    for (auto& x : h)
        x = rand() * 2u + rand();
    auto d = up(h);
    auto t = up(h);
    radix<<<1, 256>>>(d, t, n);
    auto r = down(d, n);
    std::sort(h.begin(), h.end());
    OK(r == h);
}
