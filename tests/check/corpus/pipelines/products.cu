// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of warpgroups' products that are written while the product may still be reading them.
#include <cstdio>

#include "pipeline.h"

constexpr int A = 64 * 16, B = 8 * 16, BYTES_A = A * 2, BYTES_B = B * 2;

__device__ void fill(__half* to, int count, float value)
{
    for (int i = threadIdx.x % 128; i < count; i += 128)
        to[i] = __float2half(value + i % 3);  // expect: shared-race error kernel="operand_stored<true>", async-copy-not-awaited error kernel="operand_stored<true>", async-copy-not-awaited error kernel="operand_of_the_second_stored<true>", shared-race error kernel="handed_to_another_role<true>"
}

template <bool FAIL>
__global__ void operand_stored(float* out)
{
    __shared__ alignas(128) __half a[A], b[B];
    float d[4] = {};
    fill(a, A, 1);
    fill(b, B, 2);
    fence_proxy();
    __syncthreads();
    product(d, a, b);
    if (FAIL)
        fill(a, A, 3);
    products_done<0>(d);
    __syncthreads();
    fill(a, A, 3);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + __half2float(a[threadIdx.x]);
}

template <bool FAIL>
__global__ void operand_of_the_second_stored(float* out)
{
    __shared__ alignas(128) __half a[A], b[B];
    float d[4] = {};
    fill(a, A, 1);
    fill(b, B, 2);
    fence_proxy();
    __syncthreads();
    product(d, a, b);
    product(d, a, b);
    products_done<1>(d);
    if (FAIL)
        fill(a, A, 3);
    products_done<0>(d);
    __syncthreads();
    fill(a, A, 3);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + __half2float(a[threadIdx.x]);
}

/// Two stages are too few while one product is under way.
template <int STAGES>
__global__ void ring(const __half* in, float* out)
{
    __shared__ alignas(128) __half a[STAGES][A], b[STAGES][B];
    __shared__ uint64_t full[STAGES];
    float d[4] = {};
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i)
            INIT(&full[i], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    const auto fetch = [&](int tile) {
        if (threadIdx.x == 0) {
            EXPECT(&full[tile % STAGES], BYTES_A + BYTES_B);
            LOAD(a[tile % STAGES], in, BYTES_A, &full[tile % STAGES]);  // expect: async-copy-not-awaited error kernel="ring<2>"
            LOAD(b[tile % STAGES], in, BYTES_B, &full[tile % STAGES]);
        }
    };
    fetch(0);
    for (int tile = 0; tile < 10; ++tile) {
        if (tile < 9)
            fetch(tile + 1);
        WAIT(&full[tile % STAGES], tile / STAGES & 1);
        product(d, a[tile % STAGES], b[tile % STAGES]);
        products_done<1>(d);
        __syncthreads();
    }
    products_done<0>(d);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

template <bool FAIL>
__global__ void handed_to_another_role(float* out)
{
    __shared__ alignas(128) __half a[2][A], b[2][B];
    __shared__ uint64_t done;
    if (threadIdx.x == 0)
        INIT(&done, 1);
    fill(a[threadIdx.x / 128], A, 1);
    fill(b[threadIdx.x / 128], B, 2);
    fence_proxy();
    __syncthreads();
    if (threadIdx.x < 128) {
        float d[4] = {};
        product(d, a[0], b[0]);
        product(d, a[1], b[1]);
        products_done<1>(d);
        role_sync(1, 128);
        if (threadIdx.x == 0)
            ARRIVE(&done, 1);
        products_done<0>(d);
        out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
    } else {
        WAIT(&done, 0);
        fill(a[FAIL ? 1 : 0], A, 42);
        role_sync(2, 128);
        out[threadIdx.x] = __half2float(a[FAIL ? 1 : 0][threadIdx.x]);
    }
}

int main()
{
    float host[256], *out;
    __half* in;
    cudaMalloc(&in, BYTES_A);
    cudaMalloc(&out, sizeof host);
    cudaMemset(in, 0, BYTES_A);
#ifdef FIXED
    constexpr bool FAIL = false;
#else
    constexpr bool FAIL = true;
#endif
    operand_stored<FAIL><<<1, 128>>>(out);
    operand_of_the_second_stored<FAIL><<<1, 128>>>(out);
    ring<FAIL ? 2 : 3><<<1, 128>>>(in, out);
    handed_to_another_role<FAIL><<<1, 256>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
