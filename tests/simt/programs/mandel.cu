// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mandelbrot set in double precision.
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
__global__ void m(int* o, int w, int h, int it)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    double cr = -2 + 3.0 * x / w, ci = -1.5 + 3.0 * y / h, zr = 0, zi = 0;
    int i = 0;
    while (i < it && zr * zr + zi * zi < 4) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        i++;
    }
    o[y * w + x] = i;
}
int main()
{
    int w = 64, h = 48;
    int* d;
    CK(cudaMalloc(&d, w * h * 4));
    m<<<dim3(4, 3), dim3(16, 16)>>>(d, w, h, 200);
    auto r = down(d, w * h);
    long s = 0;
    for (int v : r)
        s += v;
    printf("%d\n", (int)(s > 40000 && s < 400000));
    OK(r[24 * 64 + 40] == 200);
}
