// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Templates, functors, lambdas and if constexpr in kernels; an unrolled reduction.
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
template <class F, class T>
__global__ void transform(T* o, const T* a, const T* b, int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        o[i] = f(a[i], b[i]);
}
struct Saxpy {
    float k;
    __host__ __device__ float operator()(float x, float y) const { return k * x + y; }
};
template <int OP>
struct Op {
    template <class T>
    __device__ T operator()(T a, T b) const
    {
        if constexpr (OP == 0)
            return a + b;
        else if constexpr (OP == 1)
            return a * b;
        else
            return a > b ? a : b;
    }
};
template <typename T, unsigned BS>
__global__ void reduce6(const T* in, T* out, unsigned n)
{
    __shared__ T s[BS];
    unsigned tid = threadIdx.x, i = blockIdx.x * BS * 2 + tid;
    T v = 0;
    while (i < n) {
        v += in[i];
        if (i + BS < n)
            v += in[i + BS];
        i += BS * 2 * gridDim.x;
    }
    s[tid] = v;
    __syncthreads();
    if (BS >= 256) {
        if (tid < 128)
            s[tid] += s[tid + 128];
        __syncthreads();
    }
    if (BS >= 128) {
        if (tid < 64)
            s[tid] += s[tid + 64];
        __syncthreads();
    }
    if (tid < 32) {
        volatile T* w = s;
        T x = s[tid] + s[tid + 32];
        for (int o = 16; o > 0; o >>= 1)
            x += __shfl_down_sync(0xffffffff, x, o);
        if (tid == 0)
            out[blockIdx.x] = x;
    }
}
int main()
{
    int n = 1000;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = n - i;
    }
    auto da = up(a), db = up(b);
    float* o;
    CK(cudaMalloc(&o, n * 4));
    transform<<<8, 128>>>(o, da, db, n, Saxpy{2.f});
    auto r = down(o, n);
    bool ok = r[10] == 20 + 990;
    transform<<<8, 128>>>(o, da, db, n, Op<2>());
    r = down(o, n);
    ok &= r[10] == 990 && r[999] == 999;
    int k = 7;
    transform<<<8, 128>>>(o, da, db, n, [=] __device__(float x, float y) { return x * k - y; });
    r = down(o, n);
    ok &= r[10] == 70 - 990;
    reduce6<float, 128><<<2, 128>>>(da, o, n);
    r = down(o, 2);
    ok &= r[0] + r[1] == 499500;
    OK(ok);
}
