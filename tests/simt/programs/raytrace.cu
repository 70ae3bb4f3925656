// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ray tracer: virtual functions, objects made by new on the device, recursion.
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
struct V {
    float x, y, z;
    __host__ __device__ V(float a = 0, float b = 0, float c = 0) : x(a), y(b), z(c) {}
    __host__ __device__ V operator+(V o) const { return V(x + o.x, y + o.y, z + o.z); }
    __host__ __device__ V operator-(V o) const { return V(x - o.x, y - o.y, z - o.z); }
    __host__ __device__ V operator*(float s) const { return V(x * s, y * s, z * s); }
};
__host__ __device__ inline float dot(V a, V b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
struct Ray {
    V o, d;
};
struct Hit {
    float t;
    V n;
    int mat;
};
class Hitable {
public:
    __device__ virtual bool hit(const Ray& r, float tmin, float tmax, Hit& h) const = 0;
    __device__ virtual ~Hitable() {}
};
class Sphere : public Hitable {
public:
    V c;
    float r;
    int m;
    __device__ Sphere(V c, float r, int m) : c(c), r(r), m(m) {}
    __device__ bool hit(const Ray& ray, float tmin, float tmax, Hit& h) const override
    {
        V oc = ray.o - c;
        float a = dot(ray.d, ray.d), b = dot(oc, ray.d), cc = dot(oc, oc) - r * r, disc = b * b - a * cc;
        if (disc > 0) {
            float t = (-b - sqrtf(disc)) / a;
            if (t < tmax && t > tmin) {
                h.t = t;
                h.n = (ray.o + ray.d * t - c) * (1 / r);
                h.mat = m;
                return true;
            }
        }
        return false;
    }
};
class List : public Hitable {
public:
    Hitable** l;
    int n;
    __device__ List(Hitable** l, int n) : l(l), n(n) {}
    __device__ bool hit(const Ray& r, float a, float b, Hit& h) const override
    {
        bool any = false;
        float c = b;
        Hit t;
        for (int i = 0; i < n; i++)
            if (l[i]->hit(r, a, c, t)) {
                any = true;
                c = t.t;
                h = t;
            }
        return any;
    }
};
__global__ void make(Hitable** l, Hitable** w)
{
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        l[0] = new Sphere(V(0, 0, -1), 0.5f, 1);
        l[1] = new Sphere(V(0, -100.5f, -1), 100, 2);
        *w = new List(l, 2);
    }
}
__device__ float color(const Ray& r, Hitable** w, int depth)
{
    Hit h;
    if (depth > 0 && (*w)->hit(r, 0.001f, 1e9f, h)) {
        Ray q;
        q.o = r.o + r.d * h.t;
        q.d = h.n;
        return 0.5f * color(q, w, depth - 1) + h.mat * 0.01f;
    }
    return 0.5f * (r.d.y + 1);
}
__global__ void render(float* fb, int W, int H, Hitable** w)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;
    if (i >= W || j >= H)
        return;
    Ray r;
    r.o = V();
    r.d = V(-2 + 4.f * i / W, -1 + 2.f * j / H, -1);
    fb[j * W + i] = color(r, w, 4);
}
__global__ void freew(Hitable** l, Hitable** w)
{
    delete l[0];
    delete l[1];
    delete *w;
}
int main()
{
    int W = 40, H = 20;
    float* fb;
    CK(cudaMallocManaged(&fb, W * H * 4));
    Hitable **l, **w;
    CK(cudaMalloc((void**)&l, 2 * sizeof(Hitable*)));
    CK(cudaMalloc((void**)&w, sizeof(Hitable*)));
    make<<<1, 1>>>(l, w);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    render<<<dim3(W / 8 + 1, H / 8 + 1), dim3(8, 8)>>>(fb, W, H, w);
    CK(cudaDeviceSynchronize());
    double s = 0;
    for (int i = 0; i < W * H; i++)
        s += fb[i];
    freew<<<1, 1>>>(l, w);
    printf("%.3f %.3f\n", fb[10 * W + 20], fb[W * 19]);
    OK(s > 100 && s < 800);
}
