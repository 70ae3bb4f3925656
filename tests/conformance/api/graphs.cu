// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: captured from streams, built of nodes, instantiated, changed, launched.
#include "check.h"

__global__ void add(int* data, int value)
{
    data[threadIdx.x] += value;
}

__global__ void sum(int* to, const int* a, const int* b)
{
    to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

void CUDART_CB count(void* data)
{
    ++*static_cast<int*>(data);
}

void captured(int* a, int* b, int* host)
{
    cudaStream_t main, side;
    CHECK(cudaStreamCreate(&main));
    CHECK(cudaStreamCreate(&side));
    cudaEvent_t fork, join;
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    static int calls = 0;

    CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamIsCapturing(main, &status));
    std::printf("capturing: %d\n", status == cudaStreamCaptureStatusActive);
    CHECK(cudaMemsetAsync(a, 0, 16, main));
    CHECK(cudaEventRecord(fork, main));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    add<<<1, 4, 0, main>>>(a, 1);
    CHECK(cudaMemsetAsync(b, 0, 16, side));
    add<<<1, 4, 0, side>>>(b, 20);
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(main, join, 0));
    sum<<<1, 4, 0, main>>>(a, a, b);
    CHECK(cudaMemcpyAsync(host, a, 16, cudaMemcpyDeviceToHost, main));
    CHECK(cudaLaunchHostFunc(main, count, &calls));
    cudaGraph_t graph;
    CHECK(cudaStreamEndCapture(main, &graph));
    print("not yet", host, 4);
    size_t nodes = 0, roots = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
    std::printf("nodes %zu, roots %zu\n", nodes, roots);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i)
        CHECK(cudaGraphLaunch(exec, main));
    CHECK(cudaStreamSynchronize(main));
    print("captured", host, 4);
    std::printf("host function called %d times\n", calls);
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
    SHOW(cudaStreamSynchronize(main));
    SHOW(cudaStreamEndCapture(main, &graph));
    CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(fork, main));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    add<<<1, 4, 0, side>>>(b, 1);
    SHOW(cudaStreamEndCapture(main, &graph));
    SHOW(cudaStreamBeginCapture(0, cudaStreamCaptureModeRelaxed));
    SHOW(cudaStreamEndCapture(main, &graph));
    CHECK(cudaStreamSynchronize(main));
    CHECK(cudaStreamDestroy(main));
    CHECK(cudaStreamDestroy(side));
}

void explicitly(int* a, int* b, int* host)
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t fill, addNode, copy, hostNode, empty;
    cudaMemsetParams memset = {};
    memset.dst = a;
    memset.elementSize = 4;
    memset.value = 5;
    memset.width = 4;
    memset.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &memset));
    int value = 3;
    void* arguments[] = {&a, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)add;
    kernel.gridDim = dim3(1);
    kernel.blockDim = dim3(4);
    kernel.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&addNode, graph, &fill, 1, &kernel));
    value = 99;  // the node has its own copy
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, host, a, 16, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &addNode, 1));
    const cudaGraphNode_t from[] = {empty}, to[] = {copy};
#if defined(__LANESCOPE__)  // takes the forms of CUDA 13, too
    CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 1));
    CHECK(cudaGraphRemoveDependencies(graph, from, to, nullptr, 1));
#endif
#if CUDART_VERSION >= 13000
    CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 1));
#else
    CHECK(cudaGraphAddDependencies(graph, from, to, 1));
#endif
    static int calls = 0;
    cudaHostNodeParams hostParameters = {count, &calls};
    CHECK(cudaGraphAddHostNode(&hostNode, graph, &copy, 1, &hostParameters));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(addNode, &type));
    std::printf("kernel node: %d\n", type == cudaGraphNodeTypeKernel);

    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    print("explicit", host, 4);
    value = 40;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, addNode, &kernel));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    print("changed", host, 4);
    cudaGraph_t clone, parent;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t child;
    CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, clone));
    cudaGraphExec_t parentExec;
    CHECK(cudaGraphInstantiate(&parentExec, parent, 0));
    CHECK(cudaGraphLaunch(parentExec, stream));
    CHECK(cudaStreamSynchronize(stream));
    print("child", host, 4);
    std::printf("host node called %d times\n", calls);
    SHOW(cudaGraphAddEmptyNode(&empty, graph, nullptr, 1));
    CHECK(cudaGraphDestroyNode(hostNode));
    size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::printf("nodes %zu\n", nodes);
    CHECK(cudaGraphExecDestroy(parentExec));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(parent));
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
    (void)b;
}

int main()
{
    int *a, *b, host[4] = {};
    CHECK(cudaMalloc(&a, 16));
    CHECK(cudaMalloc(&b, 16));
    captured(a, b, host);
    explicitly(a, b, host);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}
