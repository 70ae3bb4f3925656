// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The samples' arithmetic of vectors, on both sides.
#include <cstdio>
#include <helper_math.h>

__host__ __device__ float3 shade(float3 a, float3 b)
{
    float3 c = lerp(a, b, 0.25f) * 2.0f + cross(a, b) / make_float3(2.0f) - 1.0f;
    c += make_float3(make_int3(1, 2, 3));
    return clamp(fmaxf(c, -a), make_float3(-3.0f), make_float3(make_float2(4.0f, 5.0f), 6.0f));
}

__global__ void shadeAll(float3* out, int4* whole)
{
    out[threadIdx.x] = shade(make_float3(threadIdx.x, 2.0f, 3.0f), make_float3(make_float4(1.0f)));
    out[threadIdx.x] += normalize(make_float3(0.0f, 3.0f, 4.0f)) * length(make_float2(3.0f, 4.0f));
    whole[threadIdx.x] = max(make_int4(threadIdx.x), make_int4(1, 2, 3, 4)) * 2 + abs(make_int4(-1));
}

int main()
{
    float3* out;
    int4* whole;
    cudaMallocManaged(&out, 4 * sizeof(float3));
    cudaMallocManaged(&whole, 4 * sizeof(int4));
    shadeAll<<<1, 4>>>(out, whole);
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; ++i)
        std::printf("%g %g %g, %d %d %d %d\n", out[i].x, out[i].y, out[i].z, whole[i].x, whole[i].y, whole[i].z,
                    whole[i].w);
    const float3 here = shade(make_float3(3.0f, 2.0f, 3.0f), make_float3(1.0f));
    std::printf("%g %g %g, %g\n", here.x, here.y, here.z, dot(make_float2(1.0f, 2.0f), make_float2(3.0f, 4.0f)));
    cudaFree(out);
    cudaFree(whole);
}
