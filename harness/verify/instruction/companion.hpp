#pragma once

#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {

/// The machine instructions that the kernel of an experiment puts with each copy, by kind.
[[nodiscard]] Kinds companions_of(const PtxInstruction& instruction, const Experiment& experiment);

}  // namespace warpclock
