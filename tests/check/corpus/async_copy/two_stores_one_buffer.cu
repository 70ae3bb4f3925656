// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile leaves by a copy in bulk and is filled anew when the copy before that has been waited for.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

__device__ uint32_t window(const void* at) { return (uint32_t)__cvta_generic_to_shared(at); }
__device__ void fenceAsync() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void store(int* to, const int* from, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(window(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void work(const int* in, int* out)
{
    __shared__ alignas(16) int tile[64];
    for (int i = 0; i < 3; ++i) {
        tile[threadIdx.x] = in[64 * i + threadIdx.x] + 1;  // expect: async-copy-not-awaited
        fenceAsync();
        __syncthreads();
        if (threadIdx.x == 0) {
            store(out + 64 * i, tile, 256);
#ifdef FIXED
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#else
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
#endif
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    constexpr int kCount = 1024;
    int host[kCount], *in, *out;
    for (int i = 0; i < kCount; ++i)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    work<<<1, 64>>>(in, out);
    const cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess)
        printf("%d\n", host[63]);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
