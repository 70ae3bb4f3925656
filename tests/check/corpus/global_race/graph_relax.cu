// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Edge relaxation with a plain compare and store.
#include <cstdio>

struct Edge {
    int from, to, weight;
};

__global__ void relax(const Edge* edges, int m, int* dist)
{
    int e = threadIdx.x;
    if (e >= m) return;
    Edge edge = edges[e];
#ifdef FIXED
    atomicMin(&dist[edge.to], edge.weight);
#else
    if (edge.weight < dist[edge.to])  // expect: global-race
        dist[edge.to] = edge.weight;  // expect: global-race
#endif
}

int main()
{
    Edge h[8];
    for (int i = 0; i < 8; ++i) h[i] = {0, 1 + i % 3, 20 - i};
    Edge* edges;
    int *dist, d[4] = {0, 1000, 1000, 1000};
    cudaMalloc(&edges, sizeof h);
    cudaMalloc(&dist, sizeof d);
    cudaMemcpy(edges, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(dist, d, sizeof d, cudaMemcpyHostToDevice);
    relax<<<1, 32>>>(edges, 8, dist);
    cudaMemcpy(d, dist, sizeof d, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", d[1], d[2], d[3]);
    cudaFree(edges);
    cudaFree(dist);
}
