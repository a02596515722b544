#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verify/instruction/study.hpp"

namespace warpclock {

using Pipes = std::set<std::string>;  ///< by CUPTI's names: "alu", "xu"

/// Pipes whose executed instructions one pass of the profiler counts beside all that were executed. Every pipe is in
/// one of the sets, the usual company of others in a second. Stand in the order in which they are read, because
/// changing over from one to another takes the profiler a fifth of a second.
[[nodiscard]] const std::vector<Pipes>& pipe_sets();

/// Whether the counters of an SM say of all pipes of the set which of two kernels executed what
/// (measure/counted_pair.hpp).
[[nodiscard]] bool told_apart_by_sm(const Pipes& set);

/// "smsp__inst_executed_pipe_alu.sum" for "alu", and what is executed at all.
[[nodiscard]] std::string pipe_metric(std::string_view pipe);
inline constexpr const char* executed_metric = "smsp__inst_executed.sum";

/// The metrics to read for a set: all that was executed, and each of its pipes.
[[nodiscard]] std::vector<std::string> metrics_of(const Pipes& set);

/// The likely pipes of what a further copy adds to a trial's window.
[[nodiscard]] Pipes likely_pipes(const Trial& trial);

/// Which of `sets` to read next: the one with the most likely pipes of those not read yet, or (when none of those is
/// likely) with the most others; the first of equals. Nothing once all were read.
[[nodiscard]] std::optional<std::size_t> next_set(const std::vector<Pipes>& sets, const Pipes& likely,
                                                  const Pipes& read);

}  // namespace warpclock
