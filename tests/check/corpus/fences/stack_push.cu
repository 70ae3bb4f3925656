// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack that blocks push onto with compare-and-swap; the last one to finish walks it.
#include <cstdio>

struct Node {
    int value;
    int next;
};

__device__ int head = -1;
__device__ unsigned finished;

__global__ void push(Node* nodes, int* sum)
{
    if (threadIdx.x != 0)
        return;
    int i = blockIdx.x;
    nodes[i].value = i;
    int old = *(volatile int*)&head, seen;
    do {
        seen = old;
        nodes[i].next = seen;
        __threadfence();
        old = atomicCAS(&head, seen, i);
    } while (old != seen);
    __threadfence();
    if (atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1) {
        __threadfence();
        int total = 0;
        for (int k = *(volatile int*)&head; k >= 0; k = nodes[k].next)
            total += nodes[k].value;
        *sum = total;
    }
}

int main()
{
    Node* nodes;
    int *sum, r;
    cudaMalloc(&nodes, 16 * sizeof(Node));
    cudaMalloc(&sum, sizeof r);
    push<<<16, 32>>>(nodes, sum);
    cudaMemcpy(&r, sum, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(nodes);
    cudaFree(sum);
    return r == 120 ? 0 : 1;
}
