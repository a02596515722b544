#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code/listing.hpp"
#include "compile/build.hpp"
#include "verify/verdict.hpp"

namespace warpclock {

/// Instructions that one warp executes in a kernel of ptx/experiment/kernel.hpp, counted in its code: the code before
/// the loop over the window once; this loop once per pass; within it, the loop inside the window, if there is one, once
/// per trip; and the rest up to the first exit, which is taken. Forward branches are not taken: they skip code for
/// kernels with no pass, or a copy whose guard is false, and neither occurs. Nothing if there is any other branch, or a
/// call.
[[nodiscard]] std::optional<std::int64_t> executed_instructions(const Listing& listing, int passes, int trips = 1);

/// Number of instructions by opcode with its modifiers, and by kind (verify/instruction/expansion.hpp).
using Code = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// What the last of the kernels executes beyond the one before it; negative counts mean less. `branches`: operands
/// decide what is executed; then the difference of their windows. Empty if a kernel has no verdict.
[[nodiscard]] Code further_code(const std::vector<Kernel>& kernels, const std::vector<Verdict>& verdicts, int trips,
                                bool branches);

}  // namespace warpclock
