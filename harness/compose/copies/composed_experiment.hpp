#pragma once

#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "compose/copies/body.hpp"
#include "ptx/experiment/experiment.hpp"
#include "ptx/instruction.hpp"

namespace warpclock {

/// The experiment `plain` with composed copies of the body, and with room for them. Error "compose" if they cannot be
/// chained, or if the body is too long.
[[nodiscard]] Expected<Experiment> composed_experiment(const Body& body, const Experiment& plain);

/// The body that an instruction has if it becomes one machine instruction of a fixed latency: a guess, from which
/// composed_experiment() mostly makes the same as from the body that ptxas makes.
[[nodiscard]] Body body_of_one_word(const PtxInstruction& instruction);

/// Repeat counts for an instruction that becomes `size` machine instructions. Large ones get fewer copies, so that the
/// window stays well inside the instruction cache; composed throughputs stay within the nearest one, which holds some
/// 200 words (docs/findings.md). A single warp is not delayed by longer code.
[[nodiscard]] std::vector<std::int64_t> repeats_for(std::int64_t size, const Experiment& experiment);

}  // namespace warpclock
