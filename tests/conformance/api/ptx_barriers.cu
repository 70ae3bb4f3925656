// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers in shared memory by inline PTX: phases, arrivals that expect bytes, bulk and asynchronous copies that
// arrive.
#include <cstdint>

#include "check.h"

__device__ __forceinline__ uint32_t windowOf(const void* pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ void initBarrier(uint64_t* barrier, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(windowOf(barrier)), "r"(count));
}

__device__ __forceinline__ uint64_t arrive(uint64_t* barrier)
{
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(windowOf(barrier)) : "memory");
    return state;
}

__device__ __forceinline__ void wait(uint64_t* barrier, uint64_t state)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "AGAIN_%=:\n\t"
                 "mbarrier.test_wait.shared.b64 done, [%0], %1;\n\t"
                 "@!done bra AGAIN_%=;\n\t}" ::"r"(windowOf(barrier)),
                 "l"(state)
                 : "memory");
}

__device__ __forceinline__ void waitParity(uint64_t* barrier, uint32_t parity)
{
    asm volatile("{\n\t"
                 ".reg .pred P1;\n"
                 "LAB_WAIT_%=:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n\t"
                 "@P1 bra.uni DONE_%=;\n\t"
                 "bra.uni LAB_WAIT_%=;\n"
                 "DONE_%=:\n\t"
                 "}" ::"r"(windowOf(barrier)),
                 "r"(parity)
                 : "memory");
}

// Every thread hands its value to its neighbour, phase after phase.
__global__ void rotate(int* data, int turns)
{
    __shared__ uint64_t barrier;
    __shared__ int cells[96];
    const int self = threadIdx.x, count = blockDim.x;
    if (self == 0)
        initBarrier(&barrier, count);
    __syncthreads();
    int value = data[self];
    for (int turn = 0; turn < turns; ++turn) {
        cells[self] = value;
        wait(&barrier, arrive(&barrier));
        value = cells[(self + 1) % count];
        wait(&barrier, arrive(&barrier));
    }
    data[self] = value;
}

constexpr int kTile = 64, kStages = 2;

// Thread 0 copies tiles ahead with bulk copies; the others wait for the bytes, use them, and give the buffer back.
__global__ void sumOfTiles(const int* in, int* out, int tiles)
{
    __shared__ alignas(16) int tile[kStages][kTile];
    __shared__ uint64_t full[kStages], empty[kStages];
    if (threadIdx.x == 0) {
        for (int i = 0; i < kStages; ++i) {
            initBarrier(&full[i], 1);
            initBarrier(&empty[i], kTile);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == kTile) {
        for (int i = 0; i < tiles; ++i) {
            const int stage = i % kStages;
            waitParity(&empty[stage], (i / kStages + 1) % 2);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(windowOf(&full[stage])),
                         "r"(int(kTile * sizeof(int)))
                         : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    windowOf(tile[stage])),
                "l"(in + i * kTile), "r"(int(kTile * sizeof(int))), "r"(windowOf(&full[stage]))
                : "memory");
        }
    } else if (threadIdx.x < kTile) {
        int sum = 0;
        for (int i = 0; i < tiles; ++i) {
            const int stage = i % kStages;
            waitParity(&full[stage], i / kStages % 2);
            sum += tile[stage][threadIdx.x];
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(windowOf(&empty[stage])) : "memory");
        }
        out[threadIdx.x] = sum;
    }
}

// Every thread's asynchronous copies arrive for it.
__global__ void reversed(const int* in, int* out)
{
    __shared__ int cells[128];
    __shared__ uint64_t barrier;
    const int self = threadIdx.x;
    if (self == 0)
        initBarrier(&barrier, blockDim.x);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(windowOf(cells + self)), "l"(in + self) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(windowOf(&barrier)) : "memory");
    waitParity(&barrier, 0);
    out[self] = cells[blockDim.x - 1 - self];
}

int main()
{
    constexpr int kTiles = 7, kCount = kTile * kTiles;
    int *in, *out;
    CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
    CHECK(cudaMallocManaged(&out, 128 * sizeof(int)));
    for (int i = 0; i < kCount; ++i)
        in[i] = i;
    for (int i = 0; i < 96; ++i)
        out[i] = i;
    rotate<<<1, 96>>>(out, 5);
    CHECK(cudaDeviceSynchronize());
    print("rotated", out + 88, 8);
    sumOfTiles<<<1, kTile + 32>>>(in, out, kTiles);
    CHECK(cudaDeviceSynchronize());
    print("sums", out, 8);
    reversed<<<1, 128>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    print("reversed", out, 8);
    return 0;
}
