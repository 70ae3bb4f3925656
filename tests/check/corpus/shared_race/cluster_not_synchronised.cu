// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of another block are not waited for by __syncthreads: only the cluster's barrier orders them.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) swap(int* out)
{
    __shared__ int slot[32];
    cg::cluster_group cluster = cg::this_cluster();
    const int* theirs = cluster.map_shared_rank(slot, cluster.block_rank() ^ 1);
    slot[threadIdx.x] = threadIdx.x;  // expect: shared-race
#ifdef FIXED
    cluster.sync();
#else
    __syncthreads();
#endif
    out[blockIdx.x * 32 + threadIdx.x] = theirs[threadIdx.x];
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
