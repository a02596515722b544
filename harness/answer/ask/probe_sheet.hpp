#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answer/ask/hits.hpp"
#include "base/error.hpp"
#include "base/sheet/sheet.hpp"

namespace warpclock {

/// What `show` was asked for: "geometry/conflict", "bar", "bandwidth/*", "bandwidth/shared_read[warps=32]".
struct ProbeChoice {
  std::string name;
  std::vector<std::pair<std::string, std::string>> with;  ///< parameters
};

/// Error "usage" if there are brackets that are no list of parameters.
[[nodiscard]] Expected<ProbeChoice> parse_probe_choice(std::string_view text);

/// The probes that a name means: the one of this name; those whose last part it is; those of this family; those in
/// which it occurs, or that it matches if it has a `*`. Error "filter", with the nearest name.
[[nodiscard]] Expected<std::vector<std::string>> chosen_probes(const ProbeBook& book, const std::string& name);

/// The rows of a probe on all GPUs: its question, its answer on each, what to beware of, then a line for each case with
/// its parameters and its numbers. Error "filter" if no case has these parameters, with the values that there are.
[[nodiscard]] Expected<Sheet> probe_sheet(const ProbeBook& book, const std::string& probe, const ProbeChoice& choice);

/// All of these probes by family, each with the first number that answers its question on each GPU.
[[nodiscard]] Sheet probe_list(const ProbeBook& book, const std::vector<std::string>& probes);

/// A case and its rows on the GPUs; null where a GPU has none.
struct CaseRows {
  Parameters parameters;
  std::string id;
  std::vector<const Row*> on;
};

/// The values of a parameter of a probe, in the records' order. Empty if it has no such parameter.
[[nodiscard]] std::vector<Value> values_of(const std::vector<ProbePlace>& places, const std::string& parameter);

}  // namespace warpclock
