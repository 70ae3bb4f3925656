// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unions, bit patterns, structs by value, switch and goto.
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
union U {
    float f;
    unsigned u;
    unsigned char c[4];
};
struct __align__(8) S {
    char a;
    short b;
    int c;
};
struct Mat {
    float m[3][3];
    __host__ __device__ Mat operator*(const Mat& o) const
    {
        Mat r;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                r.m[i][j] = 0;
                for (int k = 0; k < 3; k++)
                    r.m[i][j] += m[i][k] * o.m[k][j];
            }
        return r;
    }
};
__host__ __device__ unsigned mix(int i)
{
    U u;
    u.f = i * 1.5f;
    S s[2] = {{(char)i, (short)(i * 3), i * 5}, {1, 2, 3}};
    Mat a, b;
    for (int x = 0; x < 9; x++) {
        (&a.m[0][0])[x] = x + i;
        b.m[x / 3][x % 3] = x - i;
    }
    Mat c = a * b;
    unsigned h = u.u ^ u.c[2];
    h = h * 31 + s[i & 1].c + s[0].b + s[1].a;
    switch (i % 5) {
    case 0:
        h += 7;
        break;
    case 1:
        h ^= 9;
    case 2:
        h *= 3;
        break;
    default:
        h -= i;
    }
    unsigned long long w = (unsigned long long)h * h;
    h ^= w >> 32;
    int sh = i % 40;
    h ^= sh < 32 ? h >> sh : 0;
    goto end;
    h = 0;
end:
    return h + (int)c.m[2][1];
}
__global__ void k(unsigned* o, Mat m, S s)
{
    int i = threadIdx.x;
    Mat q = m * m;
    m.m[0][0] = i;
    o[i] = mix(i) + (int)q.m[1][1] + s.c + (int)m.m[0][0];
}
int main()
{
    Mat m;
    for (int i = 0; i < 9; i++)
        m.m[i / 3][i % 3] = i;
    unsigned* o;
    CK(cudaMalloc(&o, 256));
    k<<<1, 64>>>(o, m, S{1, 2, 3});
    auto r = down(o, 64);
    bool ok = true;
    Mat q = m * m;
    for (int i = 0; i < 64; i++)
        ok &= r[i] == mix(i) + (int)q.m[1][1] + 3 + i;
    OK(ok);
}
