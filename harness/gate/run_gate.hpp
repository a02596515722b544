#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gate/build.hpp"
#include "gate/gate.hpp"
#include "inspect/load.hpp"
#include "model/machine.hpp"

namespace warpclock {

struct GateInput {
  std::string before, after;
  std::string launches;               ///< YAML with `kernels:`, or a capture; empty: those of the captures
  std::vector<std::string> patterns;  ///< only cases whose ids match, or kernels that are meant; empty: all
  LoadOptions how;                    ///< its architecture is that of each machine
  std::string cache;                  ///< folder for compiled code
  double most = 0, limit = 0;         ///< Gate::most; PredictOptions::limit
  std::function<void(std::size_t done, std::size_t total)> progress;  ///< may be empty
};

/// Predicts both builds on each machine and judges each kernel. The answer depends on the files, the machines and the
/// options alone, as long as there is no limit and nothing has to be compiled. Errors: those of GateBuild::open(),
/// read_studies(), kernel_cases() and read_capture(); "gate" if nothing is launched; "filter" if a pattern matches
/// nothing.
[[nodiscard]] Expected<Gate> run_gate(const GateInput& input, const std::vector<Machine>& machines);

/// The two builds on one machine.
struct GatedBuilds {
  const GateInput& input;
  const Machine& machine;
  GateBuild& before;
  GateBuild& after;
};

/// A row for each case of a YAML file. Adds the symbols of the kernels that it has found to `covered`.
[[nodiscard]] Expected<std::vector<GateRow>> gate_cases(const GatedBuilds& builds, std::set<std::string>& covered);

/// A row for each kernel of a capture, or of both builds if both are captures and `launches` is null.
[[nodiscard]] Expected<std::vector<GateRow>> gate_captures(const GatedBuilds& builds, const GateBuild* launches,
                                                           std::set<std::string>& covered);

/// What no launch covers: kernels that differ, or that only one build has. Empty if all are covered, or if the builds
/// are CUDA C++.
[[nodiscard]] std::vector<std::string> not_covered(GateBuild& before, GateBuild& after,
                                                   const std::set<std::string>& covered);

}  // namespace warpclock
