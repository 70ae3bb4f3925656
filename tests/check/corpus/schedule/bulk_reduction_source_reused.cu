// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile that a reduction in bulk adds to global memory is filled anew before it has been read: the sums depend on when
// that is.
// check: --explore 4
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void add(int* to, const int* from)
{
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(to), "r"(window(from)) : "memory");  // expect: result-depends-on-schedule warning
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ alignas(16) int tile[64];
    for (int lap = 0; lap < 2; ++lap) {
        tile[threadIdx.x] = in[lap * 64 + threadIdx.x];  // expect: async-copy-not-awaited
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            add(out + lap * 64, tile);
#ifdef FIXED
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    work<<<1, 64>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%d\n", host[63]);
    return 0;
}
