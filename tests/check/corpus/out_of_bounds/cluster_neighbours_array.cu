// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Another block's array is no longer than one's own.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) swap(int* out)
{
    __shared__ int slot[32];
    cg::cluster_group cluster = cg::this_cluster();
    const int* theirs = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
    slot[threadIdx.x] = threadIdx.x;
    cluster.sync();
#ifdef FIXED
    const unsigned next = (threadIdx.x + 1) % 32;
#else
    const unsigned next = threadIdx.x + 1;
#endif
    out[blockIdx.x * 32 + threadIdx.x] = theirs[next];  // expect: out-of-bounds
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
