// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of several warps: what they meet at, exchange, add up and scan.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

struct Pair {
    float sum;
    int threads;
};

template <unsigned Size>
__global__ void tiles(int* out)
{
    __shared__ cg::block_tile_memory<256> scratch;
    const auto block = cg::this_thread_block(scratch);
    const auto tile = cg::tiled_partition<Size>(block);
    const int rank = static_cast<int>(tile.thread_rank());
    const int me = static_cast<int>(block.thread_rank());
    int* mine = out + me * 10;
    mine[0] = static_cast<int>(tile.meta_group_rank()) * 100 + static_cast<int>(tile.meta_group_size());
    mine[1] = cg::reduce(tile, me, cg::plus<int>());
    mine[2] = cg::inclusive_scan(tile, rank + 1);
    mine[3] = cg::exclusive_scan(tile, rank + 1, cg::plus<int>());
    mine[4] = tile.shfl(me, Size - 3);
    mine[5] = tile.any(me == 70) * 10 + tile.all(me >= static_cast<int>(Size));
    const Pair pair = cg::reduce(tile, Pair{rank * 0.5f, 1},
                                 [](Pair a, Pair b) { return Pair{a.sum + b.sum, a.threads + b.threads}; });
    mine[6] = static_cast<int>(pair.sum) * 1000 + pair.threads;
    const auto warp = cg::tiled_partition<32>(tile);
    mine[7] = static_cast<int>(warp.meta_group_rank() * 1000 + warp.meta_group_size() * 100 + warp.thread_rank());
    const int called = cg::invoke_one_broadcast(tile, [me] { return me + 5; });
    tile.sync();
    mine[8] = called;
    mine[9] = static_cast<int>(tile.size());
}

template <unsigned Size>
static void show()
{
    static int host[2560];
    int* device = nullptr;
    cudaMalloc(&device, sizeof(host));
    tiles<Size><<<1, 256>>>(device);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    for (const int thread : {0, 31, 32, 127, 255}) {
        std::printf("%u %d:", Size, thread);
        for (int i = 0; i < 10; ++i)
            std::printf(" %d", host[thread * 10 + i]);
        std::printf("\n");
    }
    cudaFree(device);
}

int main()
{
    show<64>();
    show<128>();
    show<256>();
}
