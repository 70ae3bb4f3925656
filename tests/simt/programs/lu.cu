// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LU decomposition in place.
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
__global__ void lu(double* a, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + k + 1, i = blockIdx.y * blockDim.y + threadIdx.y + k + 1;
    if (i < n && j < n)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
__global__ void sc(double* a, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i < n)
        a[i * n + k] /= a[k * n + k];
}
int main()
{
    int n = 30;
    std::vector<double> a(n * n);
    for (int i = 0; i < n * n; i++)
        a[i] = rand() % 10 + (i % (n + 1) == 0) * 100;
    auto d = up(a);
    for (int k = 0; k < n - 1; k++) {
        sc<<<1, 32>>>(d, n, k);
        lu<<<dim3(4, 4), dim3(8, 8)>>>(d, n, k);
    }
    for (int k = 0; k < n - 1; k++) {
        for (int i = k + 1; i < n; i++)
            a[i * n + k] /= a[k * n + k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
    auto r = down(d, n * n);
    bool ok = true;
    for (int i = 0; i < n * n; i++)
        ok &= fabs(r[i] - a[i]) < 1e-9;
    OK(ok);
}
