// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mbarrier objects: a producer that copies in bulk for consumers of two stages, arrivals apart from waits, arrivals of
// asynchronous copies, threads that drop out.
#include <cuda_awbarrier_primitives.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int kTile = 256, kTiles = 7, kStages = 2, kConsumers = 128;

__device__ unsigned window(const void* at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

__device__ void waitFor(uint64_t* barrier, unsigned parity)
{
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@over bra done;\n"
                 "bra again;\n"
                 "done:\n"
                 "}" ::"r"(window(barrier)),
                 "r"(parity)
                 : "memory");
}

/// Warp 0 produces, the others add up. \p sums: one for each tile.
__global__ void stages(const int* in, int* sums, int* copy)
{
    __shared__ __align__(128) int tiles[kStages][kTile];
    __shared__ uint64_t full[kStages], empty[kStages];
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(&full[stage])), "r"(1));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(window(&empty[stage])), "r"(kConsumers));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int tile = 0; threadIdx.x == 0 && tile < kTiles; ++tile) {
            const int stage = tile % kStages, turn = tile / kStages;
            if (turn > 0)
                waitFor(&empty[stage], turn + 1 & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(&full[stage])),
                         "r"(unsigned(sizeof tiles[0]))
                         : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    window(tiles[stage])),
                "l"(in + tile * kTile), "r"(unsigned(sizeof tiles[0])), "r"(window(&full[stage]))
                : "memory");
        }
    } else {
        for (int tile = 0; tile < kTiles; ++tile) {
            const int stage = tile % kStages, i = threadIdx.x - 32;
            waitFor(&full[stage], tile / kStages & 1);
            const int sum = tiles[stage][i] + tiles[stage][i + kConsumers];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(window(&empty[stage])) : "memory");
            atomicAdd(&sums[tile], sum);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(copy), "r"(window(tiles[0])),
                     "r"(unsigned(sizeof tiles[0]))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

/// Each half of the threads reads what the other wrote; then one half leaves.
__global__ void apart(int* out)
{
    __shared__ __mbarrier_t barrier;
    __shared__ int values[64];
    const int t = threadIdx.x;
    if (t == 0)
        __mbarrier_init(&barrier, 64);
    __syncthreads();
    values[t] = t * 3;
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    const bool counted = __mbarrier_token_pending_count(token) > 0;
    while (!__mbarrier_try_wait(&barrier, token, 100)) {
    }
    int sum = values[63 - t] + counted;
    token = t < 32 ? __mbarrier_arrive(&barrier) : __mbarrier_arrive_and_drop(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    if (t < 32) {
        values[t] = 1000 * t;
        __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait_parity(&barrier, false)) {
        }
        sum += values[31 - t];
    }
    out[t] = sum;
}

/// The copies of all threads are awaited by those of the last warp.
__global__ void copies(const int4* in, int4* out)
{
    __shared__ int4 there[64];
    __shared__ uint64_t barrier;
    const int t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(window(&barrier)));
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(window(&there[t])), "l"(in + t) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(window(&barrier)) : "memory");
    if (t >= 32) {
        waitFor(&barrier, 0);
        out[t - 32] = there[t - 32];
        out[t] = there[95 - t];
    }
}

int main()
{
    int *in, *sums, *copy, host[kTiles * kTile], result[kTile], wrong = 0;
    for (int i = 0; i < kTiles * kTile; ++i)
        host[i] = i % 101;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, kTiles * sizeof(int));
    cudaMalloc(&copy, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(sums, 0, kTiles * sizeof(int));
    stages<<<1, 32 + kConsumers>>>(in, sums, copy);
    cudaMemcpy(result, sums, kTiles * sizeof(int), cudaMemcpyDeviceToHost);
    for (int tile = 0; tile < kTiles; ++tile) {
        int sum = 0;
        for (int i = 0; i < kTile; ++i)
            sum += host[tile * kTile + i];
        wrong += sum != result[tile];
    }
    cudaMemcpy(result, copy, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < kTile; ++i)
        wrong += result[i] != host[6 * kTile + i];
    printf("stages: %s\n", wrong ? "wrong" : "right");

    apart<<<1, 64>>>(copy);
    cudaMemcpy(result, copy, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; ++t)
        wrong += result[t] != (63 - t) * 3 + 1 + (t < 32 ? 1000 * (31 - t) : 0);
    printf("apart: %s\n", wrong ? "wrong" : "right");

    copies<<<1, 64>>>((const int4*)in, (int4*)copy);
    cudaMemcpy(result, copy, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 128; ++i)
        wrong += result[i] != host[i] || result[128 + i] != host[(63 - i / 4) * 4 + i % 4];
    printf("copies: %s\n", wrong ? "wrong" : "right");
    return wrong;
}
