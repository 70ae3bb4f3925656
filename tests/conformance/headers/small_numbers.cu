// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight-bit floating point; complex numbers of the C++ library and of Thrust in kernels.
#include <cuda_fp8.h>
#include <thrust/complex.h>

#include <complex>
#include <cstdio>

__global__ void eight(const float* in, uint32_t* codes, float* back)
{
    const int t = threadIdx.x;
    const __nv_fp8_e4m3 a(in[t]);
    const __nv_fp8_e5m2 b(in[t]);
    codes[t] = a.__x | b.__x << 8 | __nv_cvt_float_to_fp8(in[t], __NV_NOSAT, __NV_E4M3) << 16;
    back[2 * t] = float(a);
    back[2 * t + 1] = float(b);
}

__global__ void four(float4* cell)
{
    const __nv_fp8x4_e4m3 packed(*cell);
    *cell = float4(packed);
}

template <class Complex>
__global__ void turn(float* out)
{
    Complex z(1, 2);
    z *= Complex(3, 4);
    z = z / Complex(1, 1) + Complex(1) - z * 2.0f;
    out[0] = z.real();
    out[1] = z.imag();
    out[2] = norm(z);
}

int main()
{
    const float values[] = {0, 1, -1.0625f, 1.1875f, 448, 470, 1e6f, 57344, 0.001953125f, 0.0009765625f, 0.003f, -1e-8f};
    constexpr int kCount = sizeof values / sizeof values[0];
    float *in, *back;
    uint32_t* codes;
    cudaMallocManaged(&in, sizeof values);
    cudaMallocManaged(&back, 2 * sizeof values);
    cudaMallocManaged(&codes, sizeof values);
    for (int i = 0; i < kCount; ++i)
        in[i] = values[i];
    eight<<<1, kCount>>>(in, codes, back);
    cudaDeviceSynchronize();
    for (int i = 0; i < kCount; ++i)
        printf("%g: %06x %g %g%s\n", in[i], codes[i], back[2 * i], back[2 * i + 1],
               __nv_fp8_e4m3(in[i]).__x == (codes[i] & 0xff) ? "" : ", not so on the host");
    float4* cell = reinterpret_cast<float4*>(back);
    *cell = make_float4(0.3f, -7.9f, 100, 0.01f);
    four<<<1, 1>>>(cell);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", cell->x, cell->y, cell->z, cell->w);
    turn<std::complex<float>><<<1, 1>>>(back);
    turn<thrust::complex<float>><<<1, 1>>>(back + 3);
    cudaDeviceSynchronize();
    printf("%g %g %g, %g %g %g\n", back[0], back[1], back[2], back[3], back[4], back[5]);
    cudaFree(in);
    cudaFree(back);
    cudaFree(codes);
}
