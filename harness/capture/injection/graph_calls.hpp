#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include "capture/injection/functions.hpp"
#include "capture/injection/graphs.hpp"
#include "capture/injection/launches.hpp"

namespace warpclock::injected {

/// What CUPTI and the driver tell while graphs are made, instantiated and updated.
class GraphCalls {
 public:
  GraphCalls(Launches& launches, Functions& functions) : launches_(launches), functions_(functions) {}

  /// A node was made, by a launch of this thread if `noted` is one. Other kernels have their attributes only later:
  /// when their nodes are cloned, which those of executable graphs are.
  void made(CUgraphNode node, const LaunchCall& call, const Noted& noted);
  void cloned(const CUpti_GraphData& graph, int device);
  /// Whether a call of the driver gives the nodes of an executable graph other parameters, and one that has.
  static bool is_update(CUpti_CallbackId id);
  void updated(CUpti_CallbackId id, const void* parameters, int device);
  [[nodiscard]] const GraphNodes& nodes() const { return nodes_; }

 private:
  /// What a kernel node with these parameters launches; the attributes are those of `node`.
  std::optional<Planned> launch_of(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS& what, int device);
  /// Memory that a node allocates or sets, and launches of its graph find.
  void note_memory(CUgraphNode node);

  Launches& launches_;
  Functions& functions_;
  GraphNodes nodes_;
};

}  // namespace warpclock::injected
