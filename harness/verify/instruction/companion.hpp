#pragma once

#include "ptx/experiment/experiment.hpp"
#include "verify/instruction/expansion.hpp"

namespace warpclock {

/// The machine instructions, by kind, that the kernel of an experiment adds to each copy.
[[nodiscard]] Kinds companions_of(const PtxInstruction& instruction, const Experiment& experiment);

}  // namespace warpclock
