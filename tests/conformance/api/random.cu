// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers in kernels: cuRAND's sequences of XORWOW, Philox and MRG32k3a, whatever the subsequence and offset.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

template <class State>
__global__ void draw(unsigned* bits, float* floats, double* doubles)
{
    const int i = threadIdx.x;
    State state;
    curand_init(1234ULL, i * 1000003ULL, i * 3, &state);
    bits[2 * i] = curand(&state);
    floats[3 * i] = curand_uniform(&state);
    floats[3 * i + 1] = curand_normal(&state);
    floats[3 * i + 2] = curand_normal(&state);
    doubles[2 * i] = curand_uniform_double(&state);
    doubles[2 * i + 1] = curand_normal_double(&state);
    bits[2 * i + 1] = curand(&state);
}

template <class State>
__global__ void distributions(float2* floats, unsigned* counts)
{
    State state;
    curand_init(1234567890123ULL, 5, 7, &state);
    *floats = curand_log_normal2(&state, 0.1f, 0.5f);
    counts[0] = curand_poisson(&state, 3.5);
    counts[1] = curand_poisson(&state, 5000.0);
    counts[2] = curand(&state);
}

__global__ void fours(uint4* bits, float4* floats)
{
    curandStatePhilox4_32_10_t state;
    curand_init(99, threadIdx.x, threadIdx.x, &state);
    bits[threadIdx.x] = curand4(&state);
    floats[threadIdx.x] = curand_uniform4(&state);
}

// double4 has another name in CUDA 13, and this one is deprecated there.
template <class Four>
__device__ void put(double* out, const Four& four)
{
    out[0] = four.x;
    out[1] = four.y;
    out[2] = four.z;
    out[3] = four.w;
}

__global__ void foursOfDoubles(double* out)
{
    curandStatePhilox4_32_10_t state;
    curand_init(99, threadIdx.x, threadIdx.x, &state);
    out += 12 * threadIdx.x;
    put(out, curand_uniform4_double(&state));
    put(out + 4, curand_normal4_double(&state));
    put(out + 8, curand_log_normal4_double(&state, 0.25, 0.5));
}

template <class State>
void show(const char* name)
{
    constexpr int n = 6;
    unsigned *bits, hostBits[2 * n];
    float *floats, hostFloats[3 * n];
    double *doubles, hostDoubles[2 * n];
    CHECK(cudaMalloc(&bits, sizeof(hostBits)));
    CHECK(cudaMalloc(&floats, sizeof(hostFloats)));
    CHECK(cudaMalloc(&doubles, sizeof(hostDoubles)));
    draw<State><<<1, n>>>(bits, floats, doubles);
    CHECK(cudaMemcpy(hostBits, bits, sizeof(hostBits), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hostFloats, floats, sizeof(hostFloats), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hostDoubles, doubles, sizeof(hostDoubles), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
        std::printf("%s %u %.4f %.4f %.4f %.6f %.6f %u\n", name, hostBits[2 * i], hostFloats[3 * i],
                    hostFloats[3 * i + 1], hostFloats[3 * i + 2], hostDoubles[2 * i], hostDoubles[2 * i + 1],
                    hostBits[2 * i + 1]);
    distributions<State><<<1, 1>>>((float2*)floats, bits);
    CHECK(cudaMemcpy(hostBits, bits, 3 * sizeof(unsigned), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hostFloats, floats, sizeof(float2), cudaMemcpyDeviceToHost));
    std::printf("%s %.4f %.4f %u %u %u\n", name, hostFloats[0], hostFloats[1], hostBits[0], hostBits[1], hostBits[2]);
}

int main()
{
    show<curandState>("xorwow");
    show<curandStatePhilox4_32_10_t>("philox");
    show<curandStateMRG32k3a_t>("mrg");
    uint4 *bits, hostBits[4];
    float4 *floats, hostFloats[4];
    CHECK(cudaMalloc(&bits, sizeof(hostBits)));
    CHECK(cudaMalloc(&floats, sizeof(hostFloats)));
    fours<<<1, 4>>>(bits, floats);
    CHECK(cudaMemcpy(hostBits, bits, sizeof(hostBits), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hostFloats, floats, sizeof(hostFloats), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i)
        std::printf("%u %u %u %u %.5f %.5f %.5f %.5f\n", hostBits[i].x, hostBits[i].y, hostBits[i].z, hostBits[i].w,
                    hostFloats[i].x, hostFloats[i].y, hostFloats[i].z, hostFloats[i].w);
    double *doubles, hostDoubles[24];
    CHECK(cudaMalloc(&doubles, sizeof(hostDoubles)));
    foursOfDoubles<<<1, 2>>>(doubles);
    CHECK(cudaMemcpy(hostDoubles, doubles, sizeof(hostDoubles), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i += 4)
        std::printf("%.6f %.6f %.6f %.6f\n", hostDoubles[i], hostDoubles[i + 1], hostDoubles[i + 2], hostDoubles[i + 3]);
}
