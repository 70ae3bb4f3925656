// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A 3D stencil that marches through planes held in shared memory.
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
#define R 2
__constant__ float cf[R + 1];
__global__ void st(float* o, const float* in, int nx, int ny, int nz)
{
    __shared__ float t[8 + 2 * R][16 + 2 * R];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + R, ty = threadIdx.y + R;
    int st = nx * ny;
    if (x >= nx || y >= ny)
        return;
    for (int z = R; z < nz - R; z++) {
        __syncthreads();
        t[ty][tx] = in[z * st + y * nx + x];
        if (threadIdx.y < R) {
            if (y >= R)
                t[threadIdx.y][tx] = in[z * st + (y - R) * nx + x];
            if (y + 8 < ny)
                t[threadIdx.y + 8 + R][tx] = in[z * st + (y + 8) * nx + x];
        }
        if (threadIdx.x < R) {
            if (x >= R)
                t[ty][threadIdx.x] = in[z * st + y * nx + x - R];
            if (x + 16 < nx)
                t[ty][threadIdx.x + 16 + R] = in[z * st + y * nx + x + 16];
        }
        __syncthreads();
        if (x >= R && x < nx - R && y >= R && y < ny - R) {
            float v = cf[0] * t[ty][tx];
            for (int i = 1; i <= R; i++)
                v += cf[i] * (t[ty][tx - i] + t[ty][tx + i] + t[ty - i][tx] + t[ty + i][tx] +
                              in[(z - i) * st + y * nx + x] + in[(z + i) * st + y * nx + x]);
            o[z * st + y * nx + x] = v;
        }
    }
}
int main()
{
    int nx = 32, ny = 16, nz = 8;
    std::vector<float> a(nx * ny * nz), o(a.size()), e(a.size());
    for (auto& x : a)
        x = rand() % 10;
    float c[3] = {1, 2, 3};
    CK(cudaMemcpyToSymbol(cf, c, 12));
    auto da = up(a), d = up(o);
    st<<<dim3(2, 2), dim3(16, 8)>>>(d, da, nx, ny, nz);
    for (int z = R; z < nz - R; z++)
        for (int y = R; y < ny - R; y++)
            for (int x = R; x < nx - R; x++) {
                auto I = [&](int X, int Y, int Z) { return a[(Z * ny + Y) * nx + X]; };
                float v = I(x, y, z);
                for (int i = 1; i <= R; i++)
                    v += c[i] * (I(x - i, y, z) + I(x + i, y, z) + I(x, y - i, z) + I(x, y + i, z) + I(x, y, z - i) +
                                 I(x, y, z + i));
                e[(z * ny + y) * nx + x] = v;
            }
    OK(down(d, a.size()) == e);
}
