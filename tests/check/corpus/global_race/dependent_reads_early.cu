// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that may begin before the one in front of it has ended reads what that writes, and waits only then.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void produce(int* data)
{
    cudaTriggerProgrammaticLaunchCompletion();
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // expect: global-race error
}

__global__ void consume(const int* data, const int* weights, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int weight = weights[i];
#ifdef FIXED
    cudaGridDependencySynchronize();
    out[i] = data[i] * weight;
#else
    const int value = data[i];  // expect: global-race
    cudaGridDependencySynchronize();
    out[i] = value * weight;
#endif
}

int main()
{
    constexpr int kCount = 512;
    int *data, *weights, *out;
    cudaMalloc(&data, kCount * sizeof(int));
    cudaMalloc(&weights, kCount * sizeof(int));
    cudaMalloc(&out, kCount * sizeof(int));
    cudaMemset(data, 0, kCount * sizeof(int));
    cudaMemset(weights, 1, kCount * sizeof(int));
    produce<<<kCount / 128, 128>>>(data);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = kCount / 128;
    config.blockDim = 128;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, consume, (const int*)data, (const int*)weights, out);
    cudaDeviceSynchronize();
    cudaFree(data);
    cudaFree(weights);
    cudaFree(out);
    return 0;
}
