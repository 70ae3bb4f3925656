// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Needleman-Wunsch, diagonal by diagonal.
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
__global__ void nw(int* s, const int* ref, int n, int diag, int pen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = diag - i;
    if (i < 1 || i > n || j < 1 || j > n)
        return;
    int W = n + 1;
    int a = s[(i - 1) * W + j - 1] + ref[i * W + j], b = s[i * W + j - 1] - pen, c = s[(i - 1) * W + j] - pen;
    s[i * W + j] = max(a, max(b, c));
}
int main()
{
    int n = 70, W = n + 1;
    std::vector<int> s(W * W), ref(W * W);
    for (auto& x : ref)
        x = rand() % 21 - 10;
    for (int i = 0; i <= n; i++)
        s[i] = s[i * W] = -i * 10;
    auto ds = up(s), dr = up(ref);
    for (int d = 2; d <= 2 * n; d++)
        nw<<<2, 64>>>(ds, dr, n, d, 10);
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            s[i * W + j] = std::max(s[(i - 1) * W + j - 1] + ref[i * W + j],
                                    std::max(s[i * W + j - 1] - 10, s[(i - 1) * W + j] - 10));
    OK(down(ds, W * W) == s);
}
