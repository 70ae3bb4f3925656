// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message is released, but its reader loads the flag relaxed, and orders nothing.
#include <cstdio>
#include <cuda/atomic>

__global__ void pass(int* data, int* place, int* out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(*place);
    if (blockIdx.x == 0) {
        *data = 42;
        flag.store(1, cuda::memory_order_release);
        return;
    }
#ifdef FIXED
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
#else
    while (flag.load(cuda::memory_order_relaxed) == 0) {
    }
#endif
    *out = *data;  // expect: global-race warning
}

int main()
{
    int r, *p;
    cudaMalloc(&p, 3 * sizeof r);
    cudaMemset(p, 0, 3 * sizeof r);
    pass<<<2, 1>>>(p, p + 1, p + 2);
    cudaMemcpy(&r, p + 2, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(p);
    return r == 42 ? 0 : 1;
}
