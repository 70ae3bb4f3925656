// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breadth-first search with queues of vertices, level by level.
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
__global__ void bfs(const int* rp, const int* ci, int* lev, int cur, int n, int* changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && lev[v] == cur)
        for (int e = rp[v]; e < rp[v + 1]; e++) {
            if (lev[ci[e]] == -1) {
                lev[ci[e]] = cur + 1;
                *changed = 1;
            }
        }
}
__global__ void bfsq(const int* rp, const int* ci, int* lev, const int* q, int qn, int* nq, int* nqn, int cur)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < qn) {
        int v = q[i];
        for (int e = rp[v]; e < rp[v + 1]; e++) {
            int w = ci[e];
            if (atomicCAS(&lev[w], -1, cur + 1) == -1) {
                int p = atomicAdd(nqn, 1);
                nq[p] = w;
            }
        }
    }
}
int main()
{
    int n = 1000;
    std::vector<int> rp(n + 1), ci;
    for (int i = 0; i < n; i++) {
        rp[i] = ci.size();
        for (int k = 0; k < 4; k++)
            ci.push_back(rand() % n);
    }
    rp[n] = ci.size();
    std::vector<int> lev(n, -1);
    lev[0] = 0;
    std::vector<int> q{0};
    for (size_t h = 0; h < q.size(); h++)
        for (int e = rp[q[h]]; e < rp[q[h] + 1]; e++)
            if (lev[ci[e]] < 0) {
                lev[ci[e]] = lev[q[h]] + 1;
                q.push_back(ci[e]);
            }
    std::vector<int> l0(n, -1);
    l0[0] = 0;
    auto drp = up(rp), dci = up(ci), dl = up(l0);
    int *qa, *qb, *c;
    CK(cudaMalloc(&qa, n * 4));
    CK(cudaMalloc(&qb, n * 4));
    CK(cudaMalloc(&c, 4));
    int zero = 0, one = 1;
    CK(cudaMemcpy(qa, &zero, 4, cudaMemcpyHostToDevice));
    int qn = 1;
    for (int cur = 0; qn; cur++) {
        CK(cudaMemcpy(c, &zero, 4, cudaMemcpyHostToDevice));
        bfsq<<<(qn + 127) / 128, 128>>>(drp, dci, dl, qa, qn, qb, c, cur);
        CK(cudaMemcpy(&qn, c, 4, cudaMemcpyDeviceToHost));
        std::swap(qa, qb);
    }
    OK(down(dl, n) == lev);
}
