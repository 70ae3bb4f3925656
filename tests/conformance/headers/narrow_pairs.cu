// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// half and bfloat16: unordered comparisons of pairs, extremes with NaN, complex products, steps, loads with hints.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

template <class T, class T2>
__global__ void pairs(const T2* in, unsigned* bits, float* values)
{
    const T2 a = in[0], b = in[1];  // (NaN, 1) and (2, 1)
    int n = 0;
    bits[n++] = __heq2_mask(a, b);
    bits[n++] = __hequ2_mask(a, b);
    bits[n++] = __hne2_mask(a, b);
    bits[n++] = __hneu2_mask(a, b);
    bits[n++] = __hltu2_mask(a, b);
    bits[n++] = __hbequ2(a, b) | __hbneu2(a, b) << 1 | __hbleu2(a, b) << 2 | __hbgtu2(a, b) << 3 | (a != b) << 4;
    n = 0;
    values[n++] = float(__hgeu2(a, b).x);
    values[n++] = float(__hltu2(a, b).y);
    values[n++] = float(__hmax2(a, b).x);
    values[n++] = float(__hmax2_nan(a, b).x) == float(__hmax2_nan(a, b).x);
    values[n++] = float(__hmin2_nan(a, b).y);
    const T2 z(T(1.0f), T(2.0f)), w(T(3.0f), T(4.0f));
    const T2 product = __hcmadd(z, w, T2(T(0.5f), T(-1.0f)));  // (1 + 2i)(3 + 4i) + 0.5 - i
    values[n++] = float(product.x);
    values[n++] = float(product.y);
    T step(1.0f);
    values[n++] = float(step++);
    values[n++] = float(step--);
    T2 both = z;
    values[n++] = float((++both).y);
    values[n++] = float(__ldcv(&in[1]).x);
    values[n++] = float(__lowhigh2highlow(__ldcv(&in[1])).x);
    values[n++] = float(htanh_approx(T(0.0f)));
}

__global__ void vectors(const float4* in, float* out)
{
    *out = __ldcv(in).z;
}

template <class T, class T2>
void show(const char* name)
{
    T2* in;
    unsigned* bits;
    float* values;
    cudaMallocManaged(&in, 2 * sizeof(T2));
    cudaMallocManaged(&bits, 6 * sizeof(unsigned));
    cudaMallocManaged(&values, 13 * sizeof(float));
    in[0] = T2(T(__builtin_nanf("")), T(1.0f));
    in[1] = T2(T(2.0f), T(1.0f));
    pairs<T><<<1, 1>>>(in, bits, values);
    cudaDeviceSynchronize();
    std::printf("%s:", name);
    for (int i = 0; i < 6; ++i)
        std::printf(" %x", bits[i]);
    for (int i = 0; i < 13; ++i)
        std::printf(" %g", values[i]);
    std::printf("\n");
    cudaFree(in);
    cudaFree(bits);
    cudaFree(values);
}

int main()
{
    show<__half, __half2>("half");
    show<__nv_bfloat16, __nv_bfloat162>("bfloat16");
    std::printf("%d %d %d %d\n", __half2char_rz(__half(-3.9f)), __half2uchar_rz(__half(200.5f)),
                __bfloat162char_rz(__nv_bfloat16(-3.9f)), __bfloat162uchar_rz(__nv_bfloat16(200.5f)));
    float4* in;
    cudaMallocManaged(&in, 2 * sizeof(float4));
    in[0] = make_float4(1, 2, 3, 4);
    vectors<<<1, 1>>>(in, &in[1].x);
    cudaDeviceSynchronize();
    std::printf("%g\n", in[1].x);
    cudaFree(in);
}
