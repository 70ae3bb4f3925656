// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix class passed by value, with sub-matrices.
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
class Matrix {
public:
    int r, c;
    float* d;
    __host__ Matrix(int r, int c) : r(r), c(c) { cudaMalloc(&d, r * c * 4); }
    __host__ __device__ float get(int i, int j) const { return d[i * c + j]; }
    __device__ void set(int i, int j, float v) { d[i * c + j] = v; }
    __device__ Matrix sub(int i, int j) const
    {
        Matrix m = *this;
        m.d = d + i * 4 * c + j * 4;
        return m;
    }
};
__global__ void mul(Matrix A, Matrix B, Matrix C)
{
    int i = blockIdx.y * 4 + threadIdx.y, j = blockIdx.x * 4 + threadIdx.x;
    __shared__ float a[4][4], b[4][4];
    float s = 0;
    for (int m = 0; m < A.c / 4; m++) {
        Matrix sa = A.sub(blockIdx.y, m), sb = B.sub(m, blockIdx.x);
        a[threadIdx.y][threadIdx.x] = sa.get(threadIdx.y, threadIdx.x);
        b[threadIdx.y][threadIdx.x] = sb.get(threadIdx.y, threadIdx.x);
        __syncthreads();
        for (int e = 0; e < 4; e++)
            s += a[threadIdx.y][e] * b[e][threadIdx.x];
        __syncthreads();
    }
    C.set(i, j, s);
}
int main()
{
    Matrix A(8, 12), B(12, 8), C(8, 8);
    std::vector<float> a(96), b(96);
    for (int i = 0; i < 96; i++) {
        a[i] = i % 5;
        b[i] = i % 7;
    }
    CK(cudaMemcpy(A.d, a.data(), 384, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(B.d, b.data(), 384, cudaMemcpyHostToDevice));
    mul<<<dim3(2, 2), dim3(4, 4)>>>(A, B, C);
    auto r = down(C.d, 64);
    bool ok = true;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            float s = 0;
            for (int k = 0; k < 12; k++)
                s += a[i * 12 + k] * b[k * 8 + j];
            ok &= s == r[i * 8 + j];
        }
    OK(ok);
}
