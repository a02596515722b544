#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "measure/inputs.hpp"
#include "plan/arch.hpp"

namespace warpclock {

/// How many cases of a suite an architecture can run, and how many it cannot.
struct SuiteCount {
  std::string suite;
  std::size_t cases = 0, lacking = 0;
};

struct ArchCount {
  Arch arch;
  std::vector<SuiteCount> suites;
};

/// What some cases need that an architecture lacks, as their `needs` says it.
struct Lack {
  std::string why;
  std::vector<std::size_t> cases;  ///< by architecture
};

struct CaseCounts {
  std::vector<ArchCount> archs;
  std::vector<Lack> lacks;  ///< of all suites together, in the order of the configs
};

/// The suites that `text` names: some of suite_names(), or all.
[[nodiscard]] std::vector<std::string> named_suites(const std::string& text);

/// Counts the cases of the selection on each architecture; nothing is compiled. Errors as of planned().
[[nodiscard]] Expected<CaseCounts> count_cases(const Inputs& inputs, const Selection& selection,
                                               const std::vector<Arch>& archs);

}  // namespace warpclock
