// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libcu++'s barriers, pipelines, latches and semaphores: in phases, with roles, with copies, with threads that leave.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "check.h"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rotate(int* data, int turns)
{
    __shared__ Barrier barrier;
    __shared__ int cells[96];
    const int self = threadIdx.x, count = blockDim.x;
    if (self == 0)
        init(&barrier, count);
    __syncthreads();
    int value = data[self];
    for (int turn = 0; turn < turns; ++turn) {
        cells[self] = value;
        Barrier::arrival_token token = barrier.arrive();
        const int next = (self + 1) % count;
        barrier.wait(std::move(token));
        value = cells[next];
        barrier.arrive_and_wait();
    }
    data[self] = value;
}

// Thread i stays for i phases; those who leave are waited for no longer.
__global__ void leave(int* phases)
{
    __shared__ Barrier barrier;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int phase = 0; phase < int(threadIdx.x); ++phase) {
        barrier.arrive_and_wait();
        phases[threadIdx.x] = phase + 1;
    }
    barrier.arrive_and_drop();
}

// The last to arrive sums up.
struct Sum {
    const int* from;
    int* to;
    __device__ void operator()() const noexcept
    {
        int sum = 0;
        for (int i = 0; i < 64; ++i)
            sum += from[i];
        *to += sum;
    }
};
__global__ void complete(int* total)
{
    using SumBarrier = cuda::barrier<cuda::thread_scope_block, Sum>;
    __shared__ alignas(SumBarrier) char place[sizeof(SumBarrier)];
    __shared__ int cells[64];
    __shared__ int sum;
    SumBarrier* barrier = reinterpret_cast<SumBarrier*>(place);
    if (threadIdx.x == 0) {
        sum = 0;
        new (barrier) SumBarrier(blockDim.x, Sum{cells, &sum});
    }
    __syncthreads();
    for (int phase = 0; phase < 3; ++phase) {
        cells[threadIdx.x] = threadIdx.x * phase;
        barrier->arrive_and_wait();
        if (threadIdx.x == 0)
            total[phase] = sum;
        barrier->arrive_and_wait();
    }
}

__global__ void copyBehindBarrier(int* out, const int* in)
{
    __shared__ Barrier barrier;
    __shared__ alignas(16) int cells[64];
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&barrier, block.size());
    block.sync();
    cuda::memcpy_async(block, cells, in, cuda::aligned_size_t<16>(sizeof(cells)), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = cells[63 - threadIdx.x];
}

__global__ void ring(int* out, const int* in, int batches)
{
    constexpr int kStages = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    __shared__ int cells[kStages][64];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int batch = 0, fetched = 0; batch < batches; ++batch) {
        for (; fetched < batches && fetched < batch + kStages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, cells[fetched % kStages], in + 64 * fetched, 64 * sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[64 * batch + threadIdx.x] = cells[batch % kStages][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void roles(int* out, const int* in, int batches)
{
    constexpr int kStages = 3;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    __shared__ int cells[kStages][64];
    auto block = cg::this_thread_block();
    const bool produces = block.thread_rank() < 32;
    auto pipe =
        cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int batch = 0; batch < batches; ++batch)
        if (produces) {
            pipe.producer_acquire();
            cuda::memcpy_async(cg::tiled_partition<32>(block), cells[batch % kStages], in + 64 * batch,
                               64 * sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[64 * batch + threadIdx.x - 32] = 2 * cells[batch % kStages][threadIdx.x - 32];
            pipe.consumer_release();
        }
}

__global__ void alone(int* out, const int* in, int batches)
{
    __shared__ int cells[2][64];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const auto one = cuda::aligned_size_t<4>(sizeof(int));
    const int self = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&cells[0][self], in + self, one, pipe);
    pipe.producer_commit();
    for (int batch = 0; batch < batches; ++batch) {
        pipe.producer_acquire();
        if (batch + 1 < batches)
            cuda::memcpy_async(&cells[(batch + 1) % 2][self], in + 64 * (batch + 1) + self, one, pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        out[64 * batch + self] = 3 * cells[batch % 2][self];
        pipe.consumer_release();
    }
}

struct Turns {
    cuda::latch<cuda::thread_scope_device> all{4};
    cuda::binary_semaphore<cuda::thread_scope_device> one{1};
};

__global__ void takeTurns(Turns* turns, int* sum, int* seen)
{
    if (threadIdx.x == 0) {
        turns->one.acquire();
        *sum += blockIdx.x + 1;
        turns->one.release();
        turns->all.arrive_and_wait();
        seen[blockIdx.x] = *sum;
    }
}

int main()
{
    constexpr int kBatches = 8, kCount = 64 * kBatches;
    int *in, *out;
    CHECK(cudaMallocManaged(&in, kCount * sizeof(int)));
    CHECK(cudaMallocManaged(&out, kCount * sizeof(int)));
    for (int i = 0; i < kCount; ++i) {
        in[i] = i;
        out[i] = i;
    }
    const auto finish = [&](const char* name, int first, int count) {
        CHECK(cudaDeviceSynchronize());
        print(name, out + first, count);
        CHECK(cudaMemset(out, 0, kCount * sizeof(int)));
    };
    rotate<<<1, 96>>>(out, 5);
    finish("rotate", 90, 6);
    leave<<<1, 64>>>(out);
    finish("leave", 60, 4);
    complete<<<1, 64>>>(out);
    finish("complete", 0, 3);
    copyBehindBarrier<<<1, 64>>>(out, in);
    finish("copy", 0, 3);
    ring<<<1, 64>>>(out, in, kBatches);
    finish("ring", kCount - 3, 3);
    roles<<<1, 96>>>(out, in, kBatches);
    finish("roles", kCount - 3, 3);
    alone<<<1, 64>>>(out, in, kBatches);
    finish("alone", kCount - 3, 3);
    Turns* turns;
    CHECK(cudaMallocManaged(&turns, sizeof(Turns)));
    new (turns) Turns();
    takeTurns<<<4, 32>>>(turns, out, out + 1);
    finish("turns", 0, 5);
}
