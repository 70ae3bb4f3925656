// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two lanes of one warp talk through a cuda::atomic in shared memory.
#include <cuda/atomic>

__global__ void pass(int* out)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    __shared__ int data;
    if (threadIdx.x == 0)
        flag.store(0, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        *out = data;
    } else if (threadIdx.x == 1) {
        data = 7;
        flag.store(1, cuda::memory_order_release);
    }
}

int main()
{
    int r, *p;
    cudaMalloc(&p, sizeof r);
    pass<<<1, 32>>>(p);
    cudaMemcpy(&r, p, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return r == 7 ? 0 : 1;
}
