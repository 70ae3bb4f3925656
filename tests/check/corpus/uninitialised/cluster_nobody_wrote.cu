// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block has not written is undefined for its neighbours, too.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) swap(int* out)
{
    __shared__ int slot[32];
    cg::cluster_group cluster = cg::this_cluster();
    const int* theirs = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
#ifndef FIXED
    if (threadIdx.x < 16)
#endif
        slot[threadIdx.x] = threadIdx.x;
    cluster.sync();
    if (theirs[threadIdx.x] > 3)  // expect: uninitialised-read
        out[blockIdx.x * 32 + threadIdx.x] = 1;
    cluster.sync();
}

int main()
{
    int host[64], *out;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    swap<<<2, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
