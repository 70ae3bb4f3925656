// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A message whose flag is a cuda::atomic_ref: relaxed does not carry the data along, release does.
#include <cstdio>
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void pass(int* data, int* flag, int* out)
{
    Flag ready(*flag);
    if (blockIdx.x == 0) {
        *data = 42;  // expect: global-race
#ifdef FIXED
        ready.store(1, cuda::memory_order_release);
#else
        ready.store(1, cuda::memory_order_relaxed);
#endif
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) {
        }
        *out = *data;
    }
}

int main()
{
    int *memory, r;
    cudaMalloc(&memory, 3 * sizeof(int));
    cudaMemset(memory, 0, 3 * sizeof(int));
    pass<<<2, 1>>>(memory, memory + 1, memory + 2);
    cudaMemcpy(&r, memory + 2, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return r == 42 ? 0 : 1;
}
