// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs that allocate: freed by a node, by the host between two launches, by the next launch, or by nobody.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int* p, int first)
{
    p[threadIdx.x] = first + threadIdx.x;
}
__global__ void add(const int* p, int* out)
{
    out[threadIdx.x] += p[threadIdx.x];
}

static int* out;

static void show(const char* what, cudaError_t error)
{
    int values[32];
    cudaError_t copied = cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
    printf("%s: %s, %d, %s\n", what, cudaGetErrorName(error), values[2], cudaGetErrorName(copied));
}

/// Allocates, fills and, if asked for, adds up and frees.
static cudaGraph_t graphOf(int*& p, bool frees)
{
    static int first = 1;
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t allocates, fills, adds, releases;
    cudaMemAllocNodeParams memory = {};
    memory.bytesize = 128;
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphAddMemAllocNode(&allocates, graph, nullptr, 0, &memory);
    p = (int*)memory.dptr;
    void* toFill[] = {&p, &first};
    void* toAdd[] = {&p, &out};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)fill;
    kernel.gridDim = 1;
    kernel.blockDim = 32;
    kernel.kernelParams = toFill;
    cudaGraphAddKernelNode(&fills, graph, &allocates, 1, &kernel);
    if (frees) {
        kernel.func = (void*)add;
        kernel.kernelParams = toAdd;
        cudaGraphAddKernelNode(&adds, graph, &fills, 1, &kernel);
        cudaGraphAddMemFreeNode(&releases, graph, &adds, 1, p);
    }
    return graph;
}

int main()
{
    cudaMalloc(&out, 128);
    cudaMemset(out, 0, 128);
    int* p;
    cudaGraphExec_t exec;

    cudaGraph_t graph = graphOf(p, true);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; ++i)
        cudaGraphLaunch(exec, 0);
    show("freed by a node", cudaDeviceSynchronize());
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);

    graph = graphOf(p, false);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; ++i) {
        cudaGraphLaunch(exec, 0);
        add<<<1, 32>>>(p, out);
        show("freed by the host", i ? cudaFree(p) : cudaFreeAsync(p, 0));
    }
    cudaGraphLaunch(exec, 0);
    show("still there", cudaGraphLaunch(exec, 0));
    show("gone", cudaFree(p));
    cudaGraphExecDestroy(exec);

    cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    cudaGraphLaunch(exec, 0);
    show("freed by the next launch", cudaGraphLaunch(exec, 0));
    cudaFree(p);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);

    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    int* q;
    cudaMallocAsync(&q, 128, stream);
    fill<<<1, 32, 0, stream>>>(q, 5);
    add<<<1, 32, 0, stream>>>(q, out);
    cudaFreeAsync(q, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaGraphLaunch(exec, stream);
    show("captured", cudaStreamSynchronize(stream));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    cudaFree(out);
}
