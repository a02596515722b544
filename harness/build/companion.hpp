#pragma once

#include "build/expansion.hpp"
#include "ptx/experiment.hpp"

namespace warpclock {

/// The machine instructions that the kernel of an experiment puts with each copy, by kind.
[[nodiscard]] Kinds companions_of(const PtxInstruction& instruction, const Experiment& experiment);

}  // namespace warpclock
