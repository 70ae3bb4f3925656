// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies read, overwritten or written over before they have been waited for: a kernel for each way to do that.
#include <cstdio>

#include "pipeline.h"

constexpr int THREADS = 128, BYTES = THREADS * 4;

/// Thread 0 makes \p count barriers of one arrival each.
__device__ void make(uint64_t* barriers, int count)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < count; ++i)
            INIT(&barriers[i], 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
}

template <bool FAIL>
__global__ void read_before_the_wait(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full[1];
    make(full, 1);
    if (threadIdx.x == 0) {
        EXPECT(full, BYTES);
        LOAD(tile, in, BYTES, full);
    }
    if (!FAIL)
        WAIT(full, 0);
    const int value = tile[threadIdx.x];  // expect: shared-race error kernel="read_before_the_wait<true>"
    if (FAIL)
        WAIT(full, 0);
    __syncthreads();
    if (threadIdx.x == 0)
        INVALIDATE(full);
    out[threadIdx.x] = value;
}

template <bool FAIL>
__global__ void two_tiles_one_barrier(const int* in, int* out)
{
    __shared__ alignas(128) int a[THREADS], b[THREADS];
    __shared__ uint64_t full[1];
    make(full, 1);
    if (threadIdx.x == 0) {
        EXPECT(full, 2 * BYTES);
        LOAD(a, in, BYTES, full);
        LOAD(b, in, BYTES, full);
    }
    if (!FAIL)
        WAIT(full, 0);
    const int value = a[threadIdx.x]  // expect: shared-race error kernel="two_tiles_one_barrier<true>"
        + b[threadIdx.x];
    if (FAIL)
        WAIT(full, 0);
    out[threadIdx.x] = value;
}

template <int MORE>
__global__ void bytes_expected(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full[1];
    make(full, 1);
    if (threadIdx.x == 0) {
        EXPECT(full, BYTES + MORE);
        LOAD(tile, in, BYTES, full);
    }
    WAIT(full, 0);  // expect: barrier-deadlock error kernel="bytes_expected<-16>", barrier-deadlock error kernel="bytes_expected<16>"
    out[threadIdx.x] = tile[threadIdx.x];
}

template <bool FAIL>
__global__ void second_tile_not_awaited(const int* in, int* out)
{
    __shared__ alignas(128) int tile[2][THREADS];
    __shared__ uint64_t full[2];
    make(full, 2);
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) {
            EXPECT(&full[i], BYTES);
            LOAD(tile[i], in, BYTES, &full[i]);  // expect: async-copy-not-awaited error kernel="second_tile_not_awaited<true>"
        }
    WAIT(&full[0], 0);
    if (!FAIL)
        WAIT(&full[1], 0);
    out[threadIdx.x] = tile[0][threadIdx.x];
    out[threadIdx.x] += tile[1][threadIdx.x];  // expect: shared-race error kernel="second_tile_not_awaited<true>"
    __syncthreads();
    fence_proxy();
    if (threadIdx.x == 0) {
        STORE(out + THREADS, tile[0], BYTES);
        stores_read<0>();
    }
}

template <bool FAIL>
__global__ void the_other_tile_awaited(const int* in, int* out)
{
    __shared__ alignas(128) int tile[2][THREADS];
    __shared__ uint64_t full[2];
    make(full, 2);
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) {
            EXPECT(&full[i], BYTES);
            LOAD(tile[i], in, BYTES, &full[i]);  // expect: async-copy-not-awaited error kernel="the_other_tile_awaited<true>"
        }
    WAIT(&full[1], 0);
    out[threadIdx.x] = tile[FAIL ? 0 : 1][threadIdx.x];
    if (!FAIL)
        WAIT(&full[0], 0);
}

template <bool LATEST>
__global__ void copied_twice(const int* in, int* out)
{
    __shared__ alignas(128) int tile[THREADS];
    __shared__ uint64_t full[2];
    make(full, 2);
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) {
            EXPECT(&full[i], BYTES);
            LOAD(tile, in, BYTES, &full[i]);  // expect-fixed: async-copy-not-awaited error kernel="copied_twice<true>"
        }
    WAIT(&full[LATEST ? 1 : 0], 0);
    out[threadIdx.x] = tile[threadIdx.x];  // expect: shared-race error kernel="copied_twice<false>"
    WAIT(&full[LATEST ? 0 : 1], 0);
}

template <bool FAIL>
__global__ void group_copied_twice(const int* in, int* out)
{
    __shared__ int tile[THREADS];
    COPY(&tile[threadIdx.x], in + threadIdx.x);  // expect: async-copy-not-awaited error kernel="group_copied_twice<true>"
    if (!FAIL)
        copies_done<0>();
    COPY(&tile[threadIdx.x], in + threadIdx.x);  // expect-fixed: redundant-store advice kernel="group_copied_twice<false>"
    copies_done<0>();
    out[threadIdx.x] = tile[threadIdx.x];
}

template <bool FAIL>
__global__ void group_in_a_ring(const int* in, int* out)
{
    __shared__ int tile[2][THREADS];
    COPY(&tile[0][threadIdx.x], in + threadIdx.x);  // expect: async-copy-not-awaited error kernel="group_in_a_ring<true>"
    COPY(&tile[1][threadIdx.x], in + threadIdx.x);
    if (FAIL)
        copies_done<2>();
    else
        copies_done<1>();
    COPY(&tile[0][threadIdx.x], in + threadIdx.x);  // expect-fixed: redundant-store advice kernel="group_in_a_ring<false>"
    copies_done<0>();
    out[threadIdx.x] = tile[0][threadIdx.x] + tile[1][threadIdx.x];
}

template <bool FAIL>
__global__ void source_of_a_store(const int* in, int* out)
{
    __shared__ alignas(128) int tile[2][THREADS];
    tile[0][threadIdx.x] = in[threadIdx.x];
    tile[1][threadIdx.x] = in[threadIdx.x];
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE(out, tile[0], BYTES);
        STORE(out + THREADS, tile[1], BYTES);
        stores_read<1>();
    }
    __syncthreads();
    tile[0][threadIdx.x] = 42;
    if (!FAIL && threadIdx.x == 0)
        stores_read<0>();
    __syncthreads();
    tile[1][threadIdx.x] = 42;  // expect: async-copy-not-awaited error kernel="source_of_a_store<true>"
    __syncthreads();
    out[2 * THREADS + threadIdx.x] = tile[0][127 - threadIdx.x] + tile[1][127 - threadIdx.x];
    if (FAIL && threadIdx.x == 0)
        stores_read<0>();
}

int main()
{
    int host[3 * THREADS], *in, *out;
    for (int i = 0; i < 3 * THREADS; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
#ifdef FIXED
    constexpr bool FAIL = false;
#else
    constexpr bool FAIL = true;
#endif
    read_before_the_wait<FAIL><<<1, THREADS>>>(in, out);
    two_tiles_one_barrier<FAIL><<<1, THREADS>>>(in, out);
    second_tile_not_awaited<FAIL><<<1, THREADS>>>(in, out);
    the_other_tile_awaited<FAIL><<<1, THREADS>>>(in, out);
    copied_twice<!FAIL><<<1, THREADS>>>(in, out);
    group_copied_twice<FAIL><<<1, THREADS>>>(in, out);
    group_in_a_ring<FAIL><<<1, THREADS>>>(in, out);
    source_of_a_store<FAIL><<<1, THREADS>>>(in, out);
#ifdef FIXED
    bytes_expected<0><<<1, THREADS>>>(in, out);
#else
    bytes_expected<-16><<<1, THREADS>>>(in, out);
    bytes_expected<16><<<1, THREADS>>>(in, out);
#endif
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
