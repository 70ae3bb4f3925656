// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread reads the cell that it copies before it waits: what it finds depends on when the copy arrives.
// check: --explore 4
#include <cuda_pipeline.h>

#include <cstdio>

__global__ void work(float* out, const float* in)
{
    __shared__ float tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
#endif
    out[threadIdx.x] = tile[threadIdx.x];  // expect: async-copy-not-awaited, result-depends-on-schedule warning
}

int main()
{
    float host[128], *in, *out;
    for (float& value : host)
        value = 1.0f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    work<<<1, 128>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g\n", host[63]);
    return 0;
}
