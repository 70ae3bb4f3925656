// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs: building, asking, instantiating, launching. Parameters of nodes: graph_nodes.cpp.
#include "instrumented/runtime/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "instrumented/runtime/api_findings.h"
#include "instrumented/runtime/callbacks.h"
#include "instrumented/runtime/work_order.h"

using namespace lanescope::runtime;

namespace {

/// Graphs are shared: a node that holds a child graph keeps it alive.
std::unordered_map<const CUgraph_st*, std::shared_ptr<CUgraph_st>>& graphs()
{
    static auto* const all = new std::unordered_map<const CUgraph_st*, std::shared_ptr<CUgraph_st>>;
    return *all;
}

std::unordered_set<const CUgraphNode_st*>& liveNodes()
{
    static auto* const all = new std::unordered_set<const CUgraphNode_st*>;
    return *all;
}

struct NodeTypeOf {
    cudaGraphNodeType operator()(const EmptyWork&) const { return cudaGraphNodeTypeEmpty; }
    cudaGraphNodeType operator()(const KernelWork&) const { return cudaGraphNodeTypeKernel; }
    cudaGraphNodeType operator()(const CopyWork&) const { return cudaGraphNodeTypeMemcpy; }
    cudaGraphNodeType operator()(const FillWork&) const { return cudaGraphNodeTypeMemset; }
    cudaGraphNodeType operator()(const HostWork&) const { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const CallbackWork&) const { return cudaGraphNodeTypeHost; }
    cudaGraphNodeType operator()(const EventRecordWork&) const { return cudaGraphNodeTypeEventRecord; }
    cudaGraphNodeType operator()(const EventWaitWork&) const { return cudaGraphNodeTypeWaitEvent; }
    cudaGraphNodeType operator()(const GraphWork&) const { return cudaGraphNodeTypeGraph; }
    cudaGraphNodeType operator()(const ConditionalWork&) const { return cudaGraphNodeTypeConditional; }
    cudaGraphNodeType operator()(const AllocateWork&) const { return cudaGraphNodeTypeMemAlloc; }
    cudaGraphNodeType operator()(const ReleaseWork&) const { return cudaGraphNodeTypeMemFree; }
};

bool isLive(const lanescope::device::DeviceMemory& memory, const AllocateWork& work)
{
    const std::optional<lanescope::device::Allocation> found = memory.find(reinterpret_cast<uint64_t>(work.pointer));
    return found && found->live;
}

/// CUDA's way to hand out a list: \p list null asks for the count; otherwise \p count says how many fit.
template <class T>
cudaError_t handOut(Call& call, const std::vector<T>& values, T* list, size_t* count)
{
    if (!count)
        return call.fail(cudaErrorInvalidValue);
    if (list) {
        const size_t fit = std::min(*count, values.size());
        std::copy_n(values.begin(), fit, list);
        std::fill(list + fit, list + *count, T{});
    }
    *count = values.size();
    return call.ok();
}

std::vector<CUgraphNode_st*> nodesOf(const CUgraph_st& graph)
{
    std::vector<CUgraphNode_st*> result;
    for (const auto& node : graph.nodes)
        result.push_back(node.get());
    return result;
}

bool dependsOn(const CUgraphNode_st& node, const CUgraphNode_st* other)
{
    return std::find(node.dependencies.begin(), node.dependencies.end(), other) != node.dependencies.end();
}

/// Same shape and kinds: what an update of an executable graph allows.
cudaGraphExecUpdateResult compare(const CUgraph_st& old, const CUgraph_st& fresh, size_t& wrong)
{
    if (old.nodes.size() != fresh.nodes.size())
        return cudaGraphExecUpdateErrorTopologyChanged;
    for (wrong = 0; wrong < old.nodes.size(); ++wrong) {
        const CUgraphNode_st& a = *old.nodes[wrong];
        const CUgraphNode_st& b = *fresh.nodes[wrong];
        if (a.work.index() != b.work.index())
            return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (a.dependencies.size() != b.dependencies.size())
            return cudaGraphExecUpdateErrorTopologyChanged;
    }
    return cudaGraphExecUpdateSuccess;
}

cudaError_t changeDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count,
                               bool add)
{
    Call call;
    if (!isGraph(graph) || (count > 0 && (!from || !to)))
        return call.fail(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i)
        if (!isNode(from[i]) || !isNode(to[i]) || from[i]->graph != graph || to[i]->graph != graph ||
            from[i] == to[i] || dependsOn(*to[i], from[i]) == add)
            return call.fail(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; ++i) {
        auto& dependencies = to[i]->dependencies;
        if (add)
            dependencies.push_back(from[i]);
        else
            dependencies.erase(std::remove(dependencies.begin(), dependencies.end(), from[i]), dependencies.end());
    }
    return call.ok();
}

}  // namespace

namespace lanescope::runtime {

bool isGraph(cudaGraph_t graph)
{
    return graphs().count(graph) > 0;
}

bool isNode(cudaGraphNode_t node)
{
    return liveNodes().count(node) > 0;
}

std::shared_ptr<CUgraph_st> graphOf(cudaGraph_t handle)
{
    return graphs().at(handle);
}

cudaGraph_t publish(std::shared_ptr<CUgraph_st> graph)
{
    for (const auto& node : graph->nodes)
        liveNodes().insert(node.get());
    cudaGraph_t handle = graph.get();
    graphs().emplace(handle, std::move(graph));
    return handle;
}

CUgraphNode_st* addNode(CUgraph_st& graph, Work work, std::vector<CUgraphNode_st*> dependencies)
{
    graph.nodes.push_back(std::make_unique<CUgraphNode_st>());
    CUgraphNode_st* node = graph.nodes.back().get();
    node->work = std::move(work);
    node->dependencies = std::move(dependencies);
    node->graph = &graph;
    node->madeAt = callFrames();
    liveNodes().insert(node);
    return node;
}

namespace {

/// With bodies of its own.
Work copyOf(Work work)
{
    if (auto* conditional = std::get_if<ConditionalWork>(&work))
        for (std::shared_ptr<CUgraph_st>& body : conditional->bodies)
            body = cloneOf(*body, nullptr);
    return work;
}

}  // namespace

std::shared_ptr<CUgraph_st> cloneOf(const CUgraph_st& graph,
                                    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*>* copies)
{
    auto clone = std::make_shared<CUgraph_st>();
    clone->conditions = graph.conditions;
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> made;
    for (const auto& node : graph.nodes) {
        CUgraphNode_st* copy = made[node.get()] = addNode(*clone, copyOf(node->work), {});
        copy->madeAt = node->madeAt;
    }
    for (const auto& node : graph.nodes)
        for (const CUgraphNode_st* dependency : node->dependencies)
            made[node.get()]->dependencies.push_back(made[dependency]);
    if (copies)
        *copies = std::move(made);
    return clone;
}

std::vector<CUgraphNode_st*> orderOf(const CUgraph_st& graph)
{
    std::vector<CUgraphNode_st*> order;
    std::unordered_set<const CUgraphNode_st*> done;
    for (size_t before = SIZE_MAX; before != order.size();) {
        before = order.size();
        for (const auto& node : graph.nodes) {
            const bool ready = std::all_of(node->dependencies.begin(), node->dependencies.end(),
                                           [&](const CUgraphNode_st* other) { return done.count(other) > 0; });
            if (ready && done.insert(node.get()).second)
                order.push_back(node.get());
        }
    }
    return order;
}

namespace {

/// The kernel nodes that have been performed, by their times of the race check.
using PerformedKernels = std::unordered_map<const CUgraphNode_st*, device::Overlap>;

/// What is performed for \p node: a kernel that may begin early overlaps the one kernel that it depends on.
Work workWithOverlap(const CUgraphNode_st& node, const PerformedKernels& performed)
{
    Work work = node.work;
    auto* kernel = std::get_if<KernelWork>(&work);
    if (!kernel || !kernel->shape.programmatic || node.dependencies.size() != 1)
        return work;
    const auto before = performed.find(node.dependencies.front());
    if (before != performed.end() && before->second.begin < before->second.end)
        kernel->shape.overlap = before->second;
    return work;
}

}  // namespace

cudaError_t performGraph(Runtime& runtime, cudaStream_t stream, const CUgraph_st& graph)
{
    setConditions(runtime, graph);
    return performNodes(runtime, stream, graph);
}

cudaError_t performNodes(Runtime& runtime, cudaStream_t stream, const CUgraph_st& graph)
{
    GraphOrder order(runtime, stream);
    PerformedKernels performed;
    for (const CUgraphNode_st* node : orderOf(graph)) {
        waitForCallbacks();  // a host node before this one
        order.begin(*node);
        const uint32_t raceTime = runtime.races().time();
        if (const cudaError_t error = perform(runtime, stream, workWithOverlap(*node, performed)); error != cudaSuccess)
            return error;
        order.end(*node, raceTime);
        if (std::holds_alternative<KernelWork>(node->work))
            performed[node] = {raceTime, runtime.races().time()};
    }
    return cudaSuccess;
}

}  // namespace lanescope::runtime

LS_API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags)
{
    Call call;
    if (!graph || flags != 0)
        return call.fail(cudaErrorInvalidValue);
    *graph = publish(std::make_shared<CUgraph_st>());
    return call.ok();
}

LS_API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    Call call;
    if (!isGraph(graph))
        return call.fail(cudaErrorInvalidValue);
    for (const auto& node : graph->nodes)
        liveNodes().erase(node.get());
    graphs().erase(graph);
    return call.ok();
}

LS_API cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original)
{
    Call call;
    if (!clone || !isGraph(original))
        return call.fail(cudaErrorInvalidValue);
    *clone = publish(cloneOf(*original, nullptr));
    return call.ok();
}

LS_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t original, cudaGraph_t clone)
{
    Call call;
    if (!found || !isNode(original) || !isGraph(clone))
        return call.fail(cudaErrorInvalidValue);
    const auto& nodes = original->graph->nodes;
    const auto at = std::find_if(nodes.begin(), nodes.end(), [&](const auto& node) { return node.get() == original; });
    const auto index = size_t(at - nodes.begin());
    if (index >= clone->nodes.size())
        return call.fail(cudaErrorInvalidValue);
    *found = clone->nodes[index].get();
    return call.ok();
}

LS_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    Call call;
    if (!isNode(node))
        return call.fail(cudaErrorInvalidValue);
    auto& nodes = node->graph->nodes;
    for (const auto& other : nodes)
        other->dependencies.erase(std::remove(other->dependencies.begin(), other->dependencies.end(), node),
                                  other->dependencies.end());
    liveNodes().erase(node);
    nodes.erase(std::find_if(nodes.begin(), nodes.end(), [&](const auto& other) { return other.get() == node; }));
    return call.ok();
}

LS_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t count)
{
    return changeDependencies(graph, from, to, count, true);
}

LS_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to, size_t count)
{
    return changeDependencies(graph, from, to, count, false);
}

LS_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)
{
    Call call;
    return isGraph(graph) ? handOut(call, nodesOf(*graph), nodes, count) : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count)
{
    Call call;
    if (!isGraph(graph))
        return call.fail(cudaErrorInvalidValue);
    std::vector<CUgraphNode_st*> roots;
    for (const auto& node : graph->nodes)
        if (node->dependencies.empty())
            roots.push_back(node.get());
    return handOut(call, roots, nodes, count);
}

LS_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count)
{
    Call call;
    if (!isGraph(graph) || !from != !to)
        return call.fail(cudaErrorInvalidValue);
    std::vector<CUgraphNode_st*> sources;
    std::vector<CUgraphNode_st*> targets;
    for (const auto& node : graph->nodes)
        for (CUgraphNode_st* dependency : node->dependencies) {
            sources.push_back(dependency);
            targets.push_back(node.get());
        }
    size_t fit = count ? *count : 0;
    (void)handOut(call, targets, to, &fit);
    return handOut(call, sources, from, count);
}

LS_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type)
{
    Call call;
    if (!isNode(node) || !type)
        return call.fail(cudaErrorInvalidValue);
    *type = std::visit(NodeTypeOf{}, node->work);
    return call.ok();
}

LS_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, size_t* count)
{
    Call call;
    return isNode(node) ? handOut(call, node->dependencies, dependencies, count) : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents, size_t* count)
{
    Call call;
    if (!isNode(node))
        return call.fail(cudaErrorInvalidValue);
    std::vector<CUgraphNode_st*> result;
    for (const auto& other : node->graph->nodes)
        if (dependsOn(*other, node))
            result.push_back(other.get());
    return handOut(call, result, dependents, count);
}

LS_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags)
{
    Call call;
    if (!exec || !isGraph(graph))
        return call.fail(cudaErrorInvalidValue);
    if (orderOf(*graph).size() != graph->nodes.size())
        return call.fail(cudaErrorInvalidValue);  // a cycle
    *exec = handles<CUgraphExec_st>().create();
    (*exec)->graph = cloneOf(*graph, &(*exec)->copies);
    (*exec)->order = orderOf(*(*exec)->graph);
    (*exec)->freesFirst = flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
    return call.ok();
}

LS_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    Call call;
    if (!handles<CUgraphExec_st>().has(exec))
        return call.fail(cudaErrorInvalidValue);
    for (const auto& node : exec->graph->nodes)
        liveNodes().erase(node.get());
    handles<CUgraphExec_st>().destroy(exec);
    return call.ok();
}

LS_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info)
{
    Call call;
    if (!handles<CUgraphExec_st>().has(exec) || !isGraph(graph))
        return call.fail(cudaErrorInvalidValue);
    size_t wrong = 0;
    const cudaGraphExecUpdateResult result = compare(*exec->graph, *graph, wrong);
    if (info)
        *info = {result, nullptr,
                 result != cudaGraphExecUpdateSuccess && wrong < graph->nodes.size() ? graph->nodes[wrong].get()
                                                                                     : nullptr};
    if (result != cudaGraphExecUpdateSuccess)
        return call.fail(cudaErrorGraphExecUpdateFailure);
    for (size_t i = 0; i < graph->nodes.size(); ++i)
        exec->graph->nodes[i]->work = copyOf(graph->nodes[i]->work);
    return call.ok();
}

LS_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    Call call;
    return handles<CUgraphExec_st>().has(exec) && isStream(stream) ? call.ok() : call.fail(cudaErrorInvalidValue);
}

LS_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    Call call;
    if (!handles<CUgraphExec_st>().has(exec))
        return call.fail(cudaErrorInvalidValue);
    // What the last launch allocated has to be freed before the next.
    for (const CUgraphNode_st* node : exec->order)
        if (const auto* work = std::get_if<AllocateWork>(&node->work); work && isLive(call->memory(), *work)) {
            if (!exec->freesFirst)
                return call.fail(cudaErrorInvalidValue);
            (void)performRelease(call.runtime(), {work->pointer});
        }
    return submit(call, stream, GraphWork{exec->graph});
}

LS_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int /*flags*/)
{
    Call call;
    std::FILE* file = isGraph(graph) && path ? std::fopen(path, "w") : nullptr;
    if (!file)
        return call.fail(cudaErrorInvalidValue);
    std::fputs("digraph dot {\n", file);
    for (size_t i = 0; i < graph->nodes.size(); ++i) {
        std::fprintf(file, "  node%zu [label=\"%zu: type %d\"];\n", i, i,
                     int(std::visit(NodeTypeOf{}, graph->nodes[i]->work)));
        for (size_t j = 0; j < graph->nodes.size(); ++j)
            if (dependsOn(*graph->nodes[i], graph->nodes[j].get()))
                std::fprintf(file, "  node%zu -> node%zu;\n", j, i);
    }
    std::fputs("}\n", file);
    std::fclose(file);
    return call.ok();
}
