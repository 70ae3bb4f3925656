// Structs of one member: as variables, parameters, results, elements and members, shared between functions by value, by
// reference and by pointer. The host does the same.
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>
#include <vector>

struct Meters {
    float value;
    __host__ __device__ Meters operator+(Meters other) const { return {value + other.value}; }
    __host__ __device__ Meters& operator*=(float factor)
    {
        value *= factor;
        return *this;
    }
};

struct Wrapped {
    struct {
        Meters inner[1];
    } all;
};

template <typename T>
struct Iterator {
    T* at;
    __host__ __device__ T& operator[](int i) const { return at[i]; }
};

struct Both {
    Meters a;
    double b;
};

__host__ __device__ __noinline__ Meters twice(Meters m)
{
    Meters copy = m;
    copy *= 2;
    return copy;
}

__host__ __device__ __noinline__ float sum(Wrapped w, Iterator<const float> in, int i, int depth)
{
    if (depth == 0)
        return w.all.inner[0].value + in[i];
    Wrapped deeper = w;
    deeper.all.inner[0] = deeper.all.inner[0] + Meters{1};
    return sum(deeper, in, i, depth - 1) + w.all.inner[0].value;
}

using Function = Meters (*)(Meters);

__host__ __device__ float result(const float* in, int i)
{
    const Function chosen = i % 3 == 0 ? twice : twice;
    Meters m{in[i]}, n;
    if (i % 2 == 0)
        n = twice(m);
    else
        n = m + m;
    n = chosen(n);
    Both both{n, double(i)};
    Both other = both;
    other.a *= 0.5f;
    unsigned bits;
    memcpy(&bits, &other.a, sizeof bits);
    Wrapped w;
    w.all.inner[0] = other.a;
    return sum(w, {in}, i, i % 4) + float(bits % 8) + float(other.b);
}

__global__ void results(float* out, __half* halves, const float* in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = result(in, i);
    __half h = halves[i];
    __half g = h;
    if (i % 2)
        g = __float2half(__half2float(h) + 1.0f);
    halves[i] = g;
}

int main()
{
    const int n = 200;
    std::vector<float> in(n), out(n);
    std::vector<__half> halves(n);
    for (int i = 0; i < n; ++i) {
        in[i] = float(i % 17) * 0.25f;
        halves[i] = __float2half(float(i));
    }
    float *deviceIn, *deviceOut;
    __half* deviceHalves;
    cudaMalloc(&deviceIn, n * sizeof(float));
    cudaMalloc(&deviceOut, n * sizeof(float));
    cudaMalloc(&deviceHalves, n * sizeof(__half));
    cudaMemcpy(deviceIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(deviceHalves, halves.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    results<<<4, 64>>>(deviceOut, deviceHalves, deviceIn, n);
    cudaMemcpy(out.data(), deviceOut, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaMemcpy(halves.data(), deviceHalves, n * sizeof(__half), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; ++i)
        bad += out[i] != result(in.data(), i) || __half2float(halves[i]) != float(i + i % 2);
    cudaFree(deviceIn);
    cudaFree(deviceOut);
    cudaFree(deviceHalves);
    std::printf("bad %d\n", bad);
    return bad != 0;
}
