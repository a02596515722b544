#include "capture/injection/graph_calls.hpp"

#include <cupti.h>

#include <optional>
#include <utility>

#include "capture/injection/libraries.hpp"

namespace warpclock::injected {
namespace {

std::uint64_t id_of(CUgraphNode node) {
  std::uint64_t id = 0;
  return cupti().cuptiGetGraphNodeId(node, &id) == CUPTI_SUCCESS ? id : 0;
}

/// The number of a graph; 0 if CUPTI does not know it.
std::uint32_t id_of(CUgraph graph) {
  std::uint32_t id = 0;
  return graph != nullptr && cupti().cuptiGetGraphId(graph, &id) == CUPTI_SUCCESS ? id : 0;
}

std::uint32_t id_of(CUgraphExec graph) {
  std::uint32_t id = 0;
  return graph != nullptr && cupti().cuptiGetGraphExecId(graph, &id) == CUPTI_SUCCESS ? id : 0;
}

CUgraphNodeType type_of(CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  return driver().cuGraphNodeGetType(node, &type) == CUDA_SUCCESS ? type : CU_GRAPH_NODE_TYPE_EMPTY;
}

std::uint32_t child_of(CUgraphNode node) {
  CUgraph child = nullptr;
  if (type_of(node) != CU_GRAPH_NODE_TYPE_GRAPH) return 0;
  return driver().cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS ? id_of(child) : 0;
}

Planned planned(const LaunchCall& call, const Noted& noted) {
  return {noted.launch, call.grid, call.block, noted.addresses};
}

}  // namespace

std::optional<Planned> GraphCalls::launch_of(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& what, int device) {
  LaunchCall call{.function = what.func,
                  .grid = {what.gridDimX, what.gridDimY, what.gridDimZ},
                  .block = {what.blockDimX, what.blockDimY, what.blockDimZ},
                  .shared = what.sharedMemBytes,
                  .parameters = what.kernelParams,
                  .extra = what.extra};
  const auto attribute_of = [&](CUlaunchAttributeID id) {
    CUlaunchAttributeValue value{};
    const bool known = driver().cuGraphKernelNodeGetAttribute(node, id, &value) == CUDA_SUCCESS;
    return known ? value : CUlaunchAttributeValue{};
  };
  const auto cluster = attribute_of(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
  call.cluster = {cluster.x, cluster.y, cluster.z};
  call.cooperative = attribute_of(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative != 0;
  const Noted noted = launches_.begin(call, device, false);
  if (noted.function != nullptr) functions_.launched(*noted.function, nullptr);
  return noted.launch < 0 ? std::nullopt : std::optional(planned(call, noted));
}

void GraphCalls::note_memory(CUgraphNode node) {
  CUDA_MEM_ALLOC_NODE_PARAMS made{};
  CUDA_MEMSET_NODE_PARAMS set{};
  const CUgraphNodeType type = type_of(node);
  if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && driver().cuGraphMemAllocNodeGetParams(node, &made) == CUDA_SUCCESS)
    launches_.allocated(made.dptr, made.bytesize);
  if (type == CU_GRAPH_NODE_TYPE_MEMSET && driver().cuGraphMemsetNodeGetParams(node, &set) == CUDA_SUCCESS &&
      set.height == 1 && (set.elementSize == 1 || set.value == 0))
    launches_.filled(set.dst, set.width * set.elementSize, static_cast<char>(set.value));
}

void GraphCalls::made(CUgraphNode node, const LaunchCall& call, const Noted& noted) {
  note_memory(node);
  nodes_.made(id_of(node), noted.launch < 0 ? std::nullopt : std::optional(planned(call, noted)));
}

void GraphCalls::cloned(const CUpti_GraphData& graph, int device) {
  const std::uint64_t from = id_of(graph.originalNode), to = id_of(graph.node);
  const std::uint32_t child = child_of(graph.originalNode);
  nodes_.cloned(from, to, child == 0 ? std::nullopt : std::optional(child));
  CUDA_KERNEL_NODE_PARAMS what{};
  if (nodes_.knows(to) || type_of(graph.originalNode) != CU_GRAPH_NODE_TYPE_KERNEL ||
      driver().cuGraphKernelNodeGetParams(graph.node, &what) != CUDA_SUCCESS || what.func == nullptr)
    return;
  if (auto launch = launch_of(graph.node, what, device)) {
    nodes_.launches(from, *launch);
    nodes_.launches(to, *std::move(launch));
  }
}

void GraphCalls::updated(CUpti_CallbackId id, const void* parameters, int device) {
  const auto node_in = [](CUgraphExec executable, CUgraphNode node) {
    return GraphNodes::id(id_of(executable), GraphNodes::number_of(id_of(node)));
  };
  if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2) {
    const auto* p = static_cast<const cuGraphExecKernelNodeSetParams_v2_params*>(parameters);
    auto launch = p->nodeParams == nullptr ? std::nullopt : launch_of(p->hNode, *p->nodeParams, device);
    if (launch) nodes_.launches(node_in(p->hGraphExec, p->hNode), *std::move(launch));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams) {
    const auto* p = static_cast<const cuGraphExecChildGraphNodeSetParams_params*>(parameters);
    nodes_.child_updated(node_in(p->hGraphExec, p->hNode), id_of(p->childGraph));
  } else {
    const auto* p = static_cast<const cuGraphExecUpdate_v2_params*>(parameters);
    nodes_.updated(id_of(p->hGraphExec), id_of(p->hGraph));
  }
}

bool GraphCalls::is_update(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecKernelNodeSetParams_v2 ||
         id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecChildGraphNodeSetParams ||
         id == CUPTI_DRIVER_TRACE_CBID_cuGraphExecUpdate_v2;
}

}  // namespace warpclock::injected
