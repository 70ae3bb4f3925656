// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditional nodes of graphs: if, while, switch; nested, and filled by capture.
#include "check.h"

namespace {

// Since CUDA 13 edges have data, which nobody here has any of.
#if CUDART_VERSION >= 13000 || defined(__LANESCOPE__)  // which takes the forms of both toolkits
cudaError_t addNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                    cudaGraphNodeParams* parameters)
{
    return cudaGraphAddNode(node, graph, after, nullptr, count, parameters);
}
cudaError_t captureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, cudaGraph_t* graph,
                        const cudaGraphNode_t** latest, size_t* count)
{
    return cudaStreamGetCaptureInfo(stream, status, nullptr, graph, latest, nullptr, count);
}
cudaError_t goOnBehind(cudaStream_t stream, cudaGraphNode_t* node)
{
    return cudaStreamUpdateCaptureDependencies(stream, node, nullptr, 1, cudaStreamSetCaptureDependencies);
}
#else
cudaError_t addNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                    cudaGraphNodeParams* parameters)
{
    return cudaGraphAddNode(node, graph, after, count, parameters);
}
cudaError_t captureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, cudaGraph_t* graph,
                        const cudaGraphNode_t** latest, size_t* count)
{
    return cudaStreamGetCaptureInfo(stream, status, nullptr, graph, latest, count);
}
cudaError_t goOnBehind(cudaStream_t stream, cudaGraphNode_t* node)
{
    return cudaStreamUpdateCaptureDependencies(stream, node, 1, cudaStreamSetCaptureDependencies);
}
#endif

__global__ void countDown(int* left, int* rounds, cudaGraphConditionalHandle goesOn)
{
    ++*rounds;
    cudaGraphSetConditional(goesOn, --*left > 0);
}

__global__ void add(int* data, int value)
{
    *data += value;
}

__global__ void choose(cudaGraphConditionalHandle which, const int* value)
{
    cudaGraphSetConditional(which, static_cast<unsigned>(*value));
}

int* made(int value)
{
    int* data = nullptr;
    CHECK(cudaMalloc(&data, sizeof(int)));
    CHECK(cudaMemcpy(data, &value, sizeof(int), cudaMemcpyHostToDevice));
    return data;
}

int valueOf(const int* data)
{
    int value = 0;
    CHECK(cudaMemcpy(&value, data, sizeof(int), cudaMemcpyDeviceToHost));
    return value;
}

template <class Kernel>
cudaGraphNode_t kernelNode(cudaGraph_t graph, cudaGraphNode_t after, Kernel* kernel, void** arguments)
{
    cudaGraphNodeParams node = {cudaGraphNodeTypeKernel};
    node.kernel.func = reinterpret_cast<void*>(kernel);
    node.kernel.gridDim = dim3(1);
    node.kernel.blockDim = dim3(1);
    node.kernel.kernelParams = arguments;
    cudaGraphNode_t result;
    CHECK(addNode(&result, graph, after ? &after : nullptr, after ? 1 : 0, &node));
    return result;
}

/// The bodies are given in bodies.
cudaGraphNode_t conditional(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                            cudaGraphConditionalNodeType type, unsigned count, cudaGraph_t* bodies)
{
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    node.conditional.handle = handle;
    node.conditional.type = type;
    node.conditional.size = count;
    cudaGraphNode_t result;
    CHECK(addNode(&result, graph, after ? &after : nullptr, after ? 1 : 0, &node));
    for (unsigned i = 0; i < count; ++i)
        bodies[i] = node.conditional.phGraph_out[i];
    return result;
}

void launch(cudaGraph_t graph, int times)
{
    cudaGraphExec_t exec;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; ++i)
        CHECK(cudaGraphLaunch(exec, nullptr));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(exec));
}

/// The default holds at each launch: the second one goes round once, and comes to a number below 0.
void loops()
{
    int *left = made(5), *rounds = made(0);
    cudaGraph_t graph, body;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    const cudaGraphNode_t node = conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    void* arguments[] = {&left, &rounds, &handle};
    kernelNode(body, nullptr, countDown, arguments);
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    launch(graph, 2);
    std::printf("while: type %d, left %d, rounds %d\n", type == cudaGraphNodeTypeConditional, valueOf(left),
                valueOf(rounds));
    CHECK(cudaGraphDestroy(graph));
}

/// What a kernel of the graph says chooses the body of the node that depends on it.
void chooses()
{
    int *value = made(0), *sum = made(0);
    int small = 1, large = 100;
    cudaGraph_t graph, bodies[2];
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    void* chooseArguments[] = {&handle, &value};
    const cudaGraphNode_t first = kernelNode(graph, nullptr, choose, chooseArguments);
    conditional(graph, first, handle, cudaGraphCondTypeSwitch, 2, bodies);
    void* smallArguments[] = {&sum, &small};
    void* largeArguments[] = {&sum, &large};
    kernelNode(bodies[0], nullptr, add, smallArguments);
    kernelNode(bodies[1], nullptr, add, largeArguments);
    for (int i = 0; i < 4; ++i) {
        CHECK(cudaMemcpy(value, &i, sizeof(int), cudaMemcpyHostToDevice));
        launch(graph, 1);
        std::printf("switch %d: %d\n", i, valueOf(sum));
    }
    CHECK(cudaGraphDestroy(graph));
}

/// An if in a while, both filled by capture.
void nested()
{
    int *left = made(3), *rounds = made(0), *sum = made(0);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaGraph_t graph, body, inner;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle goesOn, asked;
    CHECK(cudaGraphConditionalHandleCreate(&goesOn, graph, 1, cudaGraphCondAssignDefault));
    conditional(graph, nullptr, goesOn, cudaGraphCondTypeWhile, 1, &body);
    CHECK(cudaGraphConditionalHandleCreate(&asked, body));

    CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    choose<<<1, 1, 0, stream>>>(asked, rounds);
    cudaStreamCaptureStatus status;
    cudaGraph_t captured = nullptr;
    const cudaGraphNode_t* latest = nullptr;
    size_t count = 0;
    CHECK(captureInfo(stream, &status, &captured, &latest, &count));
    std::printf("captured into the body: %d, %zu nodes\n", captured == body, count);
    cudaGraphNode_t node = conditional(body, latest[0], asked, cudaGraphCondTypeIf, 1, &inner);
    CHECK(goOnBehind(stream, &node));
    countDown<<<1, 1, 0, stream>>>(left, rounds, goesOn);
    CHECK(cudaStreamEndCapture(stream, nullptr));  // the graph is known

    int value = 10;
    void* arguments[] = {&sum, &value};
    kernelNode(inner, nullptr, add, arguments);
    launch(graph, 1);
    std::printf("nested: left %d, rounds %d, sum %d\n", valueOf(left), valueOf(rounds), valueOf(sum));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main()
{
    loops();
    chooses();
    nested();
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&node.conditional.handle, graph));
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 2;
    cudaGraphNode_t refused;
    std::printf("a while of two bodies: %s\n", cudaGetErrorName(addNode(&refused, graph, nullptr, 0, &node)));
    return 0;
}
