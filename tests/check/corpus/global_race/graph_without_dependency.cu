// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of two kernels, of which the second reads what the first writes without depending on it.
__global__ void fill(int* a) { a[threadIdx.x] = threadIdx.x; }

__global__ void twice(const int* a, int* b) { b[threadIdx.x] = 2 * a[63 - threadIdx.x]; }

int main()
{
    int *a, *b;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&b, 64 * sizeof(int));
    void* fillArguments[] = {&a};
    void* twiceArguments[] = {&a, &b};
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaKernelNodeParams node = {};
    node.gridDim = dim3(1);
    node.blockDim = dim3(64);
    node.func = (void*)fill;
    node.kernelParams = fillArguments;
    cudaGraphNode_t first, second;
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    node.func = (void*)twice;
    node.kernelParams = twiceArguments;
#ifdef FIXED
    cudaGraphAddKernelNode(&second, graph, &first, 1, &node);
#else
    cudaGraphAddKernelNode(&second, graph, nullptr, 0, &node);  // expect: global-race
#endif
    cudaGraphExec_t ready;
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    for (int run = 0; run < 2; ++run)
        cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(a);
    cudaFree(b);
}
