// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sparse matrix times vector, a warp a row.
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
template <class T>
__global__ void csrVec(const int* rp, const int* ci, const T* v, const T* x, T* y, int n)
{
    int lane = threadIdx.x & 31, row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row < n) {
        T s = 0;
        for (int e = rp[row] + lane; e < rp[row + 1]; e += 32)
            s += v[e] * x[ci[e]];
        for (int o = 16; o; o >>= 1)
            s += __shfl_down_sync(0xffffffff, s, o);
        if (lane == 0)
            y[row] = s;
    }
}
int main()
{
    int n = 100;
    std::vector<int> rp(n + 1), ci;
    std::vector<double> v, x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = i % 9;
        rp[i] = ci.size();
        for (int k = 0; k < i % 50; k++) {
            ci.push_back((i * 7 + k * 13) % n);
            v.push_back(k % 5 - 2);
        }
    }
    rp[n] = ci.size();
    auto a = up(rp), b = up(ci);
    auto c = up(v), dx = up(x), dy = up(y);
    csrVec<<<(n * 32 + 127) / 128, 128>>>(a, b, c, dx, dy, n);
    auto r = down(dy, n);
    bool ok = true;
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int e = rp[i]; e < rp[i + 1]; e++)
            s += v[e] * x[ci[e]];
        ok &= s == r[i];
    }
    OK(ok);
}
