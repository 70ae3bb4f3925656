// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix product with register tiles, and vector types by reinterpret_cast.
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
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm(int M, int N, int K, float al, const float* A, const float* B, float be, float* C)
{
    __shared__ float As[BM * BK], Bs[BK * BN];
    int cr = blockIdx.y, cc = blockIdx.x;
    const int tr = threadIdx.x / (BN / TN), tc = threadIdx.x % (BN / TN);
    A += cr * BM * K;
    B += cc * BN;
    C += cr * BM * N + cc * BN;
    float res[TM * TN] = {0}, rm[TM], rn[TN];
    for (int b = 0; b < K; b += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += blockDim.x)
            As[i] = A[(i / BK) * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += blockDim.x)
            Bs[i] = B[(i / BN) * N + i % BN];
        __syncthreads();
        A += BK;
        B += BK * N;
        for (int d = 0; d < BK; d++) {
            for (int i = 0; i < TM; i++)
                rm[i] = As[(tr * TM + i) * BK + d];
            for (int i = 0; i < TN; i++)
                rn[i] = Bs[d * BN + tc * TN + i];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    res[i * TN + j] += rm[i] * rn[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            C[(tr * TM + i) * N + tc * TN + j] = al * res[i * TN + j] + be * C[(tr * TM + i) * N + tc * TN + j];
}
__global__ void vec(const float4* a, const float4* b, float4* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = a[i], y = reinterpret_cast<const float4*>(b)[i];
        c[i] = make_float4(x.x + y.x, x.y * y.y, x.z - y.z, x.w);
    }
}
int main()
{
    int M = 64, N = 64, K = 32;
    std::vector<float> a(M * K), b(K * N), c(M * N, 1), e(M * N);
    for (auto& x : a)
        x = rand() % 5;
    for (auto& x : b)
        x = rand() % 7;
    auto da = up(a), db = up(b), dc = up(c);
    sgemm<32, 32, 8, 4, 4><<<dim3(N / 32, M / 32), 64>>>(M, N, K, 2, da, db, 3, dc);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += a[i * K + k] * b[k * N + j];
            e[i * N + j] = 2 * s + 3;
        }
    bool ok = down(dc, M * N) == e;
    vec<<<4, 128>>>((float4*)da, (float4*)db, (float4*)dc, M * K / 4);
    auto r = down(dc, M * K);
    ok &= r[5] == a[5] * b[5];
    OK(ok);
}
