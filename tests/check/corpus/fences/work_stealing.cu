// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks take pieces of their own queue and, when it is empty, of the next block's. A queue's head is then shared by blocks.
#include <cstdio>

constexpr int kBlocks = 4, kThreads = 32, kItems = 1024;

__global__ void fill(int* head, const int* tail, int* out)
{
    __shared__ int base, queue;
    int t = threadIdx.x;
    if (t == 0) {
        queue = blockIdx.x;
        base = atomicAdd(&head[queue], kThreads);
    }
    __syncthreads();
    for (int tries = 0; tries < kBlocks;) {
        if (base < tail[queue]) {
            if (base + t < tail[queue])
                out[base + t] = base + t;
        } else {
            ++tries;
        }
        __syncthreads();
        if (t == 0) {
            if (base >= tail[queue])
                queue = (queue + 1) % kBlocks;
#ifdef FIXED
            base = atomicAdd(&head[queue], kThreads);
#else
            base = atomicAdd_block(&head[queue], kThreads);  // expect: global-race, global-race
#endif
        }
        __syncthreads();
    }
}

int main()
{
    int h[kItems], begin[kBlocks], end[kBlocks], *head, *tail, *out;
    for (int b = 0; b < kBlocks; ++b) {
        begin[b] = b * (kItems / kBlocks);
        end[b] = begin[b] + kItems / kBlocks;
    }
    cudaMalloc(&head, sizeof begin);
    cudaMalloc(&tail, sizeof end);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(head, begin, sizeof begin, cudaMemcpyHostToDevice);
    cudaMemcpy(tail, end, sizeof end, cudaMemcpyHostToDevice);
    fill<<<kBlocks, kThreads>>>(head, tail, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < kItems; ++i)
        wrong += h[i] != i;
    cudaFree(head);
    cudaFree(tail);
    cudaFree(out);
    return wrong;
}
