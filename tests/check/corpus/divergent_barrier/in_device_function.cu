// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The barrier hides in a helper that only some threads call.
#include <cstdio>

__device__ void publish(int* slot, int value)
{
    *slot = value;
    __syncthreads();  // expect: divergent-barrier
}

__global__ void kernel(int* out)
{
    __shared__ int s[64];
#ifdef FIXED
    publish(&s[threadIdx.x], threadIdx.x);
#else
    s[threadIdx.x] = 0;
    if (threadIdx.x % 2 == 0) publish(&s[threadIdx.x], threadIdx.x);
#endif
#ifdef FIXED
    out[threadIdx.x] = s[threadIdx.x ^ 1];
#else
    out[threadIdx.x] = s[threadIdx.x];
#endif
    __syncthreads();
    if (threadIdx.x == 0) out[0] = s[63];
}

int main()
{
    int *out, h[64];
    cudaMalloc(&out, sizeof h);
    kernel<<<1, 64>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
    cudaFree(out);
}
