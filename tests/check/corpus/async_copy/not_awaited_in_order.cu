// Each half of the block reads what the other has copied; there is a barrier, but nobody waits for the copies.
#include <cuda_pipeline.h>
#include <cstdio>

__global__ void swapHalves(float* out, const float* in)
{
    __shared__ float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float));
    __pipeline_commit();
#ifdef FIXED
    __pipeline_wait_prior(0);
#endif
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];  // expect: async-copy-not-awaited error
}

int main()
{
    float host[64];
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    swapHalves<<<1, 64>>>(out, in);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return host[0] == 32 ? 0 : 1;
}
