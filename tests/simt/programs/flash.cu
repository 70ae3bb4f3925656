// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flash attention: tiles of K and V in shared memory, running softmax.
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
__global__ void flash(const float* Q, const float* K, const float* V, int N, int d, int Tc, int Tr, int Bc, int Br,
                      float sc, float* l, float* m, float* O)
{
    int tx = threadIdx.x;
    int off = blockIdx.x * N * d;
    extern __shared__ float sram[];
    int ts = Bc * d;
    float *Qi = sram, *Kj = &sram[ts], *Vj = &sram[ts * 2], *S = &sram[ts * 3];
    for (int j = 0; j < Tc; j++) {
        for (int x = 0; x < d; x++) {
            Kj[tx * d + x] = K[off + ts * j + tx * d + x];
            Vj[tx * d + x] = V[off + ts * j + tx * d + x];
        }
        __syncthreads();
        for (int i = 0; i < Tr; i++) {
            for (int x = 0; x < d; x++)
                Qi[tx * d + x] = Q[off + ts * i + tx * d + x];
            float pm = m[blockIdx.x * N + Br * i + tx], pl = l[blockIdx.x * N + Br * i + tx];
            float rm = -INFINITY;
            for (int y = 0; y < Bc; y++) {
                float s = 0;
                for (int x = 0; x < d; x++)
                    s += Qi[tx * d + x] * Kj[y * d + x];
                s *= sc;
                S[Bc * tx + y] = s;
                if (s > rm)
                    rm = s;
            }
            float rl = 0;
            for (int y = 0; y < Bc; y++) {
                S[Bc * tx + y] = __expf(S[Bc * tx + y] - rm);
                rl += S[Bc * tx + y];
            }
            float nm = max(pm, rm);
            float nl = (__expf(pm - nm) * pl) + (__expf(rm - nm) * rl);
            for (int x = 0; x < d; x++) {
                float pv = 0;
                for (int y = 0; y < Bc; y++)
                    pv += S[Bc * tx + y] * Vj[y * d + x];
                O[off + ts * i + tx * d + x] =
                    (1 / nl) * ((pl * __expf(pm - nm) * O[off + ts * i + tx * d + x]) + (__expf(rm - nm) * pv));
            }
            m[blockIdx.x * N + Br * i + tx] = nm;
            l[blockIdx.x * N + Br * i + tx] = nl;
        }
        __syncthreads();
    }
}
int main()
{
    int B = 2, N = 64, d = 16, Bc = 16, Br = 16;
    std::vector<float> q(B * N * d), k(q), v(q), o(q.size()), l(B * N), m(B * N, -INFINITY);
    for (size_t i = 0; i < q.size(); i++) {
        q[i] = (rand() % 100) / 100.f;
        k[i] = (rand() % 100) / 100.f;
        v[i] = (rand() % 100) / 100.f;
    }
    auto a = up(q), b = up(k), c = up(v), e = up(o), dl = up(l), dm = up(m);
    flash<<<B, Bc, (3 * Bc * d + Bc * Br) * 4>>>(a, b, c, N, d, N / Bc, N / Br, Bc, Br, 0.25f, dl, dm, e);
    auto r = down(e, o.size());
    bool ok = true;
    for (int bb = 0; bb < B; bb++)
        for (int i = 0; i < N; i++) {
            std::vector<float> s(N);
            float sum = 0;
            for (int j = 0; j < N; j++) {
                float t = 0;
                for (int x = 0; x < d; x++)
                    t += q[(bb * N + i) * d + x] * k[(bb * N + j) * d + x];
                s[j] = expf(t * 0.25f);
                sum += s[j];
            }
            for (int x = 0; x < d; x++) {
                float t = 0;
                for (int j = 0; j < N; j++)
                    t += s[j] / sum * v[(bb * N + j) * d + x];
                ok &= fabs(t - r[(bb * N + i) * d + x]) < 1e-4;
            }
        }
    OK(ok);
}
