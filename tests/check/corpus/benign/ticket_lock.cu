// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A ticket lock: who has drawn the number that is being served may enter.
__global__ void add(unsigned* next, volatile unsigned* serving, int* sum)
{
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(next, 1u);
        while (*serving != mine)
            ;
        __threadfence();
        *sum += blockIdx.x;
        __threadfence();
        *serving = mine + 1;
    }
}

int main()
{
    unsigned* tickets;
    int* sum;
    cudaMalloc(&tickets, 8);
    cudaMalloc(&sum, 4);
    cudaMemset(tickets, 0, 8);
    cudaMemset(sum, 0, 4);
    add<<<6, 32>>>(tickets, tickets + 1, sum);
    cudaFree(tickets);
    cudaFree(sum);
}
