// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax by tiles of a warp and layer normalisation by shuffles.
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
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void softmax(float* o, const float* x, int N, int C)
{
    cg::thread_block b = cg::this_thread_block();
    cg::thread_block_tile<32> w = cg::tiled_partition<32>(b);
    int idx = blockIdx.x * w.meta_group_size() + w.meta_group_rank();
    if (idx >= N)
        return;
    const float* in = x + idx * C;
    float mx = -INFINITY, sm = 0;
    for (int i = w.thread_rank(); i < C; i += w.size())
        mx = fmaxf(mx, in[i]);
    mx = cg::reduce(w, mx, cg::greater<float>{});
    for (int i = w.thread_rank(); i < C; i += w.size()) {
        float v = expf(in[i] - mx);
        __stcs(o + idx * C + i, v);
        sm += v;
    }
    sm = cg::reduce(w, sm, cg::plus<float>{});
    for (int i = w.thread_rank(); i < C; i += w.size())
        o[idx * C + i] /= sm;
}
__global__ void layernorm(float* o, const float* x, const float* g, int C)
{
    __shared__ float sh[32];
    float s = 0;
    for (int i = threadIdx.x; i < C; i += blockDim.x)
        s += x[blockIdx.x * C + i];
    for (int k = 16; k; k /= 2)
        s += __shfl_xor_sync(~0u, s, k);
    if (threadIdx.x % 32 == 0)
        sh[threadIdx.x / 32] = s;
    __syncthreads();
    s = threadIdx.x < blockDim.x / 32 ? sh[threadIdx.x] : 0;
    if (threadIdx.x < 32) {
        for (int k = 16; k; k /= 2)
            s += __shfl_xor_sync(~0u, s, k);
        if (threadIdx.x == 0)
            sh[0] = s / C;
    }
    __syncthreads();
    float m = sh[0];
    for (int i = threadIdx.x; i < C; i += blockDim.x)
        o[blockIdx.x * C + i] = (x[blockIdx.x * C + i] - m) * __ldg(&g[i]);
}
int main()
{
    int N = 10, C = 77;
    std::vector<float> x(N * C), g(C, 2.f);
    for (auto& v : x)
        v = (rand() % 1000) / 100.f;
    auto dx = up(x), dg = up(g);
    float* o;
    CK(cudaMalloc(&o, N * C * 4));
    softmax<<<(N + 3) / 4, 128>>>(o, dx, N, C);
    auto r = down(o, N * C);
    bool ok = true;
    for (int n = 0; n < N; n++) {
        float mx = -1e9, s = 0;
        for (int i = 0; i < C; i++)
            mx = fmaxf(mx, x[n * C + i]);
        for (int i = 0; i < C; i++)
            s += expf(x[n * C + i] - mx);
        for (int i = 0; i < C; i++)
            ok &= fabs(r[n * C + i] - expf(x[n * C + i] - mx) / s) < 1e-5;
    }
    layernorm<<<N, 64>>>(o, dx, dg, C);
    r = down(o, N * C);
    for (int n = 0; n < N; n++) {
        float s = 0;
        for (int i = 0; i < C; i++)
            s += x[n * C + i];
        for (int i = 0; i < C; i++)
            ok &= fabs(r[n * C + i] - (x[n * C + i] - s / C) * 2) < 1e-3;
    }
    OK(ok);
}
