// One product per shape and type on tensor cores, from fragments laid out as the PTX manual says, against a sum in
// double. Lane l is thread t = l % 4 of group g = l / 4; a fragment of A holds rows g and g + 8.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__device__ uint32_t pair(T low, T high)
{
    return uint32_t(*reinterpret_cast<unsigned short*>(&low)) | uint32_t(*reinterpret_cast<unsigned short*>(&high)) << 16;
}

__device__ float value(int i) { return float((i * 7 + 3) % 11 - 5) / 4; }  // exact in every type
__device__ float a(int row, int k) { return value(row * 16 + k); }
__device__ float b(int k, int col) { return value(k * 8 + col + 5); }

__device__ void store(float* out, const float (&d)[4])
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 4; ++i)
        out[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}

__global__ void m16n8k8_tf32(float* out)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(__float_as_uint(a(g, t))), "r"(__float_as_uint(a(g + 8, t))), "r"(__float_as_uint(a(g, t + 4))),
          "r"(__float_as_uint(a(g + 8, t + 4))), "r"(__float_as_uint(b(t, g))), "r"(__float_as_uint(b(t + 4, g))));
    store(out, d);
}

template <class T>
__device__ uint32_t aPair(int row, int k)
{
    return pair<T>(T(a(row, k)), T(a(row, k + 1)));
}
template <class T>
__device__ uint32_t bPair(int k, int col)
{
    return pair<T>(T(b(k, col)), T(b(k + 1, col)));
}

__global__ void m16n8k8_bf16(float* out)
{
    using T = __nv_bfloat16;
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(aPair<T>(g, 2 * t)), "r"(aPair<T>(g + 8, 2 * t)), "r"(bPair<T>(2 * t, g)));
    store(out, d);
}

__global__ void m16n8k16_f16(float* out)
{
    using T = __half;
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(aPair<T>(g, 2 * t)), "r"(aPair<T>(g + 8, 2 * t)), "r"(aPair<T>(g, 2 * t + 8)),
          "r"(aPair<T>(g + 8, 2 * t + 8)), "r"(bPair<T>(2 * t, g)), "r"(bPair<T>(2 * t + 8, g)));
    store(out, d);
}

/// The same with A by ldmatrix, and B, stored by rows, by ldmatrix.trans.
__global__ void loaded_by_ldmatrix(float* out)
{
    using T = __half;
    __shared__ __align__(16) T a_shared[16][16], b_shared[16][8];
    int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        a_shared[i / 16][i % 16] = T(a(i / 16, i % 16));
    for (int i = lane; i < 128; i += 32)
        b_shared[i / 8][i % 8] = T(b(i / 8, i % 8));
    __syncwarp();
    uint32_t x[4], y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(&a_shared[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"((uint32_t)__cvta_generic_to_shared(&b_shared[lane % 16][0])));
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    store(out, d);
}

static double hostValue(int i) { return double((i * 7 + 3) % 11 - 5) / 4; }

static int wrong(const char* name, void (*kernel)(float*), int depth)
{
    float* out = nullptr;
    float host[128];
    cudaMalloc(&out, sizeof host);
    kernel<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    int bad = 0;
    for (int row = 0; row < 16; ++row)
        for (int col = 0; col < 8; ++col) {
            double sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += hostValue(row * 16 + k) * hostValue(k * 8 + col + 5);
            bad += !(std::fabs(host[row * 8 + col] - sum) < 1e-6);
        }
    if (bad)
        std::printf("%s: %d wrong\n", name, bad);
    return bad;
}

int main()
{
    int bad = wrong("m16n8k8 tf32", m16n8k8_tf32, 8) + wrong("m16n8k8 bf16", m16n8k8_bf16, 8) +
              wrong("m16n8k16 f16", m16n8k16_f16, 16) + wrong("ldmatrix", loaded_by_ldmatrix, 16);
    std::printf("bad %d\n", bad);
    return bad != 0;
}
