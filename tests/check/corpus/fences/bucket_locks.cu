// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hash table of lists, one lock a bucket.
#include <cstdio>

constexpr int kBuckets = 16, kItems = 256;

struct Node {
    int key;
    int next;
};

__global__ void insert(Node* nodes, int* heads, int* locks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bucket = i * 7 % kBuckets;
    nodes[i].key = i;
    bool done = false;
    while (!done) {
        if (atomicExch(&locks[bucket], 1) == 0) {
            __threadfence();
            nodes[i].next = heads[bucket];  // expect: global-race
            heads[bucket] = i;              // expect: global-race
#ifdef FIXED
            __threadfence();
            atomicExch(&locks[bucket], 0);
#else
            locks[bucket] = 0;  // expect: global-race
#endif
            done = true;
        }
    }
}

int main()
{
    Node* nodes;
    int *heads, *locks, h[kBuckets];
    Node list[kItems];
    cudaMalloc(&nodes, sizeof list);
    cudaMalloc(&heads, sizeof h);
    cudaMalloc(&locks, sizeof h);
    cudaMemset(heads, -1, sizeof h);
    cudaMemset(locks, 0, sizeof h);
    insert<<<4, 64>>>(nodes, heads, locks);
    cudaMemcpy(list, nodes, sizeof list, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, heads, sizeof h, cudaMemcpyDeviceToHost);
    int count = 0;
    for (int head : h)
        for (int i = head; i >= 0; i = list[i].next)
            ++count;
    cudaFree(nodes);
    cudaFree(heads);
    cudaFree(locks);
    return count == kItems ? 0 : 1;
}
