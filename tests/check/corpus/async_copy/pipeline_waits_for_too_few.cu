// A pipeline of two stages. While one stage is used the next is under way: the wait must leave one group open, not two.
#include <cuda_pipeline.h>

constexpr int kWidth = 64;
constexpr int kStages = 2;

__global__ void sums(float* out, const float* in, int tiles)
{
    __shared__ float tile[kStages][kWidth];
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(float));
    __pipeline_commit();
    float sum = 0;
    for (int i = 0; i < tiles; ++i) {
        if (i + 1 < tiles) {
            float* to = &tile[(i + 1) % kStages][threadIdx.x];
            const float* from = &in[(i + 1) * kWidth + threadIdx.x];
            __pipeline_memcpy_async(to, from, sizeof(float));  // expect: async-copy-not-awaited error
        }
        __pipeline_commit();
#ifdef FIXED
        __pipeline_wait_prior(1);
#else
        __pipeline_wait_prior(2);
#endif
        __syncthreads();
        sum += tile[i % kStages][kWidth - 1 - threadIdx.x];  // expect: async-copy-not-awaited error
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

int main()
{
    constexpr int kTiles = 5;
    float host[kTiles * kWidth], result[kWidth];
    for (int i = 0; i < kTiles * kWidth; ++i)
        host[i] = 1;
    float *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums<<<1, kWidth>>>(out, in, kTiles);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    return result[0] == kTiles ? 0 : 1;
}
