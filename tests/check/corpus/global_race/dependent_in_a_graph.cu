// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stream lets begin early, its capture does, too.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void produce(int* data)
{
    data[threadIdx.x] = threadIdx.x;  // expect: global-race error
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void consume(const int* data, int* out)
{
#ifdef FIXED
    cudaGridDependencySynchronize();
#endif
    out[threadIdx.x] = data[127 - threadIdx.x];  // expect: global-race
}

int main()
{
    int *data, *out;
    cudaMalloc(&data, 128 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    produce<<<1, 128, 0, stream>>>(data);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, consume, (const int*)data, out);
    cudaGraph_t graph;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 2; ++i)
        cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(data);
    cudaFree(out);
    return 0;
}
