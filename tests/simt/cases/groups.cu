// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cooperative groups: tiles known when compiling and not, coalesced groups, partitions, reduce and scan.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ int sumByTree(cg::thread_group group, int* scratch, int value)
{
    const int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < i)
            value += scratch[rank + i];
        group.sync();
    }
    return rank == 0 ? value : 0;
}

struct Pair {
    double value;
    int index;
};

__global__ void groups(int* out, const int* in, int* counter)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    const int rank = block.thread_rank();
    int sum = cg::reduce(tile, rank, cg::plus<int>()) + cg::reduce(quad, rank, cg::less<int>()) * 3;
    sum += tile.meta_group_rank() * 5 + quad.meta_group_size();
    if (rank % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        sum += cg::reduce(some, rank, cg::greater<int>()) + some.size() + some.thread_rank() * 2;
        sum += cg::exclusive_scan(some, 2) + some.shfl(rank, 1) + some.ballot(rank & 1);
    }
    auto labelled = cg::labeled_partition(warp, rank % 5);
    sum += labelled.size() * 1000 + labelled.meta_group_rank();
    sum += cg::binary_partition(warp, rank > 40).size() * 7;
    __shared__ int copy[64];
    cg::memcpy_async(block, copy, in, sizeof(int) * 64);
    cg::wait(block);
    sum += copy[63 - rank] + cg::inclusive_scan(tile, 1);
    __shared__ int scratch[64];
    sum += sumByTree(block, scratch, rank);
    cg::thread_group eights = cg::tiled_partition(block, 8);
    __shared__ int parts[8][8];
    sum += sumByTree(eights, parts[rank / 8], rank) + eights.thread_rank();
    cg::invoke_one(warp, [&] { atomicAdd(counter, 5); });
    const Pair other = tile.shfl_xor(Pair{rank * 0.5, rank}, 3);
    sum += int(other.value * 2) + other.index + tile.any(rank == 20) + 2 * tile.all(rank < 48);
    out[rank] = sum;
}

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; ++i)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host + sizeof(int));
    cudaMemset(out, 0, sizeof host + sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    groups<<<1, 64>>>(out, in, out + 64);
    int counter;
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(&counter, out + 64, sizeof counter, cudaMemcpyDeviceToHost);
    unsigned hash = 0;
    for (int value : host)
        hash = hash * 31 + unsigned(value);
    printf("%d %d %d %u %d\n", host[0], host[7], host[63], hash, counter);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
