// Products of matrices of several types, each lane's elements from its number: what registers hold can be reckoned.
#include <cstdint>
#include <cstdio>

__global__ void halves(float* out)
{
    const uint32_t lane = threadIdx.x % 32;
    uint32_t a[4], b[2];
    float sums[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < 4; ++i)
        a[i] = 0x3c00 + (lane % 4 + i) * 0x04000000;  // 1 below, and 0 or a small power of two above
    for (uint32_t i = 0; i < 2; ++i)
        b[i] = 0x3c004000 + (i << 10);  // 2 or 4 below, 1 above
    for (int times = 0; times < 2; ++times)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    out[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

__global__ void bytes(int* out)
{
    const int lane = threadIdx.x % 32;
    const int a0 = 0x01ff02fe + lane, a1 = 0x01010101 * (lane % 4), b0 = 0x03fd0001 + lane;
    int d0, d1, d2, d3;
    asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
        : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)
        : "r"(a0), "r"(a1), "r"(b0), "r"(0));
    out[threadIdx.x] = d0 + d1 + d2 + d3;
}

__global__ void doubles(double* out)
{
    const double a = threadIdx.x % 32 + 0.5, b = 1.0 / (1 + threadIdx.x % 32);
    double d0 = 0, d1 = 0;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d0), "+d"(d1)
        : "d"(a), "d"(b));
    out[threadIdx.x] = d0 + d1;
}

int main()
{
    void* out;
    cudaMalloc(&out, 64 * sizeof(double));
    halves<<<1, 64>>>(static_cast<float*>(out));
    bytes<<<1, 64>>>(static_cast<int*>(out));
    doubles<<<1, 64>>>(static_cast<double*>(out));
    return cudaDeviceSynchronize() != cudaSuccess;
}
