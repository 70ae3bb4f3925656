// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everybody arrives, and thread 0 initialises the barrier again once the phase is over. The bug: others wait for that
// phase, too, and may still look at the barrier then.
__device__ unsigned isOver(unsigned barrier, unsigned long long token)
{
    unsigned over;
    asm volatile(  // expect: shared-race error
        "{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(barrier), "l"(token)
        : "memory");
    return over;
}

__global__ void sums(int* out)
{
    __shared__ unsigned long long barrier;
    __shared__ int data[64];
    unsigned address = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    __syncthreads();
    for (int round = 0; round < 2; ++round) {
        data[threadIdx.x] = threadIdx.x + round;
        unsigned long long token;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(address) : "memory");
#ifndef FIXED
        while (!isOver(address, token))
            ;
#endif
        if (threadIdx.x == 0) {
            while (!isOver(address, token))
                ;
            int sum = 0;
            for (int i = 0; i < 64; ++i)
                sum += data[i];
            out[round] = sum;
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(address) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
        }
        __syncthreads();
    }
}

int main()
{
    int* out;
    cudaMalloc(&out, 2 * sizeof(int));
    sums<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
