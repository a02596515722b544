#pragma once

#include <span>
#include <vector>

#include "base/error.hpp"
#include "compile/build.hpp"
#include "compose/copies/body.hpp"
#include "plan/arch.hpp"
#include "ptx/experiment/experiment.hpp"

namespace warpclock {

/// The compiled kernels of an experiment with Experiment::composed, and the body whose copies belong into them.
struct ComposeRequest {
  const PtxInstruction& instruction;
  const Experiment& experiment;
  Body body;
  Build& build;
};

/// Places the copies into the kernels: afterwards each build names an image that holds them, with its listings. Gives
/// the idle cycles of each chain (compose/schedule.hpp).
/// Errors, one for each request: those of room_of(), copies_of() and fill_hole(); "read-back" if the disassembler reads
/// the window as anything else; those of the cache and the disassembler.
[[nodiscard]] std::vector<Expected<int>> compose(std::span<const ComposeRequest> requests, const Arch& arch,
                                                 const BuildOptions& options);

}  // namespace warpclock
