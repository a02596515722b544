#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "fleet/observations.hpp"

namespace warpclock {

/// What a row of a good fleet is. Sigma is at most the median (1 if that is 0), and repeatability at most the median or
/// 1: with more, a row would let everything pass.
struct BaselineRow {
  std::string id, estimate, unit;
  std::int64_t gpus = 0;
  double median = 0, sigma = 0, repeatability = 0;
};

/// The judged rows of a fleet, by model; see judge_fleet(). Rows of fewer GPUs than it takes to judge them are there
/// too, with no sigma.
struct Baseline {
  std::set<std::string> programs;  ///< the commits of the programs that measured it; empty if that is not known
  std::map<std::string, std::vector<BaselineRow>> models;
};

[[nodiscard]] Baseline baseline_of(const Fleet& fleet);
[[nodiscard]] std::string to_json(const Baseline& baseline);
/// Error "baseline", place = `place`.
[[nodiscard]] Expected<Baseline> parse_baseline(std::string_view text, const std::string& place);

/// Why a GPU does not pass.
struct GateFailure {
  std::size_t gpu = 0;
  std::string id, estimate, unit;
  double value = 0, expected = 0, allowed = 0;  ///< 0 if `text` says why there is no number to compare
  std::string text;
};

struct GateResult {
  std::size_t compared = 0;  ///< GPU-rows
  std::vector<GateFailure> failures;
};

/// Compares each GPU with the baseline. It fails where a number is further from the baseline's median than chance
/// (judge_fleet(), with Student's t for one more value), repeatability (two runs may differ by tolerance_of()) and
/// `within` allow, in either direction; where it has no number for a row of the baseline, or its model is not in the
/// baseline; and where another program measured it, whose numbers may mean something else.
[[nodiscard]] GateResult gate_fleet(const Observations& observations, const Fleet& fleet, const Baseline& baseline,
                                    double within = 0);

/// Whether every GPU of the fleet was measured and is like the baseline.
[[nodiscard]] bool passes(const Fleet& fleet, const GateResult& gate);

}  // namespace warpclock
