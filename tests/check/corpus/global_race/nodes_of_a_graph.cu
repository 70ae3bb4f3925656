// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernel nodes of a graph that depend on nothing, told by the calls that added them.
__global__ void produce(int* q)
{
    q[threadIdx.x] = threadIdx.x;
}
__global__ void consume(const int* in, int* out)
{
    out[threadIdx.x] = in[threadIdx.x] * 2;
}

int main()
{
    int *q, *out;
    cudaMalloc(&q, 128);
    cudaMalloc(&out, 128);
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first, second;
    void* ofFirst[] = {&q};
    void* ofSecond[] = {&q, &out};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)produce;
    kernel.gridDim = 1;
    kernel.blockDim = 32;
    kernel.kernelParams = ofFirst;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel);  // expect: global-race
    kernel.func = (void*)consume;
    kernel.kernelParams = ofSecond;
#ifdef FIXED
    cudaGraphAddKernelNode(&second, graph, &first, 1, &kernel);
#else
    cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel);
#endif
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(q);
    cudaFree(out);
}
